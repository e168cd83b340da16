#!/usr/bin/env perl
# A first implementation: what docs/howto-conformance.md builds in an hour. Sums, tuples and branches on int32 and float64.
use strict;
use warnings;
use JSON::PP;

my $json = JSON::PP->new->canonical->allow_nonref;
$| = 1;

sub unsupported { die { end => "unsupported", why => shift } }

sub value_of {    # a value of the suite as [dtype, shape, [numbers]]
    my ($spec) = @_;
    return [ map { value_of($_) } @$spec ] if ref $spec eq "ARRAY";
    unsupported("an argument") unless ref $spec eq "HASH" && $spec->{bits};
    my $dtype = $spec->{dtype};
    my @data = map {
          $dtype eq "int32"   ? unpack( "l", pack( "L", hex $_ ) )
        : $dtype eq "float64" ? unpack( "d>", pack( "H16", substr( "0" x 16 . substr( $_, 2 ), -16 ) ) )
        : $dtype eq "float32" ? unpack( "f",  pack( "L", hex $_ ) )
        : $dtype eq "bool"    ? hex $_
        :                       unsupported("the dtype $dtype")
    } @{ $spec->{bits} };
    return { dtype => $dtype, shape => $spec->{shape}, data => \@data };
}

sub told {    # and back
    my ($value) = @_;
    return [ map { told($_) } @$value ] if ref $value eq "ARRAY";
    my ( $dtype, @data ) = ( $value->{dtype}, @{ $value->{data} } );
    my @bits = map {
          $dtype eq "int32"   ? sprintf( "0x%x", unpack( "L", pack( "l", $_ ) ) )
        : $dtype eq "float32" ? sprintf( "0x%x", unpack( "L", pack( "f", $_ ) ) )
        : $dtype eq "bool"    ? sprintf( "0x%x", $_ )
        :                       "0x" . ( unpack( "H16", pack( "d>", $_ ) ) =~ s/^0+(?=.)//r )
    } @data;
    return { dtype => $dtype, shape => $value->{shape}, bits => \@bits };
}

my %operators = (    # on numbers; ev/operator-type is not asked, so dtypes must be equal
    "relax.add"      => sub { $_[0] + $_[1] },
    "relax.subtract" => sub { $_[0] - $_[1] },
    "relax.multiply" => sub { $_[0] * $_[1] },
);

sub call {
    my ( $e, $scope ) = @_;
    my $f = $e->{op}{node} eq "Op" && $operators{ $e->{op}{name} } or unsupported( "the call of " . ( $e->{op}{name} // "a value" ) );
    my ( $x, $y ) = map { expression( $_, $scope ) } @{ $e->{args} };
    unsupported("other dtypes") if ref $x ne "HASH" || ref $y ne "HASH" || $x->{dtype} ne $y->{dtype} || $x->{dtype} eq "bool";
    unsupported("broadcasting") if $json->encode( $x->{shape} ) ne $json->encode( $y->{shape} );
    my @data = map { $f->( $x->{data}[$_], $y->{data}[$_] ) } 0 .. $#{ $x->{data} };
    @data = map { unpack "l", pack "L", $_ % 2**32 } @data if $x->{dtype} eq "int32";
    @data = map { unpack "f", pack "f", $_ } @data if $x->{dtype} eq "float32";
    return { %$x, data => \@data };
}

sub expression {
    my ( $e, $scope ) = @_;
    my $node = $e->{node};
    return $scope->{ $e->{name} } // unsupported("a name") if $node eq "Var";
    return [ map { expression( $_, $scope ) } @{ $e->{fields} } ] if $node eq "Tuple";
    return expression( $e->{tuple}, $scope )->[ $e->{index} ] if $node eq "TupleGetItem";
    return call( $e, $scope ) if $node eq "Call";
    if ( $node eq "If" ) {
        my $condition = expression( $e->{condition}, $scope )->{data}[0];
        return sequence( $condition ? $e->{then_branch} : $e->{else_branch}, {%$scope} );
    }
    unsupported("the node $node");
}

sub sequence {
    my ( $seq, $scope ) = @_;
    for my $block ( @{ $seq->{blocks} } ) {
        for my $binding ( @{ $block->{bindings} } ) {
            unsupported("a match_cast") if $binding->{node} ne "VarBinding";
            $scope->{ $binding->{name} } = expression( $binding->{value}, $scope );
        }
    }
    return expression( $seq->{body}, $scope );
}

sub trapped { die { end => "trapped", why => shift } }

# Kind, dtype and rank, then the symbols, then the extents (chapter 07, "Matching").
sub fits {
    my ( $symbols, @pairs ) = @_;
    for (@pairs) {
        my ( $value, $type ) = @$_;
        unsupported("the type $type->{node}") if $type->{node} ne "TensorType" || $type->{shape} && !ref $type->{shape};
        trapped("ev/param-type")  if ref $value ne "HASH";
        trapped("ev/param-dtype") if $type->{dtype}     && $type->{dtype} ne $value->{dtype};
        trapped("ev/param-rank")  if $type->{ndim} >= 0 && $type->{ndim} != @{ $value->{shape} };
    }
    my @dims = map { my ( $v, $t ) = @$_; map { [ $v->{shape}[$_], $t->{shape}[$_] ] } 0 .. $#{ $t->{shape} // [] } } @pairs;
    for (@dims) { $symbols->{ $_->[1]{name} } //= $_->[0] if $_->[1]{node} eq "SymVar" }
    for (@dims) {
        my ( $extent, $dim ) = @$_;
        unsupported("a compound dimension") if $dim->{node} !~ /^(SymVar|Literal)$/;
        trapped("ev/param-shape") if $extent != ( $dim->{node} eq "SymVar" ? $symbols->{ $dim->{name} } : hex $dim->{bits} );
    }
}

sub run {
    my ($asked) = @_;
    my $f = $asked->{tree}{functions}{ $asked->{entry} };
    unsupported("no graph-level function") if $f->{node} ne "Function";
    unsupported("library functions") if $json->encode( $asked->{tree} ) =~ /"ExternFunc"|"relax\.call_py_func"/;    # linking
    my @args = map { value_of($_) } @{ $asked->{args} };
    trapped("ev/arity") if @args != @{ $f->{params} };
    my %symbols;
    fits( \%symbols, map { [ $args[$_], $f->{params}[$_]{type} ] } 0 .. $#args );
    my %scope = map { $f->{params}[$_]{name} => $args[$_] } 0 .. $#args;
    my $value = sequence( $f->{body}, \%scope );
    fits( \%symbols, [ $value, $f->{ret} ] ) if $f->{ret};
    return { end => "returned", value => told($value), arguments => $asked->{args}, effects => [] };
}

while ( my $line = <STDIN> ) {
    my $asked = $json->decode($line);
    my $answer
        = $asked->{ask} eq "hello" ? { protocol => 1, name => "first hour", profiles => ["graph"] }
        : eval { run($asked) } // ( ref $@ ? $@ : die $@ );
    print $json->encode( { %$answer, id => $asked->{id} } ), "\n";
}

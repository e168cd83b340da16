"""The version of the package and the edition of the language that it specifies."""

__version__ = "0.1.0"
SPEC_EDITION = "apache-tvm 0.27"

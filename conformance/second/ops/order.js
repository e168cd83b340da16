// Positions in order: stable, NaN last (spec 02 "Comparison and choice").
"use strict";

/** The positions of items in order; equal ones keep theirs. */
function order(items, descending) {
  const places = items.map((_, k) => k);
  return places.sort((p, q) => {
    const [a, b] = [items[p], items[q]];
    const [na, nb] = [Number.isNaN(a), Number.isNaN(b)];
    if (na || nb) return Number(na) - Number(nb);
    if (a === b) return 0; // a sort of JavaScript is stable
    return a < b !== descending ? -1 : 1;
  });
}

module.exports = { order };

/** Texts of any characters for properties. The same of fast-check (`unit: 'binary'`) costs seconds of a processor. */
import fc from 'fast-check';

/** Halves of pairs are no characters of their own. */
const HALVES = { first: 0xd800, count: 0x800 };

const character = fc
  .oneof(fc.nat(0x7f), fc.nat(0x10ffff - HALVES.count))
  .map((index) => String.fromCodePoint(index < HALVES.first ? index : index + HALVES.count));

export const anyText = fc.string({ unit: character });

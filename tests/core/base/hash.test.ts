/** The canonical hash depends on the value only. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { canonicalHash, sha256 } from '#core/base/hash.ts';
import { samples } from '../../support/samples.ts';

test('computes known SHA-256 and canonical JSON hashes', () => {
  expect(sha256('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  // RFC 8785: keys by UTF-16 code units, numbers as ECMAScript writes them.
  expect(canonicalHash({ b: [1e21, 0.1, -0], '€': '\n', a: null })).toBe(
    sha256('{"a":null,"b":[1e+21,0.1,0],"€":"\\n"}'),
  );
});

test('canonical hashes ignore the order of keys and nothing else', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
      const reversed = Object.fromEntries(Object.entries(value).reverse());
      expect(canonicalHash(reversed)).toBe(canonicalHash(value));
      expect(canonicalHash(JSON.parse(JSON.stringify(value)))).toBe(canonicalHash(value));
      expect(canonicalHash([value])).not.toBe(canonicalHash(value));
    }),
    samples(25),
  );
});

test('hashes half of a surrogate pair as the replacement character, and rejects values that are not JSON', () => {
  expect(canonicalHash({ text: 'a\ud800' })).toBe(canonicalHash({ text: 'a\ufffd' }));
  expect(() => canonicalHash(undefined)).toThrow('Only a JSON value has a canonical hash');
});

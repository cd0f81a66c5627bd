/** Finds long runs of characters of one class in a text. Reads few characters if the runs are short. */

/** A class of ASCII characters: 1 at the code of each. */
export type CharacterClass = Uint8Array;

export function createCharacterClass(pattern: RegExp): CharacterClass {
  return Uint8Array.from({ length: 128 }, (_, code) => (pattern.test(String.fromCharCode(code)) ? 1 : 0));
}

/** Yields each whole run of at least `min` characters, in order. */
export function* findRuns(
  text: string,
  characters: CharacterClass,
  min: number,
): Generator<readonly [from: number, to: number]> {
  const isIn = (at: number): boolean => characters[text.charCodeAt(at)] === 1;
  let start = 0;
  for (let at = min - 1; at < text.length; at += min) {
    let from = at;
    let to = at;
    if (isIn(at)) {
      while (from > start && isIn(from - 1)) from--;
      while (to < text.length && isIn(to)) to++;
      if (to - from >= min) yield [from, to];
    }
    start = to + 1;
    at = to;
  }
}

/**
 * Regular expressions of JavaScript that take time in proportion to the text, whatever the expression is: all of its ways
 * are followed at once, none is tried again. What cannot be followed so (backreferences, looking around) is refused.
 */
import { type AST, RegExpParser } from '@eslint-community/regexpp';

/** Where something was found, in UTF-16 code units: from, and up to. */
export type Range = readonly [from: number, to: number];

export interface LinearPattern {
  /** Everything that the pattern can match, overlaps included; nothing empty. In order of their ends. */
  rangesIn(text: string): Range[];
}

type State =
  | { kind: 'char'; test: (code: number) => boolean; next: number }
  | { kind: 'split'; next: number; other: number }
  | { kind: 'assert'; holds: (text: string, at: number) => boolean; next: number }
  | { kind: 'match' };

const MAX_STATES = 2000;
const MAX_LENGTH = 1000;
const MATCH = 0;

/** What is wrong with an expression, as the end of a sentence; null where nothing is. */
export function linearFault(source: string): string | null {
  try {
    linearPattern(source);
    return null;
  } catch (error) {
    return error instanceof Refused ? error.message : `is not a regular expression (${wordsOf(error)})`;
  }
}

/** Throws for what `linearFault` names. */
export function linearPattern(source: string): LinearPattern {
  if (source.length > MAX_LENGTH) throw new Refused(`is longer than ${MAX_LENGTH} characters`);
  // The program's own check: the parser accepts what it may not.
  new RegExp(source, 'u');
  const pattern = new RegExpParser().parsePattern(source, 0, source.length, { unicode: true });
  const builder = new Builder();
  const start = builder.alternatives(pattern.alternatives, MATCH, false);
  const search = new Search(builder.states, start);
  if (search.isEmpty) throw new Refused('must not match an empty text, which is everywhere');
  return search;
}

class Refused extends Error {}

const wordsOf = (error: unknown): string => (error instanceof Error ? error.message.split('\n')[0]! : String(error));

/** Makes the states from the end to the beginning: each part is told what follows it. */
class Builder {
  readonly states: State[] = [{ kind: 'match' }];

  alternatives(all: readonly AST.Alternative[], next: number, loose: boolean): number {
    const starts = all.map(({ elements }) =>
      elements.reduceRight((after, element) => this.#element(element, after, loose), next),
    );
    return starts.reduceRight((other, one) => this.#add({ kind: 'split', next: one, other }));
  }

  #add(state: State): number {
    if (this.states.length >= MAX_STATES) throw new Refused('is too large with all of its repetitions written out');
    return this.states.push(state) - 1;
  }

  #element(element: AST.Element, next: number, loose: boolean): number {
    switch (element.type) {
      case 'Assertion':
        return this.#add({ kind: 'assert', holds: assertionOf(element), next });
      case 'CapturingGroup':
        return this.alternatives(element.alternatives, next, loose);
      case 'Group':
        return this.alternatives(element.alternatives, next, isLoose(element, loose));
      case 'Quantifier':
        return this.#repeated(element, next, loose);
      case 'Character':
      case 'CharacterClass':
      case 'CharacterSet':
      case 'ExpressionCharacterClass':
        return this.#add({ kind: 'char', test: testOf(element.raw, loose), next });
      case 'Backreference':
        throw new Refused('must not refer back to a group');
    }
  }

  #repeated({ element, min, max }: AST.Quantifier, next: number, loose: boolean): number {
    let after = next;
    if (max === Infinity) {
      const loop = this.#add({ kind: 'split', next, other: next });
      this.states[loop] = { kind: 'split', next: this.#element(element, loop, loose), other: next };
      after = loop;
    } else {
      for (let count = min; count < max; count++)
        after = this.#add({ kind: 'split', next: this.#element(element, after, loose), other: next });
    }
    for (let count = 0; count < min; count++) after = this.#element(element, after, loose);
    return after;
  }
}

function isLoose({ modifiers }: AST.Group, before: boolean): boolean {
  if (modifiers?.remove?.ignoreCase) return false;
  return modifiers?.add.ignoreCase === true || before;
}

function assertionOf(assertion: AST.Assertion): (text: string, at: number) => boolean {
  switch (assertion.kind) {
    case 'start':
      return (text, at) => at === 0 || text[at - 1] === '\n';
    case 'end':
      return (text, at) => at === text.length || text[at] === '\n';
    case 'word':
      return (text, at) => (isWord(text, at - 1) !== isWord(text, at)) !== assertion.negate;
    case 'lookahead':
    case 'lookbehind':
      throw new Refused('must not look ahead or behind');
  }
}

const isWord = (text: string, at: number): boolean => /\w/.test(text[at] ?? '');

/** Of one character, remembered: the expression itself says which. */
function testOf(raw: string, loose: boolean): (code: number) => boolean {
  const expression = new RegExp(`^(?:${raw})$`, loose ? 'iu' : 'u');
  const known = new Map<number, boolean>();
  return (code) => {
    let is = known.get(code);
    if (is === undefined) {
      is = expression.test(String.fromCodePoint(code));
      if (known.size < 4096) known.set(code, is);
    }
    return is;
  };
}

class Search implements LinearPattern {
  readonly #states: readonly State[];
  readonly #start: number;
  /** The place at which a state was reached last: once is enough, and whoever comes first began first. */
  readonly #reached: Int32Array;

  constructor(states: readonly State[], start: number) {
    this.#states = states;
    this.#start = start;
    this.#reached = new Int32Array(states.length);
  }

  get isEmpty(): boolean {
    const places: number[] = [];
    this.#reached.fill(-1);
    this.#reach('', 0, this.#start, 0, places, []);
    return this.#reached[MATCH] === 0;
  }

  rangesIn(text: string): Range[] {
    const found: Range[] = [];
    let [states, begins]: [number[], number[]] = [[], []];
    this.#reached.fill(-1);
    for (let at = 0; ;) {
      // Those that began before come first.
      this.#reach(text, at, this.#start, at, states, begins);
      const code = text.codePointAt(at);
      if (code === undefined) return found;
      const after = at + (code > 0xffff ? 2 : 1);
      const [now, begun] = [states, begins];
      [states, begins] = [[], []];
      for (const [index, id] of now.entries()) {
        const state = this.#states[id]!;
        if (state.kind !== 'char' || !state.test(code)) continue;
        const begin = begun[index]!;
        const isNew = this.#reached[MATCH] !== after;
        this.#reach(text, after, state.next, begin, states, begins);
        if (isNew && this.#reached[MATCH] === after) found.push([begin, after]);
      }
      at = after;
    }
  }

  /** Adds the states that wait for a character, as far as they can be reached without one. */
  #reach(text: string, at: number, from: number, begin: number, states: number[], begins: number[]): void {
    const open = [from];
    for (let id = open.pop(); id !== undefined; id = open.pop()) {
      if (this.#reached[id] === at) continue;
      this.#reached[id] = at;
      const state = this.#states[id]!;
      if (state.kind === 'split') open.push(state.other, state.next);
      else if (state.kind === 'assert') {
        if (state.holds(text, at)) open.push(state.next);
      } else if (state.kind === 'char') {
        states.push(id);
        begins.push(begin);
      }
    }
  }
}

/** What ripgrep is asked for in place of an expression of JavaScript. */
import { type AST, RegExpParser } from '@eslint-community/regexpp';

/** Any one character of JavaScript in bytes, also one that stands for bytes which are no text. */
const CHARACTER_BYTES = 4;
const BYTE = '(?-u:[^\\n])';
/** ripgrep refuses what becomes too large. */
const MAX_COUNT = 50;

/**
 * An expression of ripgrep that matches every line which the given one matches, and maybe more: what means something else
 * there, or nothing, becomes any text. Null where that would be no help.
 */
export function looser(expression: RegExp): string | null {
  const { source, unicode, ignoreCase } = expression;
  if (expression.test('')) return null;
  const pattern = new RegExpParser().parsePattern(source, 0, source.length, { unicode });
  const writer = new Writer(ignoreCase);
  const text = writer.alternatives(pattern.alternatives);
  return writer.hasLiteral ? `${ignoreCase ? '(?i)' : ''}${text}` : null;
}

class Writer {
  readonly #ignoreCase: boolean;
  hasLiteral = false;

  constructor(ignoreCase: boolean) {
    this.#ignoreCase = ignoreCase;
  }

  alternatives(all: readonly AST.Alternative[]): string {
    return `(?:${all.map(({ elements }) => elements.map((one) => this.#element(one)).join('')).join('|')})`;
  }

  #element(element: AST.Element): string {
    switch (element.type) {
      case 'Assertion':
        return '';
      case 'CapturingGroup':
        return this.alternatives(element.alternatives);
      case 'Group':
        return element.modifiers ? bytes(0, Infinity) : this.alternatives(element.alternatives);
      case 'Quantifier':
        return this.#repeated(element);
      case 'Backreference':
        return bytes(0, Infinity);
      default:
        return this.#character(element) ?? bytes(1, 1);
    }
  }

  #repeated({ element, min, max }: AST.Quantifier): string {
    const isOne = ['Character', 'CharacterClass', 'CharacterSet'].includes(element.type);
    const one = isOne ? this.#character(element) : this.#element(element);
    return one === null ? bytes(min, max) : `(?:${one})${counted(min, max)}`;
  }

  /** Null: any character. */
  #character(element: AST.Element): string | null {
    if (element.type === 'Character') return this.#literal(element.value);
    if (element.type === 'CharacterSet') return setOf(element);
    if (element.type !== 'CharacterClass' || element.negate) return null;
    const parts = element.elements.map(memberOf);
    return parts.includes(null) || parts.length === 0 ? null : `[${parts.join('')}]`;
  }

  #literal(value: number): string | null {
    // Which letters are the same in another case differs beyond ASCII, and these stand for bytes that are no text.
    const isOther = value > 127 && (this.#ignoreCase || value === 0xfffd || (value >= 0xd800 && value <= 0xdfff));
    if (isOther) return null;
    this.hasLiteral = true;
    return hex(value);
  }
}

function setOf(element: AST.Element): string | null {
  if (element.type !== 'CharacterSet') return null;
  if (element.kind === 'digit' && !element.negate) return '[0-9]';
  return element.kind === 'word' && !element.negate ? '[0-9A-Za-z_]' : null;
}

/** A member of a class, as it stands in one; null where it is not ASCII. */
function memberOf(element: AST.CharacterClass['elements'][number]): string | null {
  if (element.type === 'Character') return element.value > 127 ? null : hex(element.value);
  if (element.type === 'CharacterSet') return setOf(element)?.slice(1, -1) ?? null;
  if (element.type !== 'CharacterClassRange' || element.max.value > 127) return null;
  return `${hex(element.min.value)}-${hex(element.max.value)}`;
}

const hex = (value: number): string => `\\x{${value.toString(16)}}`;

/** So many characters of JavaScript. */
const bytes = (min: number, max: number): string => BYTE + counted(min, max * CHARACTER_BYTES);

function counted(min: number, max: number): string {
  const least = Math.min(min, MAX_COUNT);
  return max > MAX_COUNT ? `{${least},}` : `{${least},${max}}`;
}

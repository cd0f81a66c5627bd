/** Finds blocks of private keys: PEM, OpenSSH and PGP, whole or cut at either end. */
import type { KeyRange } from './key-forms.ts';

export const PRIVATE_KEY = 'private key';
const KIND = '[A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----';
const BEGIN = new RegExp(`-----BEGIN ${KIND}`, 'y');
const END = new RegExp(`-----END ${KIND}`, 'g');
const END_HERE = new RegExp(`-----END ${KIND}`, 'y');
/** Maximum length of a private key, in characters. */
const MAX_CHARS = 20_000;
const HEADER = '(?:Proc-Type|DEK-Info|Version|Comment|Hash|Charset|MessageID): ';
const LINE_BREAK = /\\r\\n|\\[nr]|\r?\n/;
/**
 * Matches a line of a body: with the sign of a diff, the path and number of a search, or the quotes of code. Each part begins with
 * a character that the part before cannot have, so that a long line is compared in one pass.
 */
const BODY_LINE = new RegExp(
  String.raw`^(?:[^\s:]{1,400}[:-]\d{1,7}[:-])?[\s"',+|>\\-]*(?:${HEADER}.*|[A-Za-z0-9/=][A-Za-z0-9+/=]*(?:[\s"',\\][\s"',+\\]*)?)?$`,
);
/** Matches the lines of a block whose end was cut off. */
const CUT_BODY = new RegExp(
  String.raw`(?:(?:\\[nr]|[\s"'+|>\\-]){1,20}${HEADER}[^\n\\]{0,200}(?=[\n\\])){0,5}(?:\\[nr]|\n)(?:\\[nr]|[\s"'+|>\\-]){0,20}([A-Za-z0-9+/=]{6,400})(?:(?:\\[nr]|[\s"'+|>\\-]){1,20}[A-Za-z0-9+/=]{16,400}){0,400}`,
  'y',
);

export function findPrivateKeys(text: string): KeyRange[] {
  const ranges: KeyRange[] = [];
  for (let at = text.indexOf('-----BEGIN '); at >= 0; at = text.indexOf('-----BEGIN ', at)) {
    BEGIN.lastIndex = at;
    const begin = BEGIN.exec(text);
    const to = begin ? findEnd(text, at + begin[0].length) : null;
    if (to !== null) ranges.push({ from: at, to, name: PRIVATE_KEY });
    at = to ?? at + 1;
  }
  findTails(text, ranges);
  return ranges;
}

/** Returns the end of the block whose body starts at `start`; null if no key follows. */
function findEnd(text: string, start: number): number | null {
  const next = text.indexOf('-----BEGIN ', start);
  const rest = text.slice(start, Math.min(start + MAX_CHARS, next < 0 ? text.length : next));
  END.lastIndex = 0;
  const end = END.exec(rest);
  if (end && isBody(rest.slice(0, end.index))) return start + END.lastIndex;
  CUT_BODY.lastIndex = start;
  const first = CUT_BODY.exec(text)?.[1];
  return first !== undefined && /[A-Z0-9]/.test(first) ? CUT_BODY.lastIndex : null;
}

function isBody(text: string): boolean {
  return /[A-Za-z0-9+/]{4}/.test(text) && text.split(LINE_BREAK).every((line) => BODY_LINE.test(line));
}

/** Adds the ends of blocks whose beginning was cut off. */
function findTails(text: string, ranges: KeyRange[]): void {
  const blocks = ranges.length;
  let block = 0;
  for (let at = text.indexOf('-----END '); at >= 0; at = text.indexOf('-----END ', at + 1)) {
    while (block < blocks && ranges[block]!.to <= at) block++;
    if (block < blocks && ranges[block]!.from <= at) continue;
    END_HERE.lastIndex = at;
    if (!END_HERE.test(text)) continue;
    let from = at;
    while (from > Math.max(0, at - MAX_CHARS) && isBodyCode(text.charCodeAt(from - 1))) from--;
    const body = text.slice(from, at);
    if (/[A-Za-z0-9+/]{40}/.test(body))
      ranges.push({ from: at - body.trimStart().length, to: END_HERE.lastIndex, name: PRIVATE_KEY });
  }
}

/** Returns true for letters, digits, `+/=`, white space and the backslash of an escaped line break. */
function isBodyCode(code: number): boolean {
  return (
    (code >= 97 && code <= 122) ||
    (code >= 65 && code <= 90) ||
    (code >= 47 && code <= 57) ||
    [43, 61, 32, 10, 13, 9, 92].includes(code)
  );
}

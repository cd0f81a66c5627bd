/** Where a text stops being JSON: the messages of `JSON.parse` tell the place only of some faults. */

const BLANKS = /[ \t\n\r]*/y;
const TOKEN =
  /"(?:[^"\\\p{Cc}]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null|[{}[\],:]/uy;

type Wanted = 'value' | 'value or end' | 'key' | 'key or end' | 'colon' | 'comma or end' | 'nothing';

/** Both from 1: of the first character that no JSON has there, or of the end where something is missing. */
export function jsonPlace(text: string): { line: number; column: number } {
  const before = text.slice(0, endOf(text)).split('\n');
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

function endOf(text: string): number {
  const closers: string[] = [];
  let [at, wanted]: [number, Wanted] = [0, 'value'];
  const inner = (): Wanted => (closers.length === 0 ? 'nothing' : 'comma or end');
  for (;;) {
    BLANKS.lastIndex = at;
    at += BLANKS.exec(text)?.[0].length ?? 0;
    TOKEN.lastIndex = at;
    const token = TOKEN.exec(text)?.[0];
    if (token === undefined || wanted === 'nothing') return at;
    const isEnd = token === closers.at(-1) && wanted.endsWith('end');
    if (isEnd) {
      closers.pop();
      wanted = inner();
    } else if (wanted.startsWith('key')) {
      if (!token.startsWith('"')) return at;
      wanted = 'colon';
    } else if (wanted === 'colon') {
      if (token !== ':') return at;
      wanted = 'value';
    } else if (wanted === 'comma or end') {
      if (token !== ',') return at;
      wanted = closers.at(-1) === '}' ? 'key' : 'value';
    } else if (token === '{' || token === '[') {
      closers.push(token === '{' ? '}' : ']');
      wanted = token === '{' ? 'key or end' : 'value or end';
    } else if (/^[}\],:]/.test(token)) return at;
    else wanted = inner();
    at += token.length;
  }
}

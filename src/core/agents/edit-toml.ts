/** Sets or removes one key at the top of a TOML text where it stands, so that everything else stays as it was written. */
import { stringify } from 'smol-toml';
import type { AgentValue } from '#contract/agent.ts';
import { afterLine, lineStart, replaceAll } from './replace.ts';
import { keysAtTop } from './toml.ts';

/** Null takes the key out. Callers verify what became of the text. */
export function editToml(text: string, key: string, value: AgentValue): string {
  const { keys, tables } = keysAtTop(text);
  const known = keys.get(key);
  if (known) {
    const to = text.slice(0, known.to).trimEnd().length;
    if (value === null)
      return replaceAll(text, [{ from: lineStart(text, known.from), to: afterLine(text, to), by: '' }]);
    // Comments between brackets would be lost: left as it is, the text tells that nothing was changed.
    if (hasComments(text.slice(known.valueFrom, to))) return text;
    return replaceAll(text, [{ from: known.valueFrom, to, by: literal(value) }]);
  }
  if (value === null) return text;
  // A key behind the name of a table would be the table's.
  const ends = [...keys.values()].map((one) => afterLine(text, text.slice(0, one.to).trimEnd().length));
  const at = ends.length > 0 ? Math.max(...ends) : (tables ?? text.length);
  const gap = at === 0 || text[at - 1] === '\n' ? '' : '\n';
  return replaceAll(text, [{ from: at, to: at, by: `${gap}${key} = ${literal(value)}\n` }]);
}

function literal(value: Exclude<AgentValue, null>): string {
  if (typeof value === 'string' && value.includes('\n')) return manyLines(value);
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return stringify({ x: value }).trim().slice('x = '.length);
}

function hasComments(list: string): boolean {
  return list.startsWith('[') && list.replace(/"(?:[^"\\\n]|\\.)*"|'[^'\n]*'/g, '').includes('#');
}

/** Without escapes where that is possible. */
function manyLines(text: string): string {
  // Of control characters TOML allows none without an escape but these two.
  const needsEscapes = text.includes("'''") || text.endsWith("'") || /(?![\t\n])\p{Cc}/u.test(text);
  if (!needsEscapes) return `'''\n${text}'''`;
  const lines = text.split('\n').map((line) => JSON.stringify(line).slice(1, -1).replaceAll('\x7f', '\\u007f'));
  return `"""\n${lines.join('\n')}"""`;
}

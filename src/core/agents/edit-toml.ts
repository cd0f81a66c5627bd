/** Sets or removes one key at the top of a TOML text where it stands, so that everything else stays as it was written. */
import { stringify } from 'smol-toml';
import type { AgentValue } from '#contract/agent.ts';
import { keyParts, tomlTree } from '../base/toml-tree.ts';
import { afterLine, lineStart, replaceAll } from './replace.ts';

/** Null removes the key. Callers must check the result. */
export function editToml(text: string, key: string, value: AgentValue): string {
  const tree = tomlTree(text);
  const top = tree?.body[0].body ?? [];
  const pairs = top.filter((node) => node.type === 'TOMLKeyValue');
  const known = pairs.findLast((pair) => keyParts(pair)[0] === key);
  if (known) {
    const from = lineStart(text, known.range[0]);
    if (value === null) return replaceAll(text, [{ from, to: afterLine(text, known.range[1]), by: '' }]);
    const [valueFrom, to] = known.value.range;
    // Comments between brackets would be lost: left as it is, the text tells that nothing was changed.
    if (tree?.comments.some(({ range }) => range[0] > valueFrom && range[1] < to)) return text;
    return replaceAll(text, [{ from: valueFrom, to, by: literal(value) }]);
  }
  if (value === null) return text;
  // A key behind the name of a table would be the table's.
  const last = pairs.at(-1);
  const at = last ? afterLine(text, last.range[1]) : (top[0]?.range[0] ?? text.length);
  const gap = at === 0 || text[at - 1] === '\n' ? '' : '\n';
  return replaceAll(text, [{ from: at, to: at, by: `${gap}${key} = ${literal(value)}\n` }]);
}

function literal(value: Exclude<AgentValue, null>): string {
  if (typeof value === 'string' && value.includes('\n')) return manyLines(value);
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return stringify({ x: value }).trim().slice('x = '.length);
}

/** Without escapes where that is possible. */
function manyLines(text: string): string {
  // Of control characters TOML allows none without an escape but these two.
  const needsEscapes = text.includes("'''") || text.endsWith("'") || /(?![\t\n])\p{Cc}/u.test(text);
  if (!needsEscapes) return `'''\n${text}'''`;
  const lines = text.split('\n').map((line) => JSON.stringify(line).slice(1, -1).replaceAll('\x7f', '\\u007f'));
  return `"""\n${lines.join('\n')}"""`;
}

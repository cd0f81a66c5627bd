/** Sets or removes one key at the top of a TOML text where it stands, so that everything else stays as it was written. */
import { stringify } from 'smol-toml';
import type { AgentValue } from '#contract/agent.ts';
import { keyParts, tomlTree } from '../base/toml-tree.ts';
import { afterLine, lineStart, replaceAll } from '../base/replace.ts';

/** `path`: a key, perhaps in a table. Null removes it. Callers must check the result. */
export function editToml(text: string, path: readonly string[], value: AgentValue): string {
  const tree = tomlTree(text);
  const top = tree?.body[0].body ?? [];
  const tables = top.filter((node) => node.type === 'TOMLTable');
  const own = path.length > 1 ? tables.find((node) => isSame(keyParts(node), path.slice(0, -1))) : undefined;
  const pairs = own?.body ?? top.filter((node) => node.type === 'TOMLKeyValue');
  const key = own ? path.slice(-1) : path;
  const known = pairs.findLast((pair) => isSame(keyParts(pair), key));
  if (known) {
    const from = lineStart(text, known.range[0]);
    if (value === null) return replaceAll(text, [{ from, to: afterLine(text, known.range[1]), by: '' }]);
    const [valueFrom, to] = known.value.range;
    // Comments between brackets would be lost: left as it is, the text tells that nothing was changed.
    if (tree?.comments.some(({ range }) => range[0] > valueFrom && range[1] < to)) return text;
    return replaceAll(text, [{ from: valueFrom, to, by: literal(value) }]);
  }
  if (value === null) return text;
  const line = `${key.at(-1)} = ${literal(value)}\n`;
  const insert = (at: number, by: string): string => {
    const gap = at === 0 || text[at - 1] === '\n' ? '' : '\n';
    return replaceAll(text, [{ from: at, to: at, by: `${gap}${by}` }]);
  };
  const last = pairs.at(-1);
  if (path.length > 1 && !own) return insert(text.length, `\n[${path[0]}]\n${line}`);
  if (last) return insert(afterLine(text, last.range[1]), line);
  // Behind the name of its table; a key behind the name of another table would be that one's.
  return insert(own ? afterLine(text, own.key.range[1]) : (top[0]?.range[0] ?? text.length), line);
}

function isSame(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((part, index) => part === b[index]);
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

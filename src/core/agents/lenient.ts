/** Reads frontmatter that is not valid YAML, which is common in other tools' collections: a known key at the start of a line begins a value. */
import type { Entry } from './entries.ts';

/** `keys`: only these begin a value, so that a line such as "Context: …" stays part of a description. Of repeated keys the first counts. */
export function readLenientFrontmatter(frontmatter: string, keys: readonly string[]): Entry[] {
  const found: { key: string; line: number; column: number; lines: string[] }[] = [];
  for (const [index, line] of frontmatter.split('\n').entries()) {
    const [head, key = ''] = /^([A-Za-z][\w-]*):(?=\s|$)/.exec(line) ?? [];
    const begins = head !== undefined && keys.includes(key) && found.every((one) => one.key !== key);
    if (begins) {
      const rest = line.slice(head.length);
      const value = rest.trimStart();
      // Frontmatter begins on the file's second line.
      found.push({ key, line: index + 2, column: line.length - value.length + 1, lines: [value] });
    } else found.at(-1)?.lines.push(line);
  }
  return found.map(({ key, line, column, lines }): Entry => {
    const value = valueOf(lines);
    const valueAt = value === null ? { line, column: 1 } : { line, column };
    const items = Array.isArray(value) ? value.map(() => valueAt) : [];
    return { key, at: { line, column: 1 }, value, valueAt, items };
  });
}

function valueOf(lines: readonly string[]): unknown {
  const [first = '', ...rest] = lines;
  const more = rest.filter((line) => line.trim() !== '');
  if (first === '' && more.length > 0 && more.every((line) => /^\s*- /.test(line)))
    return more.map((line) => unquoted(line.replace(/^\s*- /, '')));
  const marked = /^[|>][+-]?\d?$/.test(first.trim()) ? rest : lines;
  const text = unquoted(marked.map((line) => line.trimEnd()).join('\n'));
  if (text === '') return null;
  if (/^\[[^\]]*\]$/.test(text))
    return text
      .slice(1, -1)
      .split(',')
      .map(unquoted)
      .filter((item) => item !== '');
  if (text === 'true' || text === 'false') return text === 'true';
  return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
}

function unquoted(text: string): string {
  const trimmed = text.trim();
  return /^(["'])([\s\S]*)\1$/.exec(trimmed)?.[2] ?? trimmed;
}

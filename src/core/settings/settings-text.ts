/** Finds and changes one key in the text of a TOML file, so that everything else of it stays as the person wrote it. */

interface Line {
  /** From 0. */
  index: number;
  /** Table that the line stands in. */
  table: readonly string[];
  /** Null for a line that is a table's header. */
  key: readonly string[] | null;
}

/** Line (from 1) of a key, of the nearest table above it where it stands in no line of its own, or 1. */
export function lineOf(text: string, path: readonly string[]): number {
  const lines = scan(text);
  for (let length = path.length; length > 0; length--) {
    const wanted = path.slice(0, length).join('\0');
    const found = lines.find((line) => [...line.table, ...(line.key ?? [])].join('\0') === wanted);
    if (found) return found.index + 1;
  }
  return 1;
}

/** The text with the key set to a literal (already TOML), or without it. Null where only a rewrite could do that. */
export function editKey(text: string, path: readonly string[], literal: string | null): string | null {
  const lines = text.split('\n');
  const known = scan(text);
  const wanted = path.join('\0');
  const at = known.find((line) => line.key && [...line.table, ...line.key].join('\0') === wanted);
  if (at) {
    if (literal === null) lines.splice(at.index, 1);
    else lines[at.index] = replaceValue(lines[at.index]!, literal);
    return lines.join('\n');
  }
  if (literal === null) return null;
  const table = path.slice(0, -1);
  const entry = `${path.at(-1)} = ${literal}`;
  const members = known.filter((line) => line.table.join('\0') === table.join('\0'));
  if (table.length > 0 && members.length === 0) {
    const body = text.trimEnd();
    return `${body}${body ? '\n\n' : ''}[${table.join('.')}]\n${entry}\n`;
  }
  const last = members.at(-1)?.index ?? -1;
  lines.splice(last + 1, 0, entry);
  return lines.join('\n');
}

const KEY = String.raw`(?:[A-Za-z0-9_-]+|"[^"\\\n]*"|'[^'\n]*')`;
const PATH = String.raw`${KEY}(?:[ \t]*\.[ \t]*${KEY})*`;
const HEADER = new RegExp(String.raw`^[ \t]*\[[ \t]*(${PATH})[ \t]*\][ \t]*(?:#.*)?\r?$`);
const ITEM = new RegExp(String.raw`^[ \t]*\[\[[ \t]*(${PATH})[ \t]*\]\][ \t]*(?:#.*)?\r?$`);
const ENTRY = new RegExp(String.raw`^[ \t]*(${PATH})[ \t]*=`);

/**
 * Headers and entries, line by line; the tables of a list are told apart by their index. Values over several lines are
 * not followed: callers verify what they changed.
 */
function scan(text: string): Line[] {
  const found: Line[] = [];
  const items = new Map<string, number>();
  let table: readonly string[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    const item = ITEM.exec(line)?.[1];
    const header = HEADER.exec(line)?.[1];
    const key = ENTRY.exec(line)?.[1];
    if (item !== undefined) {
      const list = parts(item);
      const nth = items.get(list.join('\0')) ?? 0;
      items.set(list.join('\0'), nth + 1);
      table = [...list, String(nth)];
      found.push({ index, table, key: null });
    } else if (header !== undefined) {
      table = parts(header);
      found.push({ index, table, key: null });
    } else if (key !== undefined) {
      found.push({ index, table, key: parts(key) });
    }
  }
  return found;
}

function parts(path: string): string[] {
  return [...path.matchAll(new RegExp(KEY, 'g'))].map(([part]) => part.replace(/^(["'])(.*)\1$/, '$2'));
}

/** Keeps the key, its indentation and a comment behind the value. */
function replaceValue(line: string, literal: string): string {
  const match = /^([^=]*=[ \t]*)(?:"(?:[^"\\]|\\.)*"|'[^']*'|[^#\r]*?)([ \t]*(?:#.*)?\r?)$/.exec(line);
  return match ? `${match[1]}${literal}${match[2]}` : line;
}

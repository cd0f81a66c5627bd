/** Dotted paths of keys, as TOML writes them: a part that is more than a plain word stands in quotes. */

const PART = /^(?:"((?:[^"\\]|\\.)*)"|'([^']*)'|([^."'\s]+))(?:\.|$)/;

/** The parts of a path; null where it is none. */
export function partsOf(path: string): string[] | null {
  const parts: string[] = [];
  let rest = path;
  while (rest !== '') {
    const found = PART.exec(rest);
    if (!found) return null;
    const [whole, quoted, literal, bare] = found;
    const part = quoted === undefined ? (literal ?? bare ?? '') : unescaped(quoted);
    const isOpen = whole.endsWith('.') && whole.length === rest.length;
    if (part === null || isOpen) return null;
    parts.push(part);
    rest = rest.slice(whole.length);
  }
  return parts.length === 0 ? null : parts;
}

/** Returns the path in its shortest form: a part has quotes only if it needs them. Returns a text that is no path unchanged. */
export function normalizePath(path: string): string {
  const parts = partsOf(path);
  return parts === null ? path : dotted(parts);
}

export function dotted(parts: readonly PropertyKey[]): string {
  return parts.map((part) => keyOf(String(part))).join('.');
}

/** One part as it stands in a path, and in a TOML file. */
export function keyOf(key: string): string {
  return /^[\w-]+$/.test(key) ? key : JSON.stringify(key);
}

function unescaped(text: string): string | null {
  try {
    return JSON.parse(`"${text}"`) as string;
  } catch {
    return null;
  }
}

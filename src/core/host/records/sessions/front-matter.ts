/** Front matter: YAML that every reader accepts and that round-trips any value exactly. */
import { Document, Scalar, visit } from 'yaml';

export type Value = string | number | boolean | null | readonly Value[] | { readonly [key: string]: Value };

/** Texts that need no quotes in any version of YAML; all others are quoted. */
const PLAIN = /^[\p{L}\p{N}](?:[\p{L}\p{N} .,:/@+()_-]*[\p{L}\p{N}.)])?$/u;
/** Yes or no in YAML 1.1. */
const OLD_BOOLEAN = /^(?:y|n|yes|no|on|off)$/i;

/** Texts that need no quotes: words, times, and ids and hashes that are not numbers. */
const SIMPLE = [
  /^[A-Za-z](?:[A-Za-z0-9 ./@+_-]*[A-Za-z0-9.])?$/,
  /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/,
  /^(?=[0-9a-f]*[a-df])[0-9a-f]{32}$/,
  /^(?=[0-9a-fA-F-]*[a-df])[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
];
const RESERVED = /^(?:true|false|null)$/i;
const DECIMAL = /^-?\d+(?:\.\d+)?$/;
/** Texts that need double quotes but no escapes, and have no link. */
const NEEDS_NO_ESCAPE = /^[ !#-Z\]-~]*$/;

const isPlainText = (text: string): boolean => PLAIN.test(text) && !OLD_BOOLEAN.test(text);

/** Lines without links of the program: not fields such as `subagent_of`, and not items of lists. */
const NO_LINK = /^(?!\w+_of: | +- ).*$/gm;

export function frontMatter(fields: Readonly<Record<string, Value>>): string {
  const lines = Object.entries(fields).map(([name, value]) => fieldLines(name, value));
  return `---\n${lines.join('') || '{}\n'}---\n`;
}

/** Writes simple fields directly: the library takes a hundred times as long. */
function fieldLines(name: string, value: Value): string {
  if (simpleText(name) !== name) return libraryLines(name, value);
  const simple = simpleText(value);
  if (simple !== null) return `${name}: ${simple}\n`;
  if (Array.isArray(value)) {
    const items = value.map(simpleText);
    if (items.length > 0 && !items.includes(null)) return `${name}:\n${items.map((item) => `  - ${item}\n`).join('')}`;
  }
  return libraryLines(name, value);
}

/** Returns null for a value that needs the library. */
function simpleText(value: Value): string | null {
  if (value === null || typeof value === 'boolean') return String(value);
  if (typeof value === 'number') return DECIMAL.test(String(value)) ? String(value) : null;
  if (typeof value !== 'string') return null;
  const isPlain = isPlainText(value);
  if (!isPlain && NEEDS_NO_ESCAPE.test(value)) return `"${value}"`;
  return isPlain && !RESERVED.test(value) && SIMPLE.some((form) => form.test(value)) ? value : null;
}

function libraryLines(name: string, value: Value): string {
  const document = new Document({ [name]: value });
  visit(document, {
    Scalar: (_, node) => {
      if (typeof node.value !== 'string') return;
      // Double quotes escape: nothing is folded, and lone surrogates are kept.
      if (!isPlainText(node.value)) node.type = Scalar.QUOTE_DOUBLE;
    },
  });
  const yaml = document.toString({ lineWidth: 0, doubleQuotedMinMultiLineLength: Number.MAX_SAFE_INTEGER });
  // The escape has the same value, but a program that reads lines finds no link.
  return yaml.replace(NO_LINK, (line) => line.replaceAll('[[', String.raw`\x5b\x5b`));
}

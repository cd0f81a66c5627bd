/** Markdown with YAML frontmatter: the keys with their places, and the text below. */
import { isMap, isScalar, isSeq, LineCounter, type Node, parseDocument, type YAMLMap } from 'yaml';
import type { Fault } from '#contract/agent.ts';
import { phrase } from '#contract/approvals/phrases.ts';
import { type Entry, fault, type Position, type ReadFile, type ReadKeys, START } from './entries.ts';

export interface SplitFile {
  frontmatter: string;
  body: string;
  bodyLine: number;
}

/** The frontmatter keeps the file's lines: its first line is line 2. Null where there is none. */
export function splitMarkdown(text: string): SplitFile | null {
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/);
  if (lines[0]?.trimEnd() !== '---') return null;
  const end = lines.findIndex((line, index) => index > 0 && line.trimEnd() === '---');
  if (end < 0) return null;
  return {
    frontmatter: lines.slice(1, end).join('\n'),
    body: lines.slice(end + 1).join('\n'),
    bodyLine: Math.min(end + 2, lines.length),
  };
}

/** In code units: what anybody may have written must not take long to read. */
const MAX_FRONTMATTER = 64 * 1024;

export function readMarkdown(text: string): ReadFile {
  const file = splitMarkdown(text);
  if (!file) return unreadable(fault(START, phrase('no_frontmatter')));
  if (file.frontmatter.length > MAX_FRONTMATTER)
    return unreadable(fault(START, phrase('long_frontmatter', { max: MAX_FRONTMATTER / 1024 })));
  const body = { text: file.body.trim(), line: file.bodyLine, column: 1 };
  const read = parseYaml(file.frontmatter);
  if (!('error' in read)) return { ok: true, ...read, body };
  const { errors, others, emptied } = removeWrongValues(file.frontmatter);
  const rest = errors.length === 0 ? read : parseYaml(others);
  return {
    ok: false,
    errors: errors.length === 0 ? [read.error] : errors,
    rest: 'error' in rest ? null : { ...rest, body, emptied },
  };
}

function unreadable(error: Fault): ReadFile {
  return { ok: false, errors: [error], rest: null };
}

/** Maximum number of keys that are read one by one: each of them needs a parse. */
const MAX_SINGLE_KEYS = 500;

/** Returns the syntax errors of keys at the start of a line, and the text without their values. `emptied`: lines of the file. */
function removeWrongValues(frontmatter: string): { errors: Fault[]; others: string; emptied: Set<number> } {
  const lines = frontmatter.split('\n');
  const starts = lines.flatMap((line, index) => (/^[\w-]+:/.test(line) ? [index] : []));
  const emptied = new Set<number>();
  if (starts.length > MAX_SINGLE_KEYS) return { errors: [], others: frontmatter, emptied };
  const errors = starts.flatMap((start, index) => {
    const end = starts[index + 1] ?? lines.length;
    const read = parseYaml(lines.slice(start, end).join('\n'), start);
    if (!('error' in read)) return [];
    lines[start] = `${/^[\w-]+:/.exec(lines[start] ?? '')?.[0]} ""`;
    lines.fill('', start + 1, end);
    for (let line = start; line < end; line++) emptied.add(line + 2);
    return [read.error];
  });
  return { errors, others: lines.join('\n'), emptied };
}

/** `linesAbove`: number of lines of the front matter above the text. */
function parseYaml(text: string, linesAbove = 0): Omit<ReadKeys, 'body'> | { error: Fault } {
  const counter = new LineCounter();
  const document = parseDocument(text, {
    lineCounter: counter,
    prettyErrors: false,
    uniqueKeys: true,
    logLevel: 'error',
  });
  const at = (offset: number): Position => {
    const { line, col } = counter.linePos(offset);
    return { line: Math.max(line, 1) + 1 + linesAbove, column: Math.max(col, 1) };
  };
  const syntax = document.errors.find(({ code }) => code !== 'DUPLICATE_KEY');
  if (syntax) return { error: fault(at(syntax.pos[0]), phrase('bad_yaml', { why: syntax.message })) };
  if (document.contents !== null && !isMap(document.contents))
    return { error: fault({ line: 2, column: 1 }, phrase('frontmatter_no_keys')) };
  const faults = document.errors.map(({ pos: [from] }) => {
    const key = /^[\w.-]*/.exec(text.slice(from))?.[0] || null;
    return fault(at(from), phrase('key_twice', { key: key ?? '' }), { key });
  });
  return { entries: entriesOf(document.contents, at), faults };
}

function entriesOf(map: YAMLMap<Node, Node | null> | null, at: (offset: number) => Position): Entry[] {
  return (map?.items ?? []).map(({ key, value }) => {
    const place = at(key.range?.[0] ?? 0);
    const plain = plainValue(value);
    return {
      key: isScalar(key) ? String(key.value) : null,
      at: place,
      value: plain,
      // An empty value has its place behind the colon, where nothing is to be seen.
      valueAt: plain === null ? place : at(value?.range?.[0] ?? 0),
      items: isSeq<Node>(value) ? value.items.map((item) => at(item.range?.[0] ?? 0)) : [],
    };
  });
}

/** Scalars, lists and maps; what is an alias comes as an empty object, which no key takes. */
function plainValue(node: unknown): unknown {
  if (node === null || node === undefined) return null;
  if (isScalar(node)) return node.value;
  if (isSeq(node)) return node.items.map(plainValue);
  if (!isMap(node)) return {};
  return Object.fromEntries(
    node.items.map(({ key, value }) => [String(isScalar(key) ? key.value : ''), plainValue(value)]),
  );
}

/** Sets or removes one key of YAML frontmatter where it stands, so that comments and all other keys stay as they were written. */
import { Document, isMap, isScalar, isSeq, type Node, parseDocument, type Scalar, type YAMLSeq } from 'yaml';
import type { AgentValue } from '#contract/agent.ts';
import { afterLine, lineStart, replaceAll, type Replacement } from '../base/replace.ts';

/** Null removes the key. Callers must check the result: not every form of YAML is handled. */
export function editYaml(text: string, key: string, value: AgentValue): string {
  const { contents } = parseDocument<Node>(text, { logLevel: 'silent' });
  const pairs = isMap<Scalar, Node | null>(contents) ? contents.items : [];
  const pair = pairs.find((one) => isScalar(one.key) && one.key.value === key);
  if (!pair) {
    if (value === null) return text;
    const last = pairs.at(-1);
    const at = last ? afterLine(text, endOf(text, last.key, last.value)) : text.length;
    return insertLine(text, at, render(key, value));
  }
  const [from, to] = [pair.key.range?.[0] ?? 0, endOf(text, pair.key, pair.value)];
  if (value === null) return replaceAll(text, [{ from: lineStart(text, from), to: afterLine(text, to), by: '' }]);
  const old = pair.value;
  const colon = text.indexOf(':', pair.key.range?.[1] ?? 0) + 1;
  if (Array.isArray(value) && isSeq<Node>(old) && !old.flow) {
    if (value.length > 0) return replaceAll(text, itemChanges(text, old, value));
    const items = { from: afterLine(text, colon), to: afterLine(text, to), by: '' };
    return replaceAll(text, [{ from: colon, to: colon, by: ' []' }, items]);
  }
  // Comments between brackets would be lost: left as it is, the text tells that nothing was changed.
  if (isSeq(old) && /\s#/.test(text.slice(old.range?.[0], to))) return text;
  const isInline = old !== null && !isEmpty(old) && !text.slice(colon, old.range?.[0]).includes('\n');
  const isFollowed = text.slice(to, afterLine(text, to)).trim() !== '';
  const fresh = render(key, value, isFollowed)
    .slice(key.length + 1)
    .trimEnd();
  const start = isInline ? (old.range?.[0] ?? colon) : colon;
  return replaceAll(text, [{ from: start, to: Math.max(start, to), by: isInline ? fresh.trimStart() : fresh }]);
}

function isEmpty(node: Node): boolean {
  return isScalar(node) && node.value === null && node.source === '';
}

/** Where the value ends, before the end of its line. */
function endOf(text: string, key: Scalar, value: Node | null): number {
  const end = value === null || isEmpty(value) ? text.indexOf(':', key.range?.[1] ?? 0) + 1 : value.range?.[1];
  return text.slice(0, end ?? 0).trimEnd().length;
}

/** `key: value` in one line where it can be, and must be where something follows it there. */
function render(key: string, value: AgentValue, oneLine = false): string {
  const document = new Document({});
  document.set(key, document.createNode(value, { flow: true }));
  const isText = typeof value === 'string' && value.includes('\n');
  return document.toString({
    lineWidth: 0,
    flowCollectionPadding: false,
    doubleQuotedMinMultiLineLength: Infinity,
    ...(oneLine && isText ? { defaultStringType: 'QUOTE_DOUBLE', defaultKeyType: 'PLAIN' } : {}),
  });
}

/** Of a list with an item in each line: those that go, and those that come, with the lines of the others left alone. */
function itemChanges(text: string, list: YAMLSeq<Node>, wanted: readonly string[]): Replacement[] {
  const items = list.items.map((node) => {
    const [start = 0, end = 0] = node.range ?? [];
    const from = lineStart(text, start);
    return {
      value: isScalar(node) ? String(node.value) : null,
      from,
      to: afterLine(text, text.slice(0, end).trimEnd().length),
    };
  });
  const first = items[0]?.from ?? 0;
  const indent = /^[ \t]*/.exec(text.slice(first))?.[0] ?? '';
  const kept = items.filter(({ value }) => value !== null && wanted.includes(value));
  const added = wanted.filter((value) => kept.every((item) => item.value !== value));
  const lines = added.map((value) => `${indent}- ${render('x', value, true).slice(3)}`).join('');
  const at = kept.at(-1)?.to ?? first;
  const isOpenEnded = at === text.length && !text.endsWith('\n');
  return [
    ...items.filter((item) => !kept.includes(item)).map(({ from, to }) => ({ from, to, by: '' })),
    ...(lines === '' ? [] : [{ from: at, to: at, by: isOpenEnded ? `\n${lines.trimEnd()}` : lines }]),
  ];
}

function insertLine(text: string, at: number, line: string): string {
  const before = text.slice(0, at);
  const gap = before === '' || before.endsWith('\n') ? '' : '\n';
  return `${before}${gap}${line}${text.slice(at)}`;
}

// Each language sets its own colon: French puts a space before it. So no screen joins two texts by one of its own.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'svelte/compiler';
import { expect, it } from 'vitest';

const LIB = join(import.meta.dirname, '../../../src/lib');
/** What is written as JSON is, in every language. */
const NOTATION: ReadonlySet<string> = new Set(['ui/json-tree.svelte']);

type Node = Readonly<Record<string, unknown>>;
const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null;
const TEXTS: ReadonlySet<unknown> = new Set(['ExpressionTag', 'Component', 'RenderTag', 'RegularElement']);

/** Colons between what is shown and what follows: in markup, in an attribute that is no style, in a template of a script. */
function joints(node: unknown): string[] {
  if (Array.isArray(node)) {
    const here = node.flatMap((one: unknown, index) => {
      const before: unknown = node[index - 1];
      if (!isNode(one) || one['type'] !== 'Text' || !isNode(before) || !TEXTS.has(before['type'])) return [];
      const after: unknown = node[index + 1];
      // As in a name of two parts: `server:name`.
      const isInside = isNode(after) && after['type'] === 'ExpressionTag';
      return (isInside ? /^\s*:\s/ : /^\s*:(?:\s|$)/).test(String(one['data']))
        ? [`…${String(one['data']).trim()}`]
        : [];
    });
    return [...here, ...node.flatMap(joints)];
  }
  if (!isNode(node) || (node['type'] === 'Attribute' && node['name'] === 'style')) return [];
  const quasis = node['type'] === 'TemplateLiteral' ? (node['quasis'] as { value: { raw: string } }[]) : [];
  const written = quasis.slice(1).flatMap(({ value }) => (/^:\s/.test(value.raw) ? [`\${…}${value.raw}`] : []));
  const below = Object.entries(node).flatMap(([key, value]) => (key === 'css' ? [] : joints(value)));
  return [...written, ...below];
}

/** To parse takes long: only what may have one, beside the types of what is destructured. */
const mayHave = (source: string): boolean => /[}>]\s*:[\s<"`]/.test(source.replaceAll(/\}: (?:Props\b|\{ )/g, ''));
const jointsIn = (source: string): string[] => (mayHave(source) ? joints(parse(source, { modern: true })) : []);

it('no component joins two texts with a literal colon', () => {
  const found = readdirSync(LIB, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.svelte') && !NOTATION.has(file))
    .flatMap((file) => jointsIn(readFileSync(join(LIB, file), 'utf8')).map((joint) => `${file}: ${joint}`));
  expect(found).toEqual([]);
});

it('the check finds a literal colon in markup, attributes and scripts', () => {
  expect(jointsIn('{a}: {b}')).toHaveLength(1);
  expect(jointsIn('<b>{a}</b>: {b}')).toHaveLength(1);
  expect(jointsIn('<Revealed text={a} />: {b}')).toHaveLength(1);
  expect(jointsIn('<p aria-label="{a}: {b}"></p>')).toHaveLength(1);
  expect(jointsIn('<p title={`${a}: ${b}`}></p>')).toHaveLength(1);
  expect(jointsIn('<script>const a = (b) => `${b}: `;</script>')).toHaveLength(1);
  expect(jointsIn('<p style="left: {a}px; right: {b}">/{a}:{b}{a}{text.colon} {b}</p>')).toEqual([]);
});

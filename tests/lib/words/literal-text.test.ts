// No text stands in the markup of a component: it would be English for every reader. It belongs in src/lib/words.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'svelte/compiler';
import { expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../../..');
/** Attributes that are read, or read out. */
const READ = /^(?:alt|title|placeholder|label|aria-(?:label|description|placeholder|roledescription|valuetext))$/;
/** Two letters or more are a word; a name, a unit or an address is the same in any language. */
const WORD = /\p{L}{2}/u;
const NAMES = /^(?:Triad|ollama|https?:\/\/\S*)$/;
/** Of the project's own components any prop may be shown: what has words apart, or begins one with a capital letter, is no name of a choice. */
const SAID = /\p{L}\s+\p{L}|(?<!\p{L})\p{Lu}/u;
/** Props that are no words. */
const UNREAD = /^(?:class|style|id|href)$/;

interface Node {
  type: string;
  [key: string]: unknown;
}
const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && 'type' in value;
const isText = (value: unknown): value is string =>
  typeof value === 'string' && WORD.test(value) && !NAMES.test(value.trim());

/** The texts of an expression that is shown: not what it calls, compares or reads. */
function shownBy(expression: unknown): string[] {
  if (!isNode(expression)) return [];
  const of = (...keys: string[]): string[] => keys.flatMap((key) => shownBy(expression[key]));
  switch (expression.type) {
    case 'Literal':
      return isText(expression['value']) ? [expression['value']] : [];
    case 'TemplateLiteral':
      return [
        ...(expression['quasis'] as Node[]).map(({ value }) => (value as { cooked: string }).cooked).filter(isText),
      ].concat((expression['expressions'] as unknown[]).flatMap(shownBy));
    case 'ConditionalExpression':
      return of('consequent', 'alternate');
    case 'LogicalExpression':
    case 'BinaryExpression':
      return expression['operator'] === '&&'
        ? of('right')
        : /^(?:\+|\?\?|\|\|)$/.test(String(expression['operator']))
          ? of('left', 'right')
          : [];
    default:
      return [];
  }
}

/** What a prop of a component says literally. */
function propLiterals(prop: Node): string[] {
  if (prop.type !== 'Attribute' || READ.test(String(prop['name']))) return literalsIn(prop);
  if (UNREAD.test(String(prop['name']))) return [];
  const value = prop['value'];
  const parts = Array.isArray(value) ? (value as unknown[]) : [value];
  return parts
    .flatMap((part) => (isNode(part) && part.type === 'Text' ? [String(part['data'])] : literalsIn(part)))
    .filter((one) => isText(one) && SAID.test(one));
}

/** What a part of the markup shows literally. */
function literalsIn(node: unknown): string[] {
  if (Array.isArray(node)) return node.flatMap(literalsIn);
  if (!isNode(node)) return typeof node === 'object' && node !== null ? Object.values(node).flatMap(literalsIn) : [];
  if (node.type === 'Text') return isText(node['data']) ? [node['data'].trim()] : [];
  if (node.type === 'ExpressionTag') return shownBy(node['expression']);
  if (node.type === 'Attribute') return READ.test(String(node['name'])) ? literalsIn(node['value']) : [];
  if (node.type === 'Component')
    return [...(node['attributes'] as Node[]).flatMap(propLiterals), ...literalsIn(node['fragment'])];
  if (/Directive$|^(?:SpreadAttribute|AttachTag|ConstTag|Comment|StyleSheet|Script)$/.test(node.type)) return [];
  return Object.values(node).flatMap(literalsIn);
}

const literalsOf = (source: string): string[] => literalsIn(parse(source, { modern: true }).fragment);

it('no component contains literal text', () => {
  const found = globSync('src/{lib,routes}/**/*.svelte', { cwd: ROOT }).flatMap((path) =>
    literalsOf(readFileSync(join(ROOT, path), 'utf8')).map((one) => `${path}: ${one}`),
  );
  expect(found).toEqual([]);
});

it('the check finds literal text in markup, attributes and props', () => {
  for (const markup of [
    '<p>Nothing here</p>',
    '<button aria-label="Close">×</button>',
    '<input placeholder={busy ? "Wait" : words.find} />',
    '{#if busy}<b>Busy</b>{/if}',
    '{#each all as one}{one ?? "none"}{/each}',
    '<p>{`Value of ${name}`}</p>',
    '<SidePanel close="Close" {id} />',
    '<Note tone={bad ? "Bad" : "good"} />',
    '<Field label="Name">{#snippet children()}x{/snippet}</Field>',
  ])
    expect(literalsOf(markup), markup).toHaveLength(1);
  for (const markup of [
    '<p class="text-soft">{words.none} · 3 / {all}</p>',
    '<input type="text" aria-hidden="true" title={words.of("name")} />',
    '<Panel class="w Full" side="left" onclick={() => go("To here")} />',
    '{#if state === "open"}{words[state]}{/if}',
    '<p title={names.join(", ")} data-state="open">→</p>',
  ])
    expect(literalsOf(markup), markup).toEqual([]);
});

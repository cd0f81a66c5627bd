/** What agents hand to each other: the fixed reason as any schema takes it, and answers held against schemas that anybody wrote. */
import { expect, test } from 'vitest';
import type { JsonSchema } from '#contract/flows/control-flow.ts';
import { chainedReason, payloadOf, reasonFault } from '#core/agents/contracts.ts';
import { schemaFault } from '#core/agents/schemas.ts';

const held = (schema: JsonSchema | null, text: string, reason?: string) =>
  payloadOf({ format: 'json', schema, ...(reason === undefined ? {} : { reason }) }, text);
const why = (schema: JsonSchema | null, text: string) => {
  const result = held(schema, text);
  return result.ok ? result.payload : result.why;
};

test('the fixed reason of a chain stage names the agent before it', () => {
  const schema = { properties: { reason: true } };
  const reasons = ['a', 'b', 'a'].map((from) => chainedReason({ ...schema }, from));
  expect(reasons).toEqual(['a', 'b', 'a'].map((name) => `Chained execution from agent__${name}`));
});

test.for<[unknown, string | null]>([
  [{}, 'Chained execution from agent__a_b'],
  [true, 'Chained execution from agent__a_b'],
  [{ type: 'string', maxLength: 8 }, 'Chained '],
  [{ maxLength: 0 }, ''],
  [{ minLength: 36 }, 'Chained execution from agent__a_b...'],
  [{ enum: ['x', 'Chained execution from agent__a_b'] }, 'Chained execution from agent__a_b'],
  [{ enum: [1, 'handed on', 'x'] }, 'handed on'],
  [{ const: 'chain' }, 'chain'],
  [{ type: ['string', 'null'], pattern: '^Chained' }, 'Chained execution from agent__a_b'],
  [{ $ref: '#/$defs/why' }, 'Chained execution from agent__a_b'],
  [{ type: 'number' }, null],
  [{ enum: [1, null] }, null],
  [{ const: 7 }, null],
  [{ pattern: '^because' }, null],
  [{ maxLength: 3, pattern: '.{5}' }, null],
  [{ format: 'date' }, null],
  [{ minLength: 1e9 }, null],
  [false, null],
])('the fixed reason is adapted to the schema %j: %s', ([reason, expected]) => {
  const schema = { properties: { reason }, required: ['reason'], $defs: { why: { type: 'string' } } };
  expect(chainedReason(schema, 'a b')).toBe(expected);
  expect(reasonFault(schema, 'a b') === null).toBe(expected !== null);
  if (expected !== null)
    expect(held(schema, '{}', expected)).toEqual({ ok: true, payload: JSON.stringify({ reason: expected }) });
});

test('a reason replaces any other where the schema requires or allows it, and is added nowhere else', () => {
  expect(chainedReason({ required: ['reason'] }, 'a')).toBe('Chained execution from agent__a');
  expect(chainedReason({ properties: { why: {} } }, 'a')).toBeNull();
  expect(chainedReason(null, 'a')).toBeNull();
  expect(reasonFault({ properties: { reason: false } }, 'a'), 'it may be left out').toBeNull();
  expect(held(null, '{"a":1,"reason":"mine"}', 'fixed')).toEqual({ ok: true, payload: '{"a":1,"reason":"fixed"}' });
  expect(held(null, '[1]', 'fixed')).toEqual({ ok: true, payload: '[1]' });
});

test('a code fence around the whole payload is removed, and nothing else is repaired', () => {
  expect(why(null, '```json\n{"a": 1}\n```\n')).toBe('{"a":1}');
  expect(why(null, ' "```" ')).toBe('"```"');
  expect(why(null, 'Here it is: {"a": 1}')).toMatch(/^it is not JSON: /);
  expect(why(null, '{"a": 1,}')).toMatch(/^it is not JSON: /);
  expect(why(null, ' \n')).toBe('it is empty');
  expect(payloadOf({ format: 'text', schema: null }, ' as it is ')).toEqual({ ok: true, payload: ' as it is ' });
});

test('a schema violation is reported with its path', () => {
  const schema = {
    type: 'object',
    required: ['a', 'constructor'],
    additionalProperties: false,
    properties: { a: { type: 'array', items: { enum: ['x', 'y'] } }, constructor: {} },
  };
  expect(why(schema, '{"a":["x","z"],"b":1}')).toBe(
    'it does not fit the schema: the value must have required property \'constructor\'; the value must NOT have additional properties ("b"); /a/1 must be equal to one of the allowed values (["x","y"])',
  );
  expect(why({ type: 'array', items: { type: 'string' } }, JSON.stringify(Array(50).fill(1)))).toMatch(
    /; and 40 more$/,
  );
});

test('drafts 7 and 2020 of JSON Schema work, also with a repeated id and with formats', () => {
  const old = {
    $schema: 'http://json-schema.org/draft-07/schema#',
    $id: 'x',
    items: [{ type: 'string' }],
    type: 'array',
  };
  const fresh = { $id: 'x', prefixItems: [{ type: 'string', format: 'date' }], type: 'array' };
  expect([why(old, '["a"]'), why(fresh, '["2026-01-31"]')]).toEqual(['["a"]', '["2026-01-31"]']);
  expect([why(old, '[1]'), why(fresh, '["a"]')]).toEqual([
    'it does not fit the schema: /0 must be string',
    'it does not fit the schema: /0 must match format "date"',
  ]);
});

test('slow patterns, deep nesting and huge payloads are rejected quickly', () => {
  const slow = { properties: { a: { type: 'string', pattern: '^(a+)+$' } } };
  const begun = process.threadCpuUsage();
  expect(why(slow, `{"a":"${'a'.repeat(50)}b"}`)).toBe('it does not fit the schema: it takes too long to check');
  expect(why(null, '['.repeat(100_000))).toBe('its lists and objects lie in each other more than 200 deep');
  expect(why(null, `"${'a'.repeat(1_000_000)}"`)).toBe('it has 1000002 characters, and JSON may have 1000000');
  const { user, system } = process.threadCpuUsage(begun);
  expect((user + system) / 1000).toBeLessThan(400);
  expect(why(slow, '{"a":"aaa"}')).toBe('{"a":"aaa"}');
});

test('rejects an asynchronous schema, which every payload would seem to match', () => {
  const later = { $async: true, type: 'object', required: ['facts'] };
  for (const schema of [later, { ...later, $schema: 'http://json-schema.org/draft-07/schema#' }]) {
    expect(schemaFault(schema)?.key).toBe('async_schema');
    expect(held(schema, '{}').ok).toBe(false);
  }
});

test('a schema that is recursive without end or nested too deeply is reported without an exception', () => {
  // What ends first on a busy machine: the stack, or its time.
  expect(why({ allOf: [{ $ref: '#' }] }, '{}')).toMatch(
    /^it does not fit the schema: it (cannot be checked: Maximum call stack size exceeded|takes too long to check)$/,
  );
  const circle = { allOf: [{ $ref: '#/properties/reason' }] };
  expect(reasonFault({ properties: { reason: circle }, required: ['reason'] }, 'a')?.key).toBe('reason_unfit');
  let deep: JsonSchema = {};
  for (let depth = 0; depth < 50_000; depth++) deep = { not: deep };
  expect(schemaFault(deep)?.key).toBe('too_deep');
});

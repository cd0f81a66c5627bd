// Tool calls as they are streamed: whole, without arguments, malformed, and cut off by the limit of tokens.
import { expect, test } from 'vitest';
import { exchange, partsOf } from '../../support/fake-model/exchange.ts';
import { text, toolUse } from '../../support/fake-model/script.ts';

const INPUT = { path: 'a/ä.md', content: 'line 1\nline "2"' };

test('emits arguments as deltas with their call, then the whole call', async () => {
  const streamed = await exchange([text('I write.'), toolUse('write_file', INPUT, { id: 'toolu_1', deltas: 5 })]);
  const deltas = streamed.events.filter((event) => event.type === 'delta' && event.kind === 'tool');
  // First the name, before any arguments.
  expect(deltas).toHaveLength(6);
  expect(deltas[0]).toMatchObject({ text: '' });
  for (const delta of deltas) expect(delta).toMatchObject({ part: 1, toolCallId: 'toolu_1', name: 'write_file' });
  expect(JSON.parse(deltas.map((delta) => ('text' in delta ? delta.text : '')).join(''))).toEqual(INPUT);
  expect(partsOf(streamed)[1]).toEqual({ type: 'tool_use', id: 'toolu_1', name: 'write_file', input: INPUT });
  expect(streamed.events.at(-1)).toEqual({ type: 'end', stopReason: 'tool_use' });
});

test('a call is complete before the response ends', async () => {
  const { events } = await exchange([toolUse('glob', { pattern: '*' }), text('and more words')]);
  const types = events.map((event) => event.type);
  const words = events.findIndex((event) => event.type === 'delta' && event.kind === 'text');
  expect(types.indexOf('part')).toBeLessThan(words);
});

test('missing arguments become an empty object', async () => {
  const calls = [
    toolUse('list_children', {}, { id: 'a', raw: '' }),
    toolUse('list_children', {}, { id: 'b', raw: '' }),
  ];
  expect(partsOf(await exchange(calls))).toEqual([
    { type: 'tool_use', id: 'a', name: 'list_children', input: {} },
    { type: 'tool_use', id: 'b', name: 'list_children', input: {} },
  ]);
});

test('arguments that are not JSON are kept as text, and the response still ends', async () => {
  const streamed = await exchange([toolUse('glob', null, { id: 'a', raw: '{"pattern": *.ts}', deltas: 3 }), text('x')]);
  expect(streamed.error).toBeNull();
  expect(partsOf(streamed)).toEqual([
    { type: 'tool_use', id: 'a', name: 'glob', input: {}, malformed: '{"pattern": *.ts}' },
    { type: 'text', text: 'x' },
  ]);
});

test.for(['{"path": "a.md", "content": "half a li', ''])(
  'arguments cut off by max_tokens are malformed: %j',
  async (raw) => {
    const streamed = await exchange([toolUse('write_file', null, { id: 'a', raw })], {
      stopReason: 'max_tokens',
    });
    expect(partsOf(streamed)).toEqual([{ type: 'tool_use', id: 'a', name: 'write_file', input: {}, malformed: raw }]);
    expect(streamed.events.at(-1)).toEqual({ type: 'end', stopReason: 'max_tokens' });
  },
);

test('a connection that breaks within a call yields no call', async () => {
  const streamed = await exchange([text('x'), toolUse('write_file', INPUT, { deltas: 6 })], { cutAfter: 7 });
  expect(partsOf(streamed)).toEqual([{ type: 'text', text: 'x' }]);
  expect(streamed.error).toMatchObject({ code: 'unreachable', retryable: true });
});

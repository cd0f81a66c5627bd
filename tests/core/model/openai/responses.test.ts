// What answers of OpenAI-compatible servers become, with what they leave out, repeat, or say in their own way.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { ModelEvent } from '#core/model/model.ts';
import { attempt, exchange, modelFor, partsOf, type Streamed } from '../../../support/fake-model/exchange.ts';
import { text, thinking, toolUse } from '../../../support/fake-model/script.ts';

/** What comes of such events. */
async function streamed(api: 'chat' | 'responses', events: readonly object[]): Promise<Streamed> {
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close().closeAllConnections());
  const { port } = server.address() as AddressInfo;
  return attempt(modelFor(api, `http://127.0.0.1:${port}`));
}

/** Chunks with these deltas, and the reason of the end. */
const chat = (deltas: object[], finish_reason: string | null = 'stop', usage?: object): Promise<Streamed> =>
  streamed('chat', [
    ...deltas.map((delta) => ({ id: 'c', choices: [{ index: 0, delta, finish_reason: null }] })),
    { id: 'c', choices: [{ index: 0, delta: {}, finish_reason }] },
    ...(usage ? [{ id: 'c', choices: [], usage }] : []),
  ]);

const calls = (...all: object[]): object => ({ tool_calls: all });
const fn = (name: string | undefined, args: unknown): object => ({
  function: { ...(name ? { name } : {}), arguments: args },
});
const callsIn = (answer: Streamed): unknown[] =>
  (partsOf(answer) as { type: string; name?: string; input?: unknown }[]).flatMap((part) =>
    part.type === 'tool_use' ? [[part.name, part.input]] : [],
  );
const stopOf = ({ events }: Streamed): unknown =>
  events.flatMap((event) => (event.type === 'end' ? [event.stopReason] : []));
const TWO = [
  ['f', { a: 1 }],
  ['g', { b: 2 }],
];

describe('tool calls of Chat Completions', () => {
  test.for<[string, object[]]>([
    [
      'with one index each',
      [
        calls({ index: 0, id: 'x', ...fn('f', '{"a"') }, { index: 1, id: 'y', ...fn('g', '{"b":2}') }),
        calls({ index: 0, ...fn(undefined, ':1}') }),
      ],
    ],
    [
      'with the same index',
      [calls({ index: 0, id: 'x', ...fn('f', '{"a":1}') }), calls({ index: 0, id: 'y', ...fn('g', '{"b":2}') })],
    ],
    [
      'with the same index and no ids',
      [calls({ index: 0, ...fn('f', '{"a":1}') }), calls({ index: 0, ...fn('g', '{"b":2}') })],
    ],
    [
      'without an index',
      [
        calls({ id: 'x', ...fn('f', '{"a":') }),
        calls({ ...fn(undefined, '1}') }),
        calls({ id: 'y', ...fn('g', '{"b":2}') }),
      ],
    ],
    [
      'with empty ids',
      [calls({ index: 0, id: '', ...fn('f', '{"a":1}') }, { index: 1, id: '', ...fn('g', '{"b":2}') })],
    ],
    [
      'with arguments that are objects',
      [calls({ index: 0, id: 'x', ...fn('f', { a: 1 }) }, { index: 1, id: 'y', ...fn('g', { b: 2 }) })],
    ],
    [
      'with the name in each piece',
      [
        calls({ index: 0, id: 'x', ...fn('f', '{"a"') }),
        calls({ index: 0, id: 'x', ...fn('f', ':1}') }),
        calls({ index: 1, id: 'y', ...fn('g', '{"b":2}') }),
      ],
    ],
    [
      'sent twice',
      [
        calls({ index: 0, id: 'x', ...fn('f', '{"a":1}') }, { index: 1, id: 'y', ...fn('g', '{"b":2}') }),
        calls({ index: 0, id: 'x', ...fn('f', '{"a":1}') }),
      ],
    ],
  ])('are read completely %s', async ([, deltas]) => {
    const answer = await chat(deltas);
    expect(answer.error).toBeNull();
    expect(callsIn(answer)).toEqual(TWO);
    // Servers say "stop" also where they call.
    expect(stopOf(answer)).toEqual(['tool_use']);
    const ids = (partsOf(answer) as { id: string }[]).map(({ id }) => id);
    expect(new Set(ids).size).toBe(2);
    expect(ids.every((id) => id !== '')).toBe(true);
  });

  test('are kept apart if several have one id', async () => {
    const [f, g] = [fn('f', '{"a":1}'), fn('g', '{"b":2}')];
    const ways = [
      [calls({ index: 0, id: 'x', ...f }), calls({ index: 1, id: 'x', ...g })],
      [calls({ id: 'x', ...f }, { id: 'x', ...g })],
      [
        calls({ index: 0, id: 'x', ...fn('f', '') }),
        calls({ index: 0, id: 'x', ...fn(undefined, '{"a":1}') }, { index: 1, id: 'x', ...g }),
      ],
    ];
    for (const deltas of ways) expect(callsIn(await chat(deltas))).toEqual(TWO);
    const twice = [calls({ index: 0, id: 'f', ...f }), calls({ index: 1, id: 'f', ...f })];
    expect(callsIn(await chat(twice))).toEqual([TWO[0], TWO[0]]);
  });

  test('are also read from the old function_call field', async () => {
    expect(callsIn(await chat([{ function_call: { name: 'f', arguments: '{"a":1}' } }], 'function_call'))).toEqual([
      TWO[0],
    ]);
  });
});

test.for(['chat', 'responses'] as const)('%s: arguments that are no JSON or cut off are kept as text', async (api) => {
  const broken = await exchange([toolUse('f', {}, { id: 'c', raw: '{"a": *}' })], {}, api);
  expect(partsOf(broken)).toEqual([{ type: 'tool_use', id: 'c', name: 'f', input: {}, malformed: '{"a": *}' }]);
  for (const raw of ['{"a', '']) {
    const cut = await exchange([toolUse('f', {}, { id: 'c', raw })], { stopReason: 'max_tokens' }, api);
    expect(partsOf(cut)).toEqual([{ type: 'tool_use', id: 'c', name: 'f', input: {}, malformed: raw }]);
    expect(stopOf(cut)).toEqual(['max_tokens']);
  }
  expect(callsIn(await exchange([toolUse('f', {}, { id: 'c', raw: '' })], {}, api))).toEqual([['f', {}]]);
});

test.for(['chat', 'responses'] as const)(
  '%s: emits thinking and text in order, with all classes of tokens',
  async (api) => {
    const usage = { input: 70, cacheRead: 30, output: 20, thinking: 5 };
    const answer = await exchange([thinking('Hm.', { deltas: 2 }), text('Yes.', { deltas: 2 })], { usage }, api);
    expect(partsOf(answer)).toMatchObject([
      { type: 'thinking', text: 'Hm.', signature: expect.stringMatching(`^openai:${api}:local:`) as unknown },
      { type: 'text', text: 'Yes.' },
    ]);
    expect(answer.events.filter(({ type }) => type === 'usage')).toEqual([
      {
        type: 'usage',
        usage: {
          inputTokens: 70,
          cacheReadTokens: 30,
          cacheWrite5mTokens: 0,
          cacheWrite1hTokens: 0,
          outputTokens: 20,
          thinkingTokens: 5,
        },
      },
    ]);
    expect(answer.events[0]).toEqual({
      type: 'start',
      responseId: expect.stringMatching(/^(chatcmpl|resp)/) as unknown,
    });
  },
);

test('reads reasoning sent under two names once, and adds reasoning tokens counted beside the output', async () => {
  const answer = await chat(
    [
      { reasoning: 'Hm.', reasoning_content: 'Hm.' },
      { reasoning: 'So.' },
      { content: [{ type: 'text', text: 'Yes.' }] },
    ],
    'stop',
    { prompt_tokens: 10, completion_tokens: 4, total_tokens: 17, completion_tokens_details: { reasoning_tokens: 3 } },
  );
  expect(partsOf(answer)).toMatchObject([{ text: 'Hm.So.' }, { text: 'Yes.' }]);
  const usage = answer.events.find((event): event is Extract<ModelEvent, { type: 'usage' }> => event.type === 'usage');
  expect(usage?.usage).toMatchObject({ outputTokens: 7, thinkingTokens: 3 });
});

test.for([
  ['a part of it at the beginning', [10, 0], null],
  ['nothing with the end', null, [0, 0]],
  ['all but the last word', [100, 1], [100, 19]],
] as const)('uses the complete token count after the end: %s', async ([, early, atEnd]) => {
  const usage = (of: readonly [number, number] | null) =>
    of && { usage: { prompt_tokens: of[0], completion_tokens: of[1] } };
  const answer = await streamed('chat', [
    { id: 'c', choices: [{ index: 0, delta: { content: 'Hi' } }], ...usage(early) },
    { id: 'c', choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], ...usage(atEnd) },
    { id: 'c', choices: [], ...usage([100, 20]) },
  ]);
  const counted = answer.events.filter(({ type }) => type === 'usage');
  expect(counted.at(-1)).toMatchObject({ usage: { inputTokens: 100, outputTokens: 20 } });
  expect(stopOf(answer)).toEqual(['end_turn']);
});

test('subtracts cached tokens from the input, and reads only the first of several choices', async () => {
  const usage = {
    prompt_tokens: 100,
    completion_tokens: 2,
    prompt_tokens_details: { cached_tokens: 30, cache_write_tokens: 20 },
  };
  const answer = await streamed('chat', [
    {
      id: 'c',
      choices: [
        { index: 1, delta: { content: 'No' } },
        { index: 0, delta: { content: 'Yes' } },
      ],
    },
    { id: 'c', choices: [{ index: 1, delta: {}, finish_reason: 'length' }] },
    { id: 'c', choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], usage },
  ]);
  expect(partsOf(answer)).toEqual([{ type: 'text', text: 'Yes' }]);
  expect(stopOf(answer)).toEqual(['end_turn']);
  expect(answer.events.find(({ type }) => type === 'usage')).toMatchObject({
    usage: { inputTokens: 50, cacheReadTokens: 30, cacheWrite5mTokens: 20 },
  });
});

test('reports a miscount if more tokens come from the cache than the input has', async () => {
  const answer = await chat([{ content: 'x' }], 'stop', {
    prompt_tokens: 5,
    completion_tokens: 1,
    prompt_tokens_details: { cached_tokens: 9 },
  });
  expect(answer.events).toContainEqual({ type: 'miscount', count: 'prompt_tokens: 5, of them 9 from the cache' });
});

describe('end of a response', () => {
  test.for([
    ['stop', 'end_turn'],
    ['length', 'max_tokens'],
    ['content_filter', 'refusal'],
    ['model_length', 'context_exceeded'],
  ])('chat: the finish reason %s becomes the stop reason %s', async ([reason, stop]) => {
    expect(stopOf(await chat([{ content: 'x' }], reason))).toEqual([stop]);
  });

  test('a refusal becomes the stop reason refusal, with its text', async () => {
    expect(stopOf(await chat([{ refusal: 'I will not.' }]))).toEqual(['refusal']);
    const refused = { type: 'message', content: [{ type: 'refusal', refusal: 'I will not.' }] };
    const answer = await streamed('responses', [
      { type: 'response.completed', response: { id: 'r', output: [refused] } },
    ]);
    expect(partsOf(answer)).toEqual([{ type: 'text', text: 'I will not.' }]);
    expect(stopOf(answer)).toEqual(['refusal']);
  });

  test.for(['chat', 'responses'] as const)(
    '%s: an unknown finish reason is an error that is not retried',
    async (api) => {
      const { error } = await exchange([text('x')], { stopReason: 'solar_flare' }, api);
      expect(error).toMatchObject({ name: 'UnknownStop', retryable: false });
      expect(error?.message).toContain('"solar_flare"');
    },
  );

  test('a response that the server aborted can be retried', async () => {
    expect((await chat([{ content: 'x' }], 'abort')).error).toMatchObject({ code: 'provider', retryable: true });
    const failed = { type: 'response.failed', response: { error: { code: 'rate_limit_exceeded', message: 'slow' } } };
    const late = { ...failed, type: 'response.completed', response: { ...failed.response, status: 'failed' } };
    for (const one of [failed, late])
      expect((await streamed('responses', [one])).error).toMatchObject({ code: 'rate_limited', retryable: true });
  });
});

test('marks a call cut off by the token limit as malformed', async () => {
  const item = { type: 'function_call', call_id: 'c', name: 'f', arguments: '' };
  const incomplete_details = { reason: 'max_output_tokens' };
  const answer = await streamed('responses', [
    { type: 'response.output_item.added', output_index: 0, item },
    { type: 'response.incomplete', response: { id: 'r', output: [item], incomplete_details } },
  ]);
  expect(partsOf(answer)).toEqual([{ type: 'tool_use', id: 'c', name: 'f', input: {}, malformed: '' }]);
});

test('reads a response whose content comes only with its end', async () => {
  const output = [
    { type: 'message', content: [{ type: 'output_text', text: 'Hi.' }] },
    { type: 'function_call', call_id: 'c', name: 'f', arguments: '{"a":1}' },
  ];
  const answer = await streamed('responses', [{ type: 'response.completed', response: { id: 'r', output } }]);
  expect(partsOf(answer)).toEqual([
    { type: 'text', text: 'Hi.' },
    { type: 'tool_use', id: 'c', name: 'f', input: { a: 1 } },
  ]);
});

test('reads items without index, with a repeated index or with a changed index exactly once', async () => {
  const call = (id: string, args = '') => ({
    type: 'function_call',
    id: `i${id}`,
    call_id: id,
    name: 'f',
    arguments: args,
  });
  const said = { type: 'message', id: 'm', content: [{ type: 'output_text', text: 'Hello' }] };
  const [one, two] = [call('c1', '{"a":1}'), call('c2', '{"a":2}')];
  const item = (what: 'added' | 'done', of: object, output_index?: number) => ({
    type: `response.output_item.${what}`,
    item: of,
    ...(output_index !== undefined && { output_index }),
  });
  const end = (output: object[]) => ({ type: 'response.completed', response: { id: 'r', output } });
  const delta = (of: string, words: string, more: object) => ({ type: `response.${of}.delta`, delta: words, ...more });
  const textOf = (id: object) => ['Hel', 'lo'].map((words) => delta('output_text', words, id));
  const ways = [
    [
      ...[item('added', said), ...textOf({ item_id: 'm' }), item('done', said), item('added', call('c1'))],
      ...[delta('function_call_arguments', '{"a":1}', { item_id: 'ic1' }), item('done', one), item('done', two)],
      end([said, one, two]),
    ],
    [...textOf({}), item('done', one), item('done', two), end([])],
    [
      ...textOf({ output_index: 0 }),
      ...[one, two].flatMap((of) => [item('added', of, 1), item('done', of, 1)]),
      end([]),
    ],
    [
      ...[said, one, two].map((of, at) => item('done', of, at)),
      end([{ type: 'web_search_call', id: 'w' }, said, one, two]),
    ],
  ];
  for (const events of ways) {
    const answer = await streamed('responses', events);
    expect(partsOf(answer)).toEqual([
      { type: 'text', text: 'Hello' },
      { type: 'tool_use', id: 'c1', name: 'f', input: { a: 1 } },
      { type: 'tool_use', id: 'c2', name: 'f', input: { a: 2 } },
    ]);
  }
});

test('thinking without encrypted content has no signature', async () => {
  const item = { type: 'reasoning', id: 'rs', summary: [{ text: 'a' }, { text: 'b' }] };
  const answer = await streamed('responses', [{ type: 'response.completed', response: { id: 'r', output: [item] } }]);
  expect(partsOf(answer)).toEqual([{ type: 'thinking', text: 'a\n\nb', signature: null }]);
});

test('counts an event with a repeated sequence number once', async () => {
  const delta = { type: 'response.output_text.delta', output_index: 0, delta: 'ha' };
  const events = [1, 2].map((sequence_number) => ({ ...delta, sequence_number }));
  const end = { type: 'response.completed', response: { id: 'r', output: [] }, sequence_number: 3 };
  const answer = await streamed(
    'responses',
    [...events, end].flatMap((event) => [event, event]),
  );
  expect(partsOf(answer)).toEqual([{ type: 'text', text: 'haha' }]);
});

// What one streamed response becomes: events in order, every kind of block, stop reasons, all classes of tokens.
import { describe, expect, test } from 'vitest';
import { StopReason } from '#contract/message.ts';
import { ResponseReader } from '#core/model/anthropic-response.ts';
import { answering, exchange, partsOf, requestOf, serve } from '../../support/fake-model/exchange.ts';
import { text, thinking, toolUse } from '../../support/fake-model/script.ts';

describe('order of events', () => {
  test('emits start, usage, each part after its deltas, usage and end', async () => {
    const { events, error } = await exchange([text('Hello there', { deltas: 2 }), text('Bye')]);
    expect(error).toBeNull();
    expect(events.map((event) => (event.type === 'delta' ? `${event.type} ${event.text}` : event.type))).toEqual([
      'start',
      'usage',
      'delta Hello',
      'delta  there',
      'part',
      'delta Bye',
      'part',
      'usage',
      'end',
    ]);
    expect(events.flatMap((event) => ('part' in event ? [event.part] : []))).toEqual([0, 0, 0, 1, 1]);
  });

  test('the start carries the id of the response', async () => {
    const { events } = await exchange([text('Hello')]);
    expect(events[0]).toEqual({ type: 'start', responseId: expect.stringMatching(/^msg_/) as unknown });
  });

  test('deltas arrive while the response goes on', async () => {
    const { server, model } = await serve(answering([text('one two', { deltas: 2 })], { hangAfter: 3 }));
    const stop = new AbortController();
    for await (const event of model.stream(requestOf(), stop.signal)) {
      if (event.type !== 'delta') continue;
      expect(event.text).toBe('one');
      expect(server.requests[0]).toMatchObject({ endedAt: null, completed: false });
      break;
    }
    expect.assertions(2);
  });
});

describe('content blocks', () => {
  test('thinking keeps its signature', async () => {
    const streamed = await exchange([thinking('Let me see', { deltas: 3, signature: 'sig==' }), text('Done')]);
    expect(partsOf(streamed)).toEqual([
      { type: 'thinking', text: 'Let me see', signature: 'sig==' },
      { type: 'text', text: 'Done' },
    ]);
    const words = streamed.events.flatMap((event) =>
      event.type === 'delta' && event.kind === 'thinking' ? [event.text] : [],
    );
    expect(words.join('')).toBe('Let me see');
  });

  test('thinking without a signature has the signature null', async () => {
    expect(partsOf(await exchange([thinking('Hm', { signature: '' })]))).toEqual([
      { type: 'thinking', text: 'Hm', signature: null },
    ]);
  });

  test('redacted thinking keeps its data', async () => {
    expect(partsOf(await exchange([{ type: 'redacted_thinking', data: 'opaque' }, text('x')]))).toEqual([
      { type: 'redacted_thinking', data: 'opaque' },
      { type: 'text', text: 'x' },
    ]);
  });

  test('skips blocks of unknown types without a gap in the part numbers', async () => {
    const streamed = await exchange([text('a'), { type: 'unknown', name: 'hologram' }, text('b')]);
    expect(streamed.error).toBeNull();
    expect(streamed.events.filter((event) => event.type === 'part').map((event) => event.part)).toEqual([0, 1]);
  });

  test('ends a response without blocks normally', async () => {
    const { events, error } = await exchange([], { stopReason: 'refusal' });
    expect(error).toBeNull();
    expect(events.at(-1)).toEqual({ type: 'end', stopReason: 'refusal' });
  });
});

test('reads events of a compatible server with missing indexes and an object as arguments completely', () => {
  const reader = new ResponseReader({ api: 'messages', name: 'anthropic' });
  const events = [
    { type: 'message_start', message: { usage: { input_tokens: 10, output_tokens: 1 } } },
    { type: 'content_block_start', content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', delta: { type: 'text_delta', text: 'Hi' } },
    { type: 'content_block_stop' },
    { type: 'content_block_start', content_block: { type: 'tool_use', id: 'a', name: 'f' } },
    { type: 'content_block_delta', delta: { type: 'input_json_delta', partial_json: { b: 1 } } },
    { type: 'content_block_stop' },
    { type: 'message_delta', delta: {}, usage: { input_tokens: 0, output_tokens: 5 } },
    { type: 'message_stop' },
  ].flatMap((event) => reader.read(event));
  expect(partsOf({ events, error: null })).toEqual([
    { type: 'text', text: 'Hi' },
    { type: 'tool_use', id: 'a', name: 'f', input: { b: 1 } },
  ]);
  const usage = events.findLast((event) => event.type === 'usage');
  expect(usage).toMatchObject({ usage: { inputTokens: 10, outputTokens: 5 } });
});

describe('stop reasons', () => {
  const words: Record<StopReason, string> = {
    end_turn: 'end_turn',
    tool_use: 'tool_use',
    max_tokens: 'max_tokens',
    stop_sequence: 'stop_sequence',
    pause_turn: 'pause_turn',
    refusal: 'refusal',
    context_exceeded: 'model_context_window_exceeded',
  };
  test.for(StopReason.options)('reads the stop reason %s', async (stopReason) => {
    const { events } = await exchange([text('x')], { stopReason: words[stopReason] });
    expect(events.at(-1)).toEqual({ type: 'end', stopReason });
  });

  test('derives a missing stop reason from the blocks', async () => {
    const call = toolUse('glob', { pattern: '*' });
    expect((await exchange([text('x')], { stopReason: '' })).events.at(-1)).toMatchObject({
      stopReason: 'end_turn',
    });
    expect((await exchange([call], { stopReason: '' })).events.at(-1)).toMatchObject({
      stopReason: 'tool_use',
    });
  });

  test.for(['bored', 'constructor'])(
    'an unknown stop reason, %s, is an error that names the reason',
    async (stopReason) => {
      const { events, error } = await exchange([text('x')], { stopReason });
      expect(error).toMatchObject({ code: 'provider', retryable: false });
      expect(error?.message).toContain(`"${stopReason}"`);
      expect(events.at(-1)).toMatchObject({ type: 'usage', usage: { outputTokens: 20 } });
    },
  );
});

describe('usage', () => {
  test('reports cumulative tokens of every class, with cache writes split by lifetime', async () => {
    const usage = { input: 11, cacheRead: 22, cacheWrite5m: 33, cacheWrite1h: 44, output: 55, thinking: 6 };
    const { events } = await exchange([text('x')], { usage });
    const counts = events.flatMap((event) => (event.type === 'usage' ? [event.usage] : []));
    const input = { inputTokens: 11, cacheReadTokens: 22, cacheWrite5mTokens: 33, cacheWrite1hTokens: 44 };
    expect(counts).toEqual([
      { ...input, outputTokens: 1, thinkingTokens: 0 },
      { ...input, outputTokens: 55, thinkingTokens: 6 },
    ]);
  });

  test('a response that breaks off has reported its input', async () => {
    const { events, error } = await exchange([text('a b c', { deltas: 3 })], {
      cutAfter: 3,
      usage: { input: 700 },
    });
    expect(error?.code).toBe('unreachable');
    expect(events.find((event) => event.type === 'usage')).toMatchObject({ usage: { inputTokens: 700 } });
  });
});

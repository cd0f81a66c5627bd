// The double itself: it refuses what the API would refuse, records what happened, and its scenarios run to their end.
import { describe, expect, test } from 'vitest';
import { Gate } from '../gate.ts';
import { answering, attempt, exchange, KEY, requestOf, serve } from './exchange.ts';
import * as scenarios from './scenarios.ts';
import { Script, scriptFromData, text, toolUse } from './script.ts';
import type { FakeModel } from './server.ts';

async function post(
  server: FakeModel,
  body: object,
  headers: Record<string, string> = { 'x-api-key': KEY },
): Promise<{ status: number; message: string }> {
  const response = await fetch(`${server.url}/v1/messages`, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  });
  const answer = (await response.json()) as { type: string; error: { message: string } };
  expect(answer.type).toBe('error');
  return { status: response.status, message: answer.error.message };
}

const USER = { role: 'user', content: 'Hello' };
const CALL = { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'glob', input: {} }] };
const result = (id: string): object => ({
  role: 'user',
  content: [{ type: 'tool_result', tool_use_id: id, content: 'x' }],
});

describe('invalid requests to the fake model', () => {
  test.for([
    ['no model', { model: '' }, /model/],
    ['no limit', { max_tokens: undefined }, /max_tokens/],
    ['no messages', { messages: [] }, /messages/],
    ['an assistant first', { messages: [CALL] }, /first message/],
    ['an open call', { messages: [USER, CALL] }, /without `tool_result`/],
    ['an open call with words after it', { messages: [USER, CALL, USER] }, /without `tool_result`/],
    ['a result of nothing', { messages: [USER, result('b')] }, /unexpected `tool_use_id`/],
    ['a second result', { messages: [USER, CALL, result('a'), result('a')] }, /unexpected `tool_use_id`/],
    ['empty content', { messages: [{ role: 'user', content: [] }] }, /non-empty/],
    ['blank text', { messages: [{ role: 'user', content: [{ type: 'text', text: ' ' }] }] }, /non-whitespace/],
    [
      'unsigned thinking',
      { messages: [USER, { role: 'assistant', content: [{ type: 'thinking', thinking: 'x' }] }, USER] },
      /signature/,
    ],
    [
      'input that is no object',
      { messages: [USER, { ...CALL, content: [{ ...CALL.content[0], input: 'x' }] }, result('a')] },
      /dictionary/,
    ],
    ['a tool without a schema', { tools: [{ name: 'glob', input_schema: {} }] }, /input_schema/],
    ['one tool twice', { tools: [1, 2].map(() => ({ name: 'glob', input_schema: { type: 'object' } })) }, /unique/],
  ] as [string, object, RegExp][])('are rejected for %s', async ([, fields, message]) => {
    const { server } = await serve(answering([text('x')]));
    const answer = await post(server, {
      model: 'm',
      max_tokens: 1,
      stream: true,
      messages: [USER],
      ...fields,
    });
    expect(answer.status).toBe(400);
    expect(answer.message).toMatch(message);
    expect(() => server.expectDone()).toThrow(message);
  });

  test('are rejected without a valid key', async () => {
    const { server } = await serve(answering([text('x')]), { keys: ['right'] });
    expect((await post(server, { messages: [USER] }, {})).status).toBe(401);
    expect((await post(server, { messages: [USER] }, { authorization: 'Bearer wrong' })).status).toBe(401);
  });

  test('are reported if no rule of the script answers them', async () => {
    const { server, model } = await serve(new Script().on({ prompt: /something else/ }).reply([text('x')]));
    expect((await attempt(model)).error?.message).toContain('no rule of the script answers turn 1 of "Say hello."');
    expect(() => server.expectDone()).toThrow('no rule');
  });
});

describe('fake model scripts', () => {
  test('apply rules before steps, each as often as specified', async () => {
    const script = new Script().step([text('step 1')]).step([text('step 2')]);
    script.on({ prompt: /hello/ }).reply([text('rule')], { times: 1 });
    const { server, model } = await serve(script);
    const words: string[] = [];
    expect(() => server.expectDone()).toThrow('never used: step 1\nnever used: step 2');
    for (let n = 0; n < 3; n++)
      for (const event of (await attempt(model)).events) if (event.type === 'delta') words.push(event.text);
    expect(words).toEqual(['rule', 'step 1', 'step 2']);
    server.expectDone();
  });

  test('can be built from plain data', async () => {
    const script = scriptFromData({
      rules: [{ match: { prompt: '^Say', turn: 1 }, blocks: [text('from data')] }],
    });
    const { model } = await serve(script);
    expect((await attempt(model)).events).toContainEqual({
      type: 'delta',
      part: 0,
      kind: 'text',
      text: 'from data',
    });
  });

  test('hold a reply until the test releases it', async () => {
    const gate = new Gate();
    const { server, model } = await serve(answering([text('a b', { deltas: 2 })], { hold: gate.at(3) }));
    const running = attempt(model);
    const request = await server.waitFor(() => true);
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(request.endedAt).toBeNull();
    gate.open();
    expect((await running).error).toBeNull();
    expect((await server.waitFor(({ completed }) => completed)).closedAt).toBeNull();
  });

  test('wait before the first delta, then between deltas', async () => {
    const started = performance.now();
    await exchange([text('abcdefghijk', { deltas: 11 })], { firstTokenMs: 50, deltaMs: 10 });
    const took = performance.now() - started;
    expect(took).toBeGreaterThanOrEqual(149);
    expect(took).toBeLessThan(600);
  });
});

type Request = ReturnType<typeof requestOf>;

/** Plays a whole workflow: every call of the lead that starts sub-agents runs them, other calls get a fixed result. */
async function play(model: Parameters<typeof attempt>[0], request: Request): Promise<string> {
  const messages: Request['messages'][number][] = [...request.messages];
  for (let turn = 0; turn < 10; turn++) {
    const { events, error } = await attempt(model, { ...request, messages });
    if (error) throw error;
    const parts = events.flatMap((event) => (event.type === 'part' ? [event.value] : []));
    const calls = parts.filter((part) => part.type === 'tool_use');
    if (calls.length === 0) return parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
    const results = await Promise.all(
      calls.map(async ({ id, input }) => {
        const { prompt, tasks } = input as { prompt?: string; tasks?: { prompt: string }[] };
        const prompts = request.tools.length > 1 ? (tasks?.map((task) => task.prompt) ?? (prompt ? [prompt] : [])) : [];
        const reports = await Promise.all(prompts.map((words) => play(model, requestTo(words, ['glob']))));
        return { type: 'tool_result' as const, toolCallId: id, output: reports.join('\n') || 'done', isError: false };
      }),
    );
    messages.push({ role: 'assistant', content: parts }, { role: 'user', content: results });
  }
  throw new Error('the script has no end');
}

function requestTo(prompt: string, tools: string[]) {
  return requestOf({
    messages: [{ role: 'user', content: [{ type: 'text', text: prompt }] }],
    tools: tools.map((name) => ({ name, description: name, inputSchema: { type: 'object' } })),
  });
}

describe('fake model scenarios', () => {
  test.for([
    ['threeChildren', 8, ['part alpha', 'part beta', 'part gamma']],
    ['spawnOne', 4, ['the workspace']],
    ['delegate', 4, ['the code']],
    ['spawnThenDelegate', 7, ['the code']],
    ['batch', 6, ['the first half']],
    ['fourth', 11, ['part delta']],
    ['childSpawns', 4, ['refused']],
    ['writeFile', 2, ['done']],
  ] as const)('%s takes %i requests and quotes the reports', async ([name, requests, quoted]) => {
    const { server, model } = await serve(scenarios[name]());
    const answer = await play(model, requestTo('Do it.', ['glob', 'spawn_agent']));
    for (const words of quoted) expect(answer).toContain(words);
    expect(server.requests).toHaveLength(requests);
    server.expectDone();
  });

  test('can let a sub-agent write the file', async () => {
    const { server, model } = await serve(scenarios.writeFile({ by: 'child', path: 'x.md' }));
    await play(model, requestTo('Do it.', ['glob', 'spawn_agent']));
    expect(server.requests.map(({ rule }) => rule)).toEqual([
      'lead starts one',
      'child writes',
      'child reports',
      'lead answers',
    ]);
  });

  test('play a plain answer without tools', async () => {
    const { model } = await serve(scenarios.plainAnswer({ answer: 'Forty-two.' }));
    expect(await play(model, requestOf())).toBe('Forty-two.');
  });

  test.for([
    ['\n# Title\nmore', ['# Title']],
    ['{"success":true,"report":"# Inner\\nmore"}', ['# Inner']],
    ['{"success":false,"report":"","error":"Refused"}', ['Refused']],
    ['{"results":[{"report":"# One\\nx"},{"report":"# Two"}]}', ['# One', '# Two']],
    ['{"success":true}', ['{"success":true}']],
  ] as [string, string[]][])('firstLines extracts the first lines of %j', ([text, lines]) => {
    expect(scenarios.firstLines({ id: 'a', isError: false, text })).toEqual(lines);
  });

  test('give each call without an id a new id', async () => {
    const { model } = await serve(answering([toolUse('glob', {})]));
    const [first, second] = [await attempt(model), await attempt(model)];
    expect(first.events.find((event) => event.type === 'part')).not.toEqual(
      second.events.find((event) => event.type === 'part'),
    );
  });
});

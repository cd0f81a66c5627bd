// What is sent: messages, thinking, cache points, tools, effort; and that the API would accept it.
import { expect, test } from 'vitest';
import { createAnthropicModel } from '#core/model/anthropic.ts';
import type { Part } from '#contract/message.ts';
import type { ModelRequest, WireMessage } from '#core/model/model.ts';
import { answering, attempt, KEY, partsOf, requestOf, serve } from '../../support/fake-model/exchange.ts';
import type { RecordedRequest } from '../../support/fake-model/server.ts';
import { text, thinking } from '../../support/fake-model/script.ts';

const ASK: WireMessage = { role: 'user', content: [{ type: 'text', text: 'Look.' }] };
const CALL = { type: 'tool_use', id: 'toolu_1', name: 'glob', input: { pattern: '*' } } as const;
const RESULT = { type: 'tool_result', toolCallId: 'toolu_1', output: 'a.md', isError: false } as const;
const TOOL = { name: 'glob', description: 'Finds files.', inputSchema: { type: 'object', properties: {} } };

async function sent(fields: Partial<ModelRequest>): Promise<RecordedRequest> {
  const { server, model } = await serve(answering([text('Fine')]));
  const { error } = await attempt(model, requestOf(fields));
  expect(error).toBeNull();
  server.expectDone();
  return server.requests[0]!;
}

test('sends model, token limit and key, and leaves out unset fields', async () => {
  const { body, headers } = await sent({ maxTokens: 321 });
  expect(body).toMatchObject({ model: 'claude-sonnet-5-5', max_tokens: 321, stream: true });
  expect(body).not.toHaveProperty('temperature');
  expect(body).not.toHaveProperty('thinking');
  expect(body).not.toHaveProperty('tools');
  expect(headers).toMatchObject({ 'x-api-key': KEY, authorization: `Bearer ${KEY}` });
});

test('an effort requests adaptive thinking with a summary', async () => {
  const { body } = await sent({ effort: 'high' });
  expect(body.output_config).toEqual({ effort: 'high' });
  expect(body.thinking).toEqual({ type: 'adaptive', display: 'summarized' });
});

test('sends thinking back unchanged with its signature, and leaves out unsigned thinking', async () => {
  const { body } = await sent({
    messages: [
      ASK,
      {
        role: 'assistant',
        content: [
          { type: 'thinking', text: 'Signed', signature: 'sig==' },
          { type: 'thinking', text: 'Unsigned', signature: null },
          { type: 'redacted_thinking', data: 'opaque' },
          CALL,
        ],
      },
      { role: 'user', content: [RESULT] },
    ],
  });
  expect(body.messages[1]?.content).toEqual([
    { type: 'thinking', thinking: 'Signed', signature: 'sig==' },
    { type: 'redacted_thinking', data: 'opaque' },
    { type: 'tool_use', id: 'toolu_1', name: 'glob', input: { pattern: '*' } },
  ]);
});

test('thinking goes back to the provider that signed it, and to no other of the same protocol', async () => {
  const said = [
    thinking('Hm.', { signature: 'c2ln' }),
    { type: 'redacted_thinking' as const, data: 'ZGF0YQ' },
    text('Ok'),
  ];
  const { server } = await serve(answering(said));
  const ask = (name: string, messages: WireMessage[]) =>
    attempt(createAnthropicModel({ name, apiKey: KEY, baseUrl: server.url }), requestOf({ messages }));
  const names = ['anthropic', 'one', 'two'];
  for (const name of names) {
    const content = partsOf(await ask(name, [ASK])) as Part[];
    for (const other of names) await ask(other, [ASK, { role: 'assistant', content }, ASK]);
    const back = server.requests
      .splice(0)
      .slice(1)
      .map(({ body }) => body.messages[1]?.content);
    const whole = [
      { type: 'thinking', thinking: 'Hm.', signature: 'c2ln' },
      { type: 'redacted_thinking', data: 'ZGF0YQ' },
    ];
    const words = { type: 'text', text: 'Ok' };
    expect(back).toEqual(names.map((other) => (other === name ? [...whole, words] : [words])));
  }
});

test('sends no empty text, and leaves out messages with only empty text', async () => {
  const { body } = await sent({
    system: '  ',
    messages: [
      ASK,
      { role: 'assistant', content: [{ type: 'text', text: '' }] },
      {
        role: 'user',
        content: [
          { type: 'text', text: ' \n' },
          { type: 'text', text: 'Again.' },
        ],
      },
    ],
  });
  expect(body).not.toHaveProperty('system');
  expect(body.messages.map((message) => message.role)).toEqual(['user', 'user']);
});

test('sends tool results before text, marks errors and sends an empty result without content', async () => {
  const second = { ...CALL, id: 'toolu_2' };
  const { body } = await sent({
    messages: [
      ASK,
      { role: 'assistant', content: [CALL, second] },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Go on.' },
          { ...RESULT, isError: true },
          { ...RESULT, toolCallId: 'toolu_2', output: '' },
        ],
      },
    ],
  });
  expect(body.messages[2]?.content).toEqual([
    { type: 'tool_result', tool_use_id: 'toolu_1', content: 'a.md', is_error: true },
    { type: 'tool_result', tool_use_id: 'toolu_2' },
    { type: 'text', text: 'Go on.', cache_control: { type: 'ephemeral' } },
  ]);
});

test('sends a call with malformed arguments back with an empty object', async () => {
  const { body } = await sent({
    messages: [
      ASK,
      { role: 'assistant', content: [{ ...CALL, input: 'text', malformed: 'text' }] },
      { role: 'user', content: [RESULT] },
    ],
  });
  expect(body.messages[1]?.content).toMatchObject([{ type: 'tool_use', input: {} }]);
});

test('sets cache points after the tools, the system prompt and the last two user messages', async () => {
  const { body } = await sent({
    tools: [TOOL],
    messages: [ASK, { role: 'assistant', content: [CALL] }, { role: 'user', content: [RESULT] }],
  });
  expect(body.system).toEqual([{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } }]);
  expect(body.messages[2]?.content).toMatchObject([{ type: 'tool_result', cache_control: { type: 'ephemeral' } }]);
  expect(body.messages[0]?.content).toMatchObject([{ cache_control: { type: 'ephemeral' } }]);
  expect(body.tools).toMatchObject([{ cache_control: { type: 'ephemeral' } }]);
  expect(JSON.stringify(body).match(/cache_control/g)).toHaveLength(4);
});

test('declares tools even if no tool may be called', async () => {
  const free = await sent({ tools: [TOOL] });
  const glob = { name: 'glob', description: 'Finds files.', input_schema: TOOL.inputSchema };
  expect(free.body.tools).toEqual([{ ...glob, cache_control: { type: 'ephemeral' } }]);
  expect(free.body).not.toHaveProperty('tool_choice');
  const bound = await sent({ tools: [TOOL], toolChoice: 'none' });
  expect(bound.body.tool_choice).toEqual({ type: 'none' });
  expect(bound.body.tools).toHaveLength(1);
});

test('removes white space around a key', async () => {
  const { server } = await serve(answering([text('Fine')]), { keys: [KEY] });
  const { error } = await attempt(createAnthropicModel({ apiKey: ` ${KEY}\n`, baseUrl: `${server.url}/` }));
  expect(error).toBeNull();
});

test('sends the current tool definitions, whatever earlier requests contained', async () => {
  const { server, model } = await serve(answering([text('Fine')]));
  const other = { ...TOOL, name: 'grep', description: 'Finds words — “in” files.', inputSchema: { type: 'object' } };
  const told = [[TOOL, other], [{ ...TOOL, description: 'Finds folders.' }], [{ ...TOOL, name: 'find' }, TOOL]];
  for (const tools of told) expect((await attempt(model, requestOf({ tools }))).error).toBeNull();
  const sentTools = server.requests.map(({ body }) => body.tools);
  const wire = ({ name, description, inputSchema: schema }: typeof other | typeof TOOL) => ({
    name,
    description,
    input_schema: schema,
  });
  const marked = (tool: ReturnType<typeof wire>) => ({ ...tool, cache_control: { type: 'ephemeral' } });
  const last = (tools: (typeof told)[number]) => [
    ...tools.slice(0, -1).map(wire),
    ...tools.slice(-1).map(wire).map(marked),
  ];
  expect(sentTools).toEqual(told.map(last));
  expect(server.requests.map(({ headers }) => headers['content-type'])).toEqual(Array(3).fill('application/json'));
});

// What OpenAI-compatible endpoints are sent: messages, tools, thinking, pictures, limits, and no key that is not theirs.
import { expect, onTestFinished, test, vi } from 'vitest';
import type { Part } from '#contract/message.ts';
import type { ModelRequest, ToolSpec, WireMessage } from '#core/model/model.ts';
import { createOpenAiModel } from '#core/model/openai/openai.ts';
import { answering, attempt, KEY, modelFor, partsOf, requestOf, serve } from '../../../support/fake-model/exchange.ts';
import { Script, text, thinking, toolUse } from '../../../support/fake-model/script.ts';

const LONG = `server__${'x'.repeat(70)}`;
const tool = (name: string): ToolSpec => ({
  name,
  description: `Does ${name}`,
  inputSchema: { type: 'object', properties: { path: { type: 'string', 'x-own': 1 } }, additionalProperties: false },
});
const IMAGE = { mediaType: 'image/png', bytes: 3, width: 1, height: 1, sha256: 'a'.repeat(64), data: 'QUJD' } as const;
const URL_OF_IMAGE = 'data:image/png;base64,QUJD';

async function sentBy(api: 'chat' | 'responses', fields: Partial<ModelRequest>): Promise<Record<string, unknown>> {
  const { server, model } = await serve(answering([text('ok')]), {}, api);
  const { error } = await attempt(model, requestOf({ model: 'm-1', ...fields }));
  expect(error).toBeNull();
  return server.requests[0]!.sent as Record<string, unknown>;
}

const HISTORY: WireMessage[] = [
  { role: 'user', content: [{ type: 'text', text: 'Look.' }] },
  {
    role: 'assistant',
    content: [
      { type: 'text', text: 'I look.' },
      { type: 'thinking', text: 'of another provider', signature: 'c2ln' },
      { type: 'tool_use', id: 'c1', name: LONG, input: { path: 'a' } },
      { type: 'tool_use', id: 'c2', name: 'glob', input: {}, malformed: '{"p' },
    ],
  },
  {
    role: 'user',
    content: [
      { type: 'text', text: 'Go on.' },
      { type: 'tool_result', toolCallId: 'c1', output: 'seen', isError: false, image: IMAGE },
      { type: 'tool_result', toolCallId: 'c2', output: 'no JSON', isError: true },
    ],
  },
];

test('converts a history to Chat Completions messages, with tool results first and pictures after them', async () => {
  const body = await sentBy('chat', {
    messages: HISTORY,
    tools: [tool(LONG), tool('glob')],
    effort: 'low',
    temperature: 0.5,
  });
  const [{ function: long }] = body.tools as [{ function: { name: string } }];
  expect(long.name).toMatch(/^server__x{47}_[0-9a-f]{8}$/);
  expect(body).toMatchObject({
    model: 'm-1',
    max_tokens: 1000,
    temperature: 0.5,
    reasoning_effort: 'low',
    stream: true,
  });
  expect(body.stream_options).toEqual({ include_usage: true });
  expect(body.tools).toEqual([
    {
      type: 'function',
      function: { name: long.name, description: `Does ${LONG}`, parameters: tool(LONG).inputSchema },
    },
    { type: 'function', function: { name: 'glob', description: 'Does glob', parameters: tool('glob').inputSchema } },
  ]);
  expect(body.messages).toEqual([
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'Look.' },
    {
      role: 'assistant',
      content: 'I look.',
      tool_calls: [
        { id: 'c1', type: 'function', function: { name: long.name, arguments: '{"path":"a"}' } },
        { id: 'c2', type: 'function', function: { name: 'glob', arguments: '{}' } },
      ],
    },
    { role: 'tool', tool_call_id: 'c1', content: 'seen' },
    { role: 'tool', tool_call_id: 'c2', content: 'Error: no JSON' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'The picture that call c1 gave:' },
        { type: 'image_url', image_url: { url: URL_OF_IMAGE } },
        { type: 'text', text: 'Go on.' },
      ],
    },
  ]);
});

test('converts a history to the Responses API and disables storage at the provider', async () => {
  const body = await sentBy('responses', {
    messages: HISTORY,
    tools: [tool('glob')],
    effort: 'high',
    toolChoice: 'none',
  });
  expect(body).toMatchObject({
    instructions: 'Be brief.',
    max_output_tokens: 1000,
    store: false,
    stream: true,
    tool_choice: 'none',
    reasoning: { effort: 'high', summary: 'auto' },
    include: ['reasoning.encrypted_content'],
    tools: [{ type: 'function', name: 'glob', parameters: tool('glob').inputSchema, strict: false }],
  });
  expect(body.input).toEqual([
    { role: 'user', content: [{ type: 'input_text', text: 'Look.' }] },
    { role: 'assistant', content: 'I look.' },
    {
      type: 'function_call',
      call_id: 'c1',
      name: expect.stringMatching(/^server__x/) as unknown,
      arguments: '{"path":"a"}',
    },
    { type: 'function_call', call_id: 'c2', name: 'glob', arguments: '{}' },
    {
      type: 'function_call_output',
      call_id: 'c1',
      output: [
        { type: 'input_text', text: 'seen' },
        { type: 'input_image', image_url: URL_OF_IMAGE, detail: 'auto' },
      ],
    },
    { type: 'function_call_output', call_id: 'c2', output: 'Error: no JSON' },
    { role: 'user', content: [{ type: 'input_text', text: 'Go on.' }] },
  ]);
});

test.for(['chat', 'responses'] as const)('%s: leaves out unset fields', async (api) => {
  const body = await sentBy(api, { system: '' });
  const keys = ['tools', 'tool_choice', 'temperature', 'reasoning_effort', 'reasoning', 'include', 'instructions'];
  expect(Object.keys(body).filter((key) => keys.includes(key))).toEqual([]);
  expect(JSON.stringify(body)).not.toContain('system');
});

test.for(['chat', 'responses'] as const)(
  '%s: shortens a long tool name in the request and restores the name in the call',
  async (api) => {
    const { model, server } = await serve(
      new Script().on({}).reply(({ tools }) => [toolUse(tools[0]!, { path: 'a' }, { id: 'c1' })]),
      {},
      api,
    );
    const streamed = await attempt(model, requestOf({ tools: [tool(LONG)] }));
    expect(server.requests[0]!.seen.tools).not.toEqual([LONG]);
    expect(partsOf(streamed)).toEqual([{ type: 'tool_use', id: 'c1', name: LONG, input: { path: 'a' } }]);
  },
);

/** What the next request sends of an answer with thinking, over the same provider or another one. */
async function sentBack(api: 'chat' | 'responses', name: string, later?: string): Promise<unknown[]> {
  const { model, server } = await serve(
    answering([thinking('Hm.', { signature: 'secret' }), toolUse('glob', {}, { id: 'c1' })]),
    {},
    api,
  );
  const parts = partsOf(await attempt(model)) as Part[];
  const messages: WireMessage[] = [
    { role: 'user', content: [{ type: 'text', text: 'Go.' }] },
    { role: 'assistant', content: parts },
    { role: 'user', content: [{ type: 'tool_result', toolCallId: 'c1', output: 'x', isError: false }] },
  ];
  const next = createOpenAiModel({ api, name, apiKey: KEY, baseUrl: `${server.url}/v1` });
  if (later !== undefined) messages.push({ role: 'user', content: [{ type: 'text', text: later }] });
  expect((await attempt(next, requestOf({ messages }))).error).toBeNull();
  await attempt(modelFor('messages', server.url), requestOf({ messages }));
  expect(JSON.stringify(server.requests[2]!.sent)).not.toContain('Hm.');
  const { messages: sent, input } = server.requests[1]!.sent as { messages?: unknown[]; input?: unknown[] };
  return sent ?? input ?? [];
}

test('sends thinking back unchanged only to its provider', async () => {
  const item = {
    id: 'item_0',
    type: 'reasoning',
    summary: [{ type: 'summary_text', text: 'Hm.' }],
    encrypted_content: 'secret',
  };
  expect(await sentBack('responses', 'local')).toContainEqual(item);
  expect(await sentBack('responses', 'other')).not.toContainEqual(item);
  expect(await sentBack('chat', 'local')).toContainEqual(expect.objectContaining({ reasoning_content: 'Hm.' }));
  expect(JSON.stringify(await sentBack('chat', 'other'))).not.toContain('Hm.');
  expect(JSON.stringify(await sentBack('chat', 'local', 'The next task.'))).not.toContain('Hm.');
});

test('leaves out thinking without text or call, which the API would reject', async () => {
  const { model } = await serve(answering([thinking('Hm.', { signature: 'secret' })]), {}, 'responses');
  const parts = partsOf(await attempt(model)) as Part[];
  const messages: WireMessage[] = [{ role: 'assistant', content: parts }, ...requestOf().messages];
  expect((await sentBy('responses', { messages })).input).toEqual([
    { role: 'user', content: [{ type: 'input_text', text: 'Say hello.' }] },
  ]);
});

test.for([
  ['max_tokens', 'max_completion_tokens'],
  ['stream_options', undefined],
] as const)('an endpoint that rejects %s is retried without it, also in later requests', async ([param, instead]) => {
  const refusing = JSON.stringify({ error: { message: 'no', code: 'unsupported_parameter', param } });
  const script = new Script()
    .on({})
    .reply([], { status: 400, body: refusing, times: 1 })
    .on({})
    .reply([text('ok')]);
  const { model, server } = await serve(script, {}, 'chat');
  const first = await attempt(model);
  expect(first.error).toMatchObject({ code: 'bad_request', retryable: true, retryAfterMs: 0 });
  for (const _ of [1, 2]) expect((await attempt(model)).error).toBeNull();
  for (const { sent } of server.requests.slice(1)) {
    expect(sent).not.toHaveProperty(param);
    if (instead) expect(sent).toHaveProperty(instead, 1000);
  }
});

test('leaves out old thinking that an endpoint can no longer read, but sends newer thinking back', async () => {
  const refusing = JSON.stringify({ error: { message: 'no', code: 'invalid_encrypted_content' } });
  const script = new Script()
    .on({})
    .reply([], { status: 400, body: refusing, times: 1 })
    .on({})
    .reply([text('ok')]);
  const { model, server } = await serve(script, {}, 'responses');
  const thought = (encrypted: string): WireMessage => {
    const item = JSON.stringify({ type: 'reasoning', id: encrypted, summary: [], encrypted_content: encrypted });
    const signature = `openai:responses:local:${item}`;
    return {
      role: 'assistant',
      content: [
        { type: 'thinking', text: '', signature },
        { type: 'text', text: 'x' },
      ],
    };
  };
  const [ask] = requestOf().messages as [WireMessage];
  const messages = [ask, thought('old'), ask];
  expect((await attempt(model, requestOf({ messages }))).error).toMatchObject({ code: 'bad_request', retryable: true });
  for (const more of [[], [thought('new'), ask]])
    expect((await attempt(model, requestOf({ messages: [...messages, ...more] }))).error).toBeNull();
  const sent = server.requests.map(({ sent: body }) => JSON.stringify(body).match(/"encrypted_content":"\w+"/g));
  expect(sent).toEqual([['"encrypted_content":"old"'], null, ['"encrypted_content":"new"']]);
});

test('retries only once for a parameter that the endpoint keeps rejecting', async () => {
  const refusing = JSON.stringify({ error: { message: 'no', code: 'unsupported_parameter', param: 'max_tokens' } });
  const { model } = await serve(answering([], { status: 400, body: refusing }), {}, 'chat');
  expect((await attempt(model)).error?.retryable).toBe(true);
  expect((await attempt(model)).error?.retryable).toBe(false);
});

test.for(['chat', 'responses'] as const)('%s: sends no key and no environment values if no key is set', async (api) => {
  vi.stubEnv('OPENAI_API_KEY', 'sk-elsewhere');
  vi.stubEnv('OPENAI_ORG_ID', 'org-elsewhere');
  vi.stubEnv('OPENAI_PROJECT_ID', 'proj-elsewhere');
  vi.stubEnv('OPENAI_CUSTOM_HEADERS', 'x-secret: elsewhere');
  vi.stubEnv('OPENAI_BASE_URL', 'http://elsewhere.invalid');
  vi.stubEnv('OPENAI_LOG', 'debug');
  onTestFinished(() => void vi.unstubAllEnvs());
  const said = vi.spyOn(process.stdout, 'write');
  const { server } = await serve(answering([text('ok')]), { keys: null });
  expect((await attempt(modelFor(api, server.url, null))).error).toBeNull();
  const { headers } = server.requests[0]!;
  expect(headers.authorization).toBeUndefined();
  expect(JSON.stringify(headers)).not.toMatch(/elsewhere|stainless/);
  expect(said).not.toHaveBeenCalled();
});

test.for(['chat', 'responses'] as const)(
  '%s: sends the key as a bearer token, and shows the key in no error',
  async (api) => {
    const { server } = await serve(answering([], { status: 400, error: { type: 'x', message: `bad ${KEY} here` } }));
    const { error } = await attempt(modelFor(api, server.url));
    expect(server.requests[0]!.headers.authorization).toBe(`Bearer ${KEY}`);
    expect(error?.message).toContain('bad … here');
    expect(`${error?.message} ${error?.detail}`).not.toContain(KEY);
  },
);

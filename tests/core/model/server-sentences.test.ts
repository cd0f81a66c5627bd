/** Failed requests through a real runtime: the error of the workflow quotes the server's own sentence. */
import { expect, test } from 'vitest';
import { startEngine } from '../../support/engine.ts';
import { exchange, KEY, type Protocol, PROTOCOLS } from '../../support/fake-model/exchange.ts';
import { type ReplyOptions, Script, text } from '../../support/fake-model/script.ts';

const SENTENCE = 'The purple quota of tenant 7 is used up';

/** The error of a workflow whose only request gets this reply. */
async function failWith(reply: ReplyOptions, protocol: Protocol, blocks = [text('a b c', { deltas: 3 })]) {
  const settings = '[limits]\nunattended_wait_minutes = 0\n';
  const engine = await startEngine(new Script().on({}).reply(blocks, reply), { protocol, settings, isAttended: false });
  await engine.ask('Hello');
  const { error } = engine.of('usage')[0]!.request;
  return { host: new URL(engine.model.url).host, code: error?.code, message: error?.message };
}

test.for(PROTOCOLS.flatMap((protocol) => [401, 403, 404, 429, 500, 503].map((status) => [protocol, status] as const)))(
  '%s: an error %i quotes the sentence of the server and does not interpret it',
  async ([protocol, status]) => {
    const { host, message } = await failWith({ status, error: { type: 'error', message: SENTENCE } }, protocol);
    expect(message).toContain(`${host} `);
    expect(message).toContain(`: "${SENTENCE}". `);
    expect(message).not.toContain('refused the key');
    expect(message).not.toContain('address');
  },
);

test.for(PROTOCOLS)('%s: an error within the stream quotes the sentence of the server', async (protocol) => {
  const { message } = await failWith({ errorEvent: { after: 3, type: 'server_error', message: SENTENCE } }, protocol);
  expect(message).toContain(`failed (server_error): "${SENTENCE}". `);
});

test('a response that fails within the stream quotes the sentence of the server', async () => {
  const failed = { type: 'response.failed', response: { error: { code: 'server_error', message: SENTENCE } } };
  const garbage = { after: 3, text: `event: response.failed\ndata: ${JSON.stringify(failed)}\n\n` };
  const { message } = await failWith({ garbage }, 'responses');
  expect(message).toContain(`failed (server_error): "${SENTENCE}". `);
});

test.for([
  [401, 'authentication_error', 'invalid x-api-key', 'refused the key: "invalid x-api-key". Check the key or set'],
  [401, 'error', 'Incorrect API key provided.', 'refused the key: "Incorrect API key provided." Check the key or set'],
  [
    403,
    'permission_error',
    'Your key may not use claude-sonnet-5-5',
    'refused the key for claude-sonnet-5-5: "Your key may not use claude-sonnet-5-5". Check what',
  ],
  [
    403,
    'error',
    'Blocked in your region',
    'refused the request for claude-sonnet-5-5 (403): "Blocked in your region". Check what the',
  ],
  [
    404,
    'error',
    'The model claude-sonnet-5-5 does not exist',
    'does not have the model claude-sonnet-5-5: "The model claude-sonnet-5-5 does not exist". Choose',
  ],
  [
    400,
    'invalid_request_error',
    'Your credit balance is too low',
    'asks for payment: "Your credit balance is too low". Check the billing of the account.',
  ],
  [429, 'error', 'Too many requests', 'limits the rate of requests: "Too many requests". This may pass after a while.'],
  [402, 'error', 'Your credit is used up', 'asks for payment: "Your credit is used up". Check the billing'],
  [413, 'error', 'Body of 9 MB', 'is too large for', 'Body of 9 MB'],
  [529, 'overloaded_error', 'Overloaded', 'is overloaded: "Overloaded". This may pass after a while.'],
  [418, 'error', 'I am a teapot', 'answered with 418: "I am a teapot". Check the base URL'],
] as const)(
  'error %i %s "%s": the message names the cause and quotes the server',
  async ([status, type, said, ...parts]) => {
    const { error } = await exchange([], { status, error: { type, message: said } }, 'chat');
    for (const part of parts) expect(error?.message).toContain(part);
  },
);

test.for([
  ['a text in error', '{"error":"SENTENCE"}'],
  ['a message', '{"object":"error","message":"SENTENCE","code":400}'],
  ['a message beside the name of the status', '{"error":"Bad Request","message":"SENTENCE","statusCode":400}'],
  ['a detail', '{"detail":"SENTENCE"}'],
  ['a list of details', '{"detail":[{"loc":["body","model"],"msg":"SENTENCE","type":"value_error"}]}'],
  ['an error within a detail', '{"detail":{"error":{"message":"SENTENCE"}}}'],
  ['a list of errors', '{"errors":[{"message":"SENTENCE"}]}'],
  ['a list around the error', '[{"error":{"code":400,"message":"SENTENCE","status":"INVALID_ARGUMENT"}}]'],
  ['plain text', 'SENTENCE\n'],
  [
    'the title of a page',
    '<!doctype html><html><head><title>SENTENCE</title></head><body><p>Much more</p></body></html>',
  ],
])('reads the sentence of the server from %s', async ([, body]) => {
  for (const protocol of PROTOCOLS) {
    const { error } = await exchange([], { status: 400, body: body!.replace('SENTENCE', SENTENCE) }, protocol);
    expect(error?.message, protocol).toContain(`refused the request: "${SENTENCE}". `);
  }
});

test('a sentence is cut at 400 characters and contains no key', async () => {
  const other = 'sk-proj-abcdefghijklmnop1234';
  const message = `The keys ${KEY} and ${other} are wrong. ${'x'.repeat(1000)}`;
  for (const protocol of PROTOCOLS) {
    const { error } = await exchange([], { status: 401, error: { type: 'error', message } }, protocol);
    const [, sentence = ''] = /"(.*)"/.exec(error?.message ?? '') ?? [];
    expect(sentence).toMatch(/^The keys … and \[redacted: OpenAI key\] are wrong\. x+…$/);
    expect(sentence).toHaveLength(400);
  }
});

test('an error with an odd type or a hostile page stays short, on one line and fast', async () => {
  const type = `\u001B[2J\u202Eevil\nnew line ${'z'.repeat(3000)}`;
  const { message } = await failWith({ status: 500, error: { type, message: 'boom' } }, 'messages');
  expect(message).toContain('(500): "boom". ');
  const page = await failWith({ status: 500, body: '<title'.repeat(10_000) }, 'messages');
  expect(page.message).toContain('failed (500)');
});

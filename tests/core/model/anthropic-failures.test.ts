// Every way in which a request fails: the code, whether another attempt makes sense, and a sentence without the key.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createAnthropicModel } from '#core/model/anthropic.ts';
import { retryAfterMs } from '#core/model/request-failure.ts';
import { answering, attempt, exchange, KEY, requestOf, serve } from '../../support/fake-model/exchange.ts';
import { text } from '../../support/fake-model/script.ts';

describe('error answers of the provider', () => {
  test.for([
    [400, 'bad_request', false],
    [401, 'auth', false],
    [402, 'provider', true],
    [403, 'auth', false],
    [404, 'not_found', false],
    [408, 'provider', true],
    [409, 'provider', true],
    [413, 'bad_request', false],
    [422, 'bad_request', false],
    [429, 'rate_limited', true],
    [500, 'provider', true],
    [502, 'provider', true],
    [503, 'provider', true],
    [529, 'overloaded', true],
  ] as const)('status %i has the error code %s', async ([status, code, retryable]) => {
    const { error, events } = await exchange([], { status });
    expect(error).toMatchObject({ code, retryable, status, retryAfterMs: null });
    expect(error?.message).toMatch(/127\.0\.0\.1:\d+/);
    expect(events).toEqual([]);
  });

  test('names an unknown model in the error', async () => {
    const { model } = await serve(answering([], { status: 404 }));
    const { error } = await attempt(model, requestOf({ model: 'claude-nothing-9' }));
    expect(error?.message).toContain('claude-nothing-9');
  });

  test('a 404 without a JSON error points to the base URL, not to the model', async () => {
    const { error } = await exchange([], { status: 404, body: '<html>Not here</html>' });
    expect(error).toMatchObject({ code: 'provider', retryable: false });
    expect(error?.message).toContain('base URL');
  });

  test.for(['/v1', '/v1/'])('a base URL that ends with %s is reported as the fault, not the model', async (end) => {
    const { server } = await serve(answering([]));
    const { error } = await attempt(createAnthropicModel({ apiKey: KEY, baseUrl: server.url + end }));
    expect(error).toMatchObject({
      code: 'provider',
      retryable: false,
      message: `${new URL(server.url).host} has no Messages API at this address: "POST ${new URL(server.url + end).pathname.replace(/\/$/, '')}/v1/messages is not served here". Check the base URL, without /v1 at its end.`,
    });
  });

  test('quotes the reason of the provider, without the key', async () => {
    const { error } = await exchange([], {
      status: 400,
      error: { type: 'invalid_request_error', message: `bad ${KEY} here` },
    });
    expect(error?.message).toContain('bad … here');
    expect(`${error?.message} ${error?.detail}`).not.toContain(KEY);
  });

  test('an error about a refused key does not contain the key', async () => {
    const { server } = await serve(answering([text('x')]), { keys: ['another'] });
    const { error } = await attempt(createAnthropicModel({ apiKey: KEY, baseUrl: server.url }));
    expect(error).toMatchObject({ code: 'auth', status: 401 });
    expect(`${error?.message} ${error?.detail}`).not.toContain(KEY);
  });

  test('the error type decides the code, not the words of the message', async () => {
    const { error } = await exchange([], {
      status: 400,
      error: { type: 'invalid_request_error', message: 'rate limit, overloaded, 529' },
    });
    expect(error).toMatchObject({ code: 'bad_request', retryable: false });
  });

  test('does not retry if the provider sends x-should-retry false', async () => {
    const { error } = await exchange([], { status: 429, headers: { 'x-should-retry': 'false' } });
    expect(error).toMatchObject({ code: 'rate_limited', retryable: false });
  });

  test('returns the wait that the provider requests in retry-after', async () => {
    const { error } = await exchange([], { status: 529, headers: { 'retry-after': '7' } });
    expect(error?.retryAfterMs).toBe(7000);
  });
});

test.for([
  [{ 'retry-after': '3' }, 3000],
  [{ 'retry-after': '0.5' }, 500],
  [{ 'retry-after': '9', 'retry-after-ms': '250' }, 250],
  [{ 'retry-after': 'Fri, 20 Nov 2026 10:00:30 GMT' }, 30_000],
  [{ 'retry-after': 'Fri, 20 Nov 2026 09:00:00 GMT' }, 0],
  [{ 'retry-after': '9'.repeat(400) }, 86_400_000],
  [{ 'retry-after': 'Fri, 20 Nov 3026 10:00:00 GMT' }, 86_400_000],
  [{ 'retry-after-ms': '1e300' }, 86_400_000],
  [{ 'retry-after-ms': '-1' }, 0],
  [{ 'retry-after': 'soon' }, null],
  [{}, null],
] as [Record<string, string>, number | null][])('retry-after %j is %s ms', ([headers, expected]) => {
  expect(retryAfterMs((name) => headers[name] ?? null, Date.UTC(2026, 10, 20, 10))).toBe(expected);
});

describe('errors within the stream', () => {
  test.for([
    ['overloaded_error', 'overloaded', true],
    ['rate_limit_error', 'rate_limited', true],
    ['api_error', 'provider', true],
    ['timeout_error', 'provider', true],
    ['invalid_request_error', 'bad_request', false],
    ['authentication_error', 'auth', false],
    ['never_heard_of_error', 'provider', true],
  ] as const)('the error type %s has the error code %s', async ([type, code, retryable]) => {
    const { error, events } = await exchange([text('a b', { deltas: 2 })], {
      errorEvent: { after: 3, type, message: 'Sorry' },
    });
    expect(error).toMatchObject({ code, retryable, status: null });
    expect(events.some((event) => event.type === 'delta')).toBe(true);
    expect(events.some((event) => event.type === 'end')).toBe(false);
  });

  test.for([
    ['cut off', { cutAfter: 4 }],
    ['ended too early', { endAfter: 4 }],
    ['garbled', { garbage: { after: 3, text: 'event: content_block_delta\ndata: {"type": oops\n\n' } }],
  ] as const)('a response that is %s is worth another attempt', async ([, fault]) => {
    const { error, events } = await exchange([text('a b c d', { deltas: 4 })], fault);
    expect(error).toMatchObject({ code: 'unreachable', retryable: true });
    expect(events.some((event) => event.type === 'end')).toBe(false);
  });

  test('a connection that breaks after the end of the message harms nothing', async () => {
    const { error, events } = await exchange([text('a')], { cutAfter: 6 });
    expect(error).toBeNull();
    expect(events.at(-1)?.type).toBe('end');
  });

  test('a connection that stays open after the end of the message does not delay the result', async () => {
    const started = performance.now();
    const { error } = await exchange([text('a')], { hangAfter: 6 });
    expect(error).toBeNull();
    expect(performance.now() - started).toBeLessThan(2000);
  });
});

describe('unreachable endpoints', () => {
  test('a closed port is a retryable error that names the address', async () => {
    const { error } = await attempt(createAnthropicModel({ apiKey: KEY, baseUrl: 'http://127.0.0.1:9' }));
    expect(error).toMatchObject({ code: 'unreachable', retryable: true, status: null });
    expect(error?.message).toMatch(/^No connection to 127\.0\.0\.1:9: /);
  });

  test('a connection that breaks before the headers is a retryable error', async () => {
    expect((await exchange([text('a')], { cutAfter: 0 })).error).toMatchObject({
      code: 'unreachable',
      retryable: true,
    });
  });

  test('a web page at the address is an error that points to the base URL', async () => {
    const site = createServer((_, response) => void response.end('<html>Welcome</html>'));
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void site.close());
    const { port } = site.address() as AddressInfo;
    const { error } = await attempt(createAnthropicModel({ apiKey: KEY, baseUrl: `http://127.0.0.1:${port}` }));
    expect(error).toMatchObject({ code: 'provider', retryable: false });
    expect(error?.message).toContain('base URL');
  });
});

describe('invalid configuration', () => {
  test.for([null, '', '  '])('sends nothing without a key (%j)', async (apiKey) => {
    const { server } = await serve(answering([text('a')]));
    const { error } = await attempt(createAnthropicModel({ apiKey, baseUrl: server.url }));
    expect(error).toMatchObject({ code: 'no_key', retryable: false });
    expect(server.requests).toEqual([]);
  });

  test('rejects a malformed key without showing the key', async () => {
    const { error } = await attempt(
      createAnthropicModel({ apiKey: 'sk-first\nsk-second', baseUrl: 'http://127.0.0.1:9' }),
    );
    expect(error).toMatchObject({ code: 'auth', retryable: false });
    expect(error?.message).not.toContain('sk-');
  });

  test.for(['not a url', 'ftp://example.org', 'http://user:secret@127.0.0.1:9'])(
    'rejects the base URL %s',
    async (baseUrl) => {
      const { error } = await attempt(createAnthropicModel({ apiKey: KEY, baseUrl }));
      expect(error).toMatchObject({ code: 'bad_input', retryable: false });
      expect(error?.message).not.toContain('secret');
    },
  );
});

/** Requests to one server: how long they may take, what ends them, and whom the server may ask meanwhile. */
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, describe, expect, test } from 'vitest';
import { TriadError } from '#core/base/errors.ts';
import { type CallOptions, InFlight } from '#core/mcp/in-flight.ts';
import type { McpUse } from '#core/mcp/pool.ts';
import { Stopped } from '#core/base/stop.ts';
import { liar, never, newPool, reportOf, said, testPool, textOf, useOf } from './support.ts';
import { fullTest } from '../../support/samples.ts';

const stateOf = (use: ReturnType<typeof useOf>) => use.pool.state(process.cwd())[0]!;
const faultOf = (work: Promise<unknown>) => work.catch((error: unknown) => error);

/** For tests that leave their server as it was. */
const pool = newPool();
const shared = pool.use(liar(), process.cwd());
/** One whose calls are given up soon. */
const hasty = pool.use(liar([], { timeoutMs: 400 }), process.cwd());
afterAll(() => pool.end());

describe('time limits and aborts', () => {
  test('a call without a sign of life is ended after the time limit, and the server gets a cancellation', async () => {
    const use = useOf(liar([], { timeoutMs: 300 }));
    await use.server.tools(never);
    const began = performance.now();
    expect(await faultOf(said(use, 'silent'))).toMatchObject({
      code: 'inactive',
      message:
        'The MCP server "liar" gave no sign for 0.3 s while the tool "silent" was asked of it; whether that took effect is not known',
    });
    expect(performance.now() - began).toBeGreaterThan(290);
    expect(await said(use, 'cancelled')).toMatch(/^\[\d+\]$/);
    // An answer under another id is none.
    expect(await faultOf(said(use, 'wrong-id'))).toMatchObject({ code: 'inactive' });
    expect(stateOf(use).log.join('\n')).toContain('unknown message ID');
  });

  test('a call with progress outlasts its time limit', async () => {
    await hasty.server.tools(never);
    const steps: number[] = [];
    const options: CallOptions = { signal: never, onProgress: ({ progress }) => steps.push(progress) };
    expect(textOf(await hasty.server.call('works', { ms: 600 }, options))).toMatch(/^\d+ steps$/);
    expect(steps).toEqual(steps.map((_, index) => index + 1));
  });

  test('a call with progress ends after ten times its time limit', async () => {
    const fault = (ms: number) => new TriadError('limit_reached', `${ms} ms`);
    const call = new InFlight({ signal: never }, 60, () => new TriadError('inactive', ''), fault);
    for (; call.fault === null; call.feed()) await wait(5);
    expect(call.fault).toMatchObject({ code: 'limit_reached', message: '600 ms' });
    call.end();
  });

  fullTest([
    'tests/core/mcp/calls.test.ts › a call with progress outlasts its time limit',
    'tests/core/mcp/calls.test.ts › a call with progress ends after ten times its time limit',
  ])('progress is reported and keeps a call alive for at most ten times its time limit', async () => {
    const use = hasty;
    await use.server.tools(never);
    const steps: number[] = [];
    const options: CallOptions = { signal: never, onProgress: ({ progress }) => steps.push(progress) };
    expect(textOf(await use.server.call('works', { ms: 1000 }, options))).toMatch(/^\d+ steps$/);
    expect(steps.length).toBeGreaterThan(5);
    expect(steps).toEqual(steps.map((_, index) => index + 1));
    const began = performance.now();
    expect(await faultOf(said(use, 'works', { ms: 60_000 }))).toMatchObject({
      code: 'limit_reached',
      message: expect.stringContaining('did not come to an end in 4 s when the tool "works"') as string,
    });
    expect(performance.now() - began).toBeGreaterThan(3900);
  });

  test('an abort ends a call at once and notifies the server, and an earlier abort sends nothing', async () => {
    const use = useOf(liar());
    await use.server.tools(never);
    const stop = new AbortController();
    const call = faultOf(use.server.call('silent', {}, { signal: stop.signal }));
    await said(use, 'work');
    const reason = new Stopped('user');
    stop.abort(reason);
    const began = performance.now();
    expect(await call).toBe(reason);
    expect(performance.now() - began).toBeLessThan(20);
    expect(await faultOf(use.server.call('dies', {}, { signal: stop.signal }))).toBe(reason);
    expect(JSON.parse(await said(use, 'cancelled'))).toHaveLength(1);
  });
});

describe('errors of calls', () => {
  test.for([
    ['invalid', 'provider', 'answered the tool "invalid" with what is no answer: content: it is no list'],
    ['refuses', 'provider', 'refused the tool "refuses": no such⟦U+001B⟧[31m tool (-32602)'],
  ] as const)('a call to %s fails with one sentence that names the server', async ([tool, code, words]) => {
    const fault = await faultOf(said(shared, tool));
    expect(fault).toMatchObject({ code, message: `The MCP server "liar" ${words}` });
  });

  test('all calls that run fail when the server dies, and none is made again', async () => {
    const use = useOf(liar());
    const { pid } = await reportOf(use);
    const calls = ['silent', 'silent', 'dies'].map((tool) => faultOf(said(use, tool)));
    const faults = await Promise.all(calls);
    expect(faults).toMatchObject([1, 2, 3].map(() => ({ code: 'disconnected' })));
    const words = 'ended with exit code 3 while the tool "dies" ran: whether that took effect is not known';
    expect(faults[2]).toMatchObject({ message: `The MCP server "liar" ${words}` });
    expect(stateOf(use)).toMatchObject({
      status: 'failed',
      pid: null,
      error: 'The MCP server "liar" ended with exit code 3',
    });
    expect((await faultOf(reportOf(use))) as { pid?: number }).not.toMatchObject({ pid });
  });
});

describe('the reading of lists and results from a server', () => {
  test('leaves out invalid tools and logs each with the reason', async () => {
    const use = useOf(liar(['odd-tools']));
    const none = { readOnly: null, destructive: null, idempotent: null, openWorld: null };
    const schema = { type: 'object' };
    expect(await use.server.tools(never)).toEqual([
      { name: 'good', title: null, description: '', inputSchema: schema, hints: none },
      {
        name: 'claims',
        title: 'Claims',
        description: 'Says so',
        inputSchema: schema,
        hints: { ...none, readOnly: true, destructive: false },
      },
    ]);
    expect(stateOf(use).log).toEqual([
      'tools: the second "good" is left out',
      expect.stringMatching(/^tools: "no-schema" is left out: inputSchema/),
      'tools: "long" is left out: description: its description has more than 16 KB',
      'tools: "wide" is left out: inputSchema: its input schema has more than 64 KB',
    ]);
  });

  test('cuts an endless tool list', async () => {
    const use = useOf(liar(['endless-list']));
    expect(await use.server.tools(never)).toHaveLength(500);
    // Of 20 each.
    expect(await said(use, 'lists')).toBe('25');
    expect(stateOf(use).log).toEqual(['tools: what follows after 500 entries, 50 pages or 1 MiB is left out']);
  });

  test('replaces an incomplete Unicode character in a tool result', async () => {
    expect(await said(shared, 'half')).toBe('half \ufffd');
  });

  test('cuts a tool list that is too large in total', async () => {
    const use = useOf(liar(['wide-list']));
    // Of 60 KB each.
    expect(await use.server.tools(never)).toHaveLength(17);
    expect(stateOf(use).log).toEqual(['tools: what follows after 500 entries, 50 pages or 1 MiB is left out']);
  });

  test('requests the tool list once, and again after a change notification of the server', async () => {
    const changed: string[] = [];
    const watched = testPool({ onChange: (folder) => changed.push(watched.state(folder)[0]?.status ?? '') });
    const use = watched.use(liar(['changes']), process.cwd());
    const names = async () => (await use.server.tools(never)).map(({ name }) => name);
    const told = () => changed.filter((status) => status === 'ready').length;
    // The server said that it changes while it was asked: what came is not kept, and that is told.
    expect(await names()).toEqual(['work', 'other']);
    expect(told()).toBe(2);
    expect(await names()).toEqual(['new']);
    expect(await use.server.tools(never)).toBe(await use.server.tools(never));
    expect(told()).toBe(2);
    // Three times, of which one says all.
    await said(use, 'changes');
    expect(told()).toBe(3);
    expect(await names()).toEqual(['changed']);
  });

  test('does not request resources and prompts from a server that offers none', async () => {
    expect(await shared.server.resources(never)).toEqual([]);
    expect(await shared.server.prompts(never)).toEqual([]);
  });
});

describe('requests from a server', () => {
  const answering = (more: Partial<CallOptions>): CallOptions => ({ signal: never, ...more });
  const answerOf = async (use: McpUse, tool: string, options: CallOptions) =>
    JSON.parse(textOf(await use.server.call(tool, {}, options))) as unknown;

  test('roots returns the workspace folder', async () => {
    const folder = process.cwd();
    expect(await answerOf(shared, 'roots', { signal: never })).toEqual({
      roots: [{ uri: `file://${folder}`, name: folder.split('/').at(-1) }],
    });
  });

  test('a form goes to the open call, and the time limit of the call pauses meanwhile', async () => {
    const use = hasty;
    await use.server.tools(never);
    const asked: unknown[] = [];
    const options = answering({
      onElicit: async (request) => {
        asked.push(request);
        await new Promise((resolve) => setTimeout(resolve, 500));
        return { action: 'accept', content: { name: 'Ada' } };
      },
    });
    expect(await answerOf(use, 'elicits', options)).toEqual({ action: 'accept', content: { name: 'Ada' } });
    expect(asked).toEqual([
      { message: 'Which?', schema: { type: 'object', properties: { name: { type: 'string' } } } },
    ]);
  });

  test('declines a form if there is no handler or the handler fails, and rejects a URL form', async () => {
    const declined = { action: 'decline' };
    const accept = () => Promise.resolve({ action: 'accept' as const });
    expect(await answerOf(shared, 'elicits', answering({}))).toEqual(declined);
    expect(await answerOf(shared, 'elicits', answering({ onElicit: () => Promise.reject(new Error('no')) }))).toEqual(
      declined,
    );
    expect(await answerOf(shared, 'elicits-at-an-address', answering({ onElicit: accept }))).toEqual({
      error: -32_602,
    });
  });

  test('a form goes to the oldest open call that can answer', async () => {
    await shared.server.tools(never);
    const asked: string[] = [];
    const as = (name: string): CallOptions =>
      answering({
        onElicit: () => {
          asked.push(name);
          return Promise.resolve({ action: 'cancel' });
        },
      });
    const stop = new AbortController();
    const mute = faultOf(shared.server.call('silent', {}, { signal: stop.signal }));
    const first = faultOf(shared.server.call('silent', {}, { ...as('first'), signal: stop.signal }));
    expect(await answerOf(shared, 'elicits', as('second'))).toEqual({ action: 'cancel' });
    expect(asked).toEqual(['first']);
    stop.abort();
    await Promise.all([mute, first]);
    await answerOf(shared, 'elicits', as('third'));
    expect(asked).toEqual(['first', 'third']);
  });

  test('a form is aborted when its call ends', async () => {
    const stop = new AbortController();
    let ended: AbortSignal | null = null;
    const onElicit = (_: unknown, signal: AbortSignal) => {
      ended = signal;
      stop.abort();
      return new Promise<never>(() => undefined);
    };
    await faultOf(shared.server.call('elicits', {}, { signal: stop.signal, onElicit }));
    expect(ended).toMatchObject({ aborted: true });
  });

  test('a model request goes to the call only if sampling is allowed', async () => {
    const result = { role: 'assistant' as const, content: { type: 'text' as const, text: 'Because' }, model: 'm' };
    const asked: unknown[] = [];
    const options = answering({
      onSample: (request) => {
        asked.push(request.messages);
        return Promise.resolve(result);
      },
    });
    const allowed = useOf(liar([], { sampling: true }));
    expect(await answerOf(allowed, 'samples', options)).toEqual(result);
    expect(asked).toEqual([[{ role: 'user', content: { type: 'text', text: 'Why?' } }]]);
    expect(await answerOf(allowed, 'samples', answering({ onSample: () => Promise.resolve(null) }))).toEqual({
      error: -1,
    });
    expect(await answerOf(shared, 'samples', options)).toEqual({ error: -32_601 });
    const form = { elicitation: { form: {} }, roots: {} };
    expect([await reportOf(shared), await reportOf(allowed)].map(({ declared }) => declared)).toEqual([
      form,
      { ...form, sampling: {} },
    ]);
    expect(asked).toHaveLength(1);
  });
});

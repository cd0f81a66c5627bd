/** `triad run` over a client in memory: output, exit codes, stops, and what is refused before anything starts. */
import { setImmediate as turn } from 'node:timers/promises';
import { tmpdir } from 'node:os';
import { createWriteStream, existsSync, realpathSync } from 'node:fs';
import { Writable } from 'node:stream';
import { expect, test } from 'vitest';
import type { AgentEvent } from '#contract/event.ts';
import { TriadError } from '#core/base/errors.ts';
import { envelopeOf } from '../../../support/envelope.ts';
import { Gate } from '../../../support/gate.ts';
import { asked, conversationId, conversationRow, ofLead, workflowEnd, workflowId } from '../../support/events.ts';
import { type MemoryClient, memoryClient } from '../../support/memory-client.ts';
import { memoryIo, type Setup, typing } from '../../support/memory-io.ts';

const delta = ofLead('message-delta', { messageId: conversationId, part: 0, offset: 0, text: 'Hi' });
const folder = realpathSync(tmpdir());

/** A runtime whose workflow consists of these events. */
function scripted(events: AgentEvent[], answers: Parameters<typeof memoryClient>[0] = {}): MemoryClient {
  const client = memoryClient({
    'conversation.create': () => conversationRow({ folder }),
    'message.send': () => {
      setImmediate(() => events.forEach((event) => client.emit('conversation', event)));
      return { workflowId, runId: workflowId, queued: false };
    },
    'workflow.stop': () => ({
      agents: 1,
      requests: 1,
      tools: 0,
      approvals: 0,
      left: 0,
      ended: [],
      goOn: [],
      withdrawn: [],
      queued: 0,
    }),
    ...answers,
  });
  return client;
}

async function triad(args: string[], setup: Setup) {
  const io = memoryIo(setup);
  const code = await io.run(args);
  await turn();
  return { code, out: io.out(), err: io.err(), io };
}

const anId = expect.stringMatching(/^[\da-f-]{36}$/) as string;

test('prints the answer to stdout and the summary to stderr, and exits with 0', async () => {
  const client = scripted([delta, workflowEnd({ text: 'Hi' })]);
  const { code, out, err, io } = await triad(['run', 'Say hi'], { client });
  expect([code, out]).toEqual([0, 'Hi\n']);
  const next = `continue with: triad run --conversation ${conversationId} "…"`;
  expect(err).toBe(`completed · 1.2 s · 1,234 tokens, cached 3 % · $0.01\n${next}\n`);
  expect(client.requests[0]).toEqual({ method: 'conversation.create', input: { folder } });
  expect(client.requests[1]).toEqual({
    method: 'message.send',
    input: { conversationId, text: 'Say hi', approve: 'none', via: 'cli', sentAs: anId },
  });
  expect(io.opened).toEqual([{ closed: true }]);
  expect(client.subscribers).toEqual([]);
});

test('suggests the demo provider if no key is set', async () => {
  const refuses = () => {
    throw new TriadError('no_key', 'No key is set up: enter one');
  };
  const { code, err } = await triad(['run', 'x'], { client: scripted([], { 'message.send': refuses }) });
  const line = 'triad: No key is set up: enter one; the demo needs none: triad run --provider demo "…"\n';
  expect([code, err]).toEqual([1, line]);
});

test('--provider and --model apply to the lead of this prompt', async () => {
  const client = scripted([workflowEnd()]);
  await triad(['run', '--provider', 'ollama', '--model', 'qwen3:4b', 'x'], { client });
  expect(client.requests[0]).toEqual({ method: 'conversation.create', input: { folder, provider: 'ollama' } });
  expect(client.requests[1]?.input).toMatchObject({ text: 'x', provider: 'ollama', model: 'qwen3:4b' });
});

test('--json prints the events unchanged, deltas included, and ends with workflow-end', async () => {
  const end = workflowEnd();
  // A hint may come late, behind events that were caught up with.
  const { out, err } = await triad(['run', '--json', 'x'], { client: scripted([delta, end, delta]) });
  expect(out).toBe(`${JSON.stringify(delta)}\n${JSON.stringify(end)}\n`);
  expect(err).toBe('');
});

test('omits events of other workflows of the conversation', async () => {
  const other = { ...workflowEnd({ outcome: 'interrupted' }), workflowId: conversationId };
  const end = workflowEnd();
  const { code, out } = await triad(['run', '--json', 'x'], { client: scripted([other, end]) });
  expect([code, out]).toEqual([0, `${JSON.stringify(end)}\n`]);
});

test.each([
  ['cancelled', 130],
  ['error', 1],
  ['partial', 1],
  ['interrupted', 1],
] as const)('exits for the outcome %s with %i', async (outcome, code) => {
  expect((await triad(['run', 'x'], { client: scripted([workflowEnd({ outcome })]) })).code).toBe(code);
});

test('Ctrl-C stops the workflow, waits for its end and exits with 130', async () => {
  const client = scripted([delta], {
    'workflow.stop': () => {
      setImmediate(() => client.emit('conversation', workflowEnd({ outcome: 'cancelled', text: '' })));
      return { agents: 1, requests: 1, tools: 0, approvals: 0, left: 0, ended: [], goOn: [], withdrawn: [], queued: 0 };
    },
  });
  const io = memoryIo({ client });
  const running = io.run(['run', 'x']);
  await expect.poll(() => io.out()).toBe('Hi');
  io.interrupt();
  expect(await running).toBe(130);
  expect(client.requests.at(-1)).toEqual({
    method: 'workflow.stop',
    input: { workflowId, cause: 'person' },
  });
  expect(io.err()).toContain('cancelled ·');
});

test('a closed output stops the workflow with the cause "output"', async () => {
  const client = scripted([delta], {
    'workflow.stop': () => {
      setImmediate(() => client.emit('conversation', workflowEnd({ outcome: 'cancelled', text: '' })));
      return { agents: 1, requests: 1, tools: 0, approvals: 0, left: 0, ended: [], goOn: [], withdrawn: [], queued: 0 };
    },
  });
  const stdout = new Writable({
    write: (_data, _encoding, callback) => callback(Object.assign(new Error('closed'), { code: 'EPIPE' })),
  });
  expect((await triad(['run', 'x'], { client, stdout })).code).toBe(130);
  expect(client.requests.at(-1)).toEqual({ method: 'workflow.stop', input: { workflowId, cause: 'output' } });
});

test('Ctrl-C before the message is stored says that nothing was started', async () => {
  const io = memoryIo({ client: scripted([]) });
  const opening = new Gate();
  const connect: typeof io.connect = async (options) => {
    await opening.pass();
    io.signal.throwIfAborted();
    return io.connect(options);
  };
  const running = io.run(['run', 'x'], { connect });
  await opening.reached;
  io.interrupt();
  opening.open();
  expect(await running).toBe(130);
  expect(io.err()).toBe('triad: stopped by SIGINT before the message was stored: nothing was started\n');
});

test.runIf(existsSync('/dev/full')).for([
  ['run', 'x'],
  ['run', '--json', 'x'],
])('if the last output of %s %s cannot be written, prints how to read the stored answer', async (args) => {
  const client = scripted([delta, workflowEnd({ text: 'Hi' })]);
  const stdout = createWriteStream('/dev/full');
  const { err, io } = await triad(args, { client, stdout });
  expect(io.signal.reason).toMatchObject({ by: 'unwritable', exitCode: 1 });
  expect(err.split('\n').slice(-2)).toEqual([
    `The answer is stored; read it with: triad sessions show ${conversationId}`,
    '',
  ]);
  expect(err).not.toContain('continue with');
});

test.for([
  [1, false],
  [130, true],
] as const)('a history that cannot be written ends the command with the reason (%i)', async ([code, isStopped]) => {
  const io = memoryIo({ client: scripted([delta], { 'workflow.stop': () => new Promise(() => undefined) }) });
  const running = io.run(['run', 'x']);
  await expect.poll(() => io.out()).toBe('Hi');
  if (isStopped) io.interrupt();
  io.fail(new TriadError('store_failed', 'The history could not be written'));
  expect(await running).toBe(code);
  await expect.poll(() => io.err()).toContain('triad: The history could not be written\n');
  expect(io.opened).toEqual([{ closed: true }]);
});

test('asks on the terminal and prints nothing about questions to stdout', async () => {
  const client = scripted([], {
    'message.send': () => {
      setImmediate(() => client.emit('attention', { questions: [asked()], asleep: [], running: [] }));
      return { workflowId, runId: workflowId, queued: false };
    },
    'approval.decide': () => {
      setImmediate(() => client.emit('conversation', workflowEnd()));
      throw new TriadError('already_answered', 'Somebody was faster');
    },
  });
  const terminal = typing(['y']);
  const { code, out } = await triad(['run', '--json', 'x'], { client, terminal });
  expect(code).toBe(0);
  expect(terminal.shown()).toContain('── Approval: Start code-reviewer');
  expect(out).not.toContain('Approval');
  expect(client.requests).toContainEqual({
    method: 'message.send',
    input: { conversationId, text: 'x', approve: 'ask', via: 'cli', sentAs: anId },
  });
});

test('reads the prompt from standard input with "-" or without an argument', async () => {
  for (const args of [['run', '-'], ['run']]) {
    const client = scripted([workflowEnd()]);
    await triad(args, { client, stdin: 'from a pipe' });
    expect(client.requests[1]?.input).toMatchObject({ text: 'from a pipe' });
  }
});

test.each([
  [['run', ' '], 'triad: The prompt is empty: say what the lead should do\n'],
  [['run', '-'], 'triad: The prompt is empty: say what the lead should do\n'],
  [['run', '--cwd', '/does/not/exist', 'x'], 'triad: There is no folder /does/not/exist\n'],
  [['run', '--cwd', '/dev/null', 'x'], 'triad: /dev/null is not a folder\n'],
  [['run', '--conversation', '7', 'x'], 'triad: "7" is not the id of a conversation: see "triad sessions list"\n'],
  [
    ['run', '--approve', 'ask', 'x'],
    'triad: --approve ask needs a terminal to ask on: use --approve all or --approve none\n',
  ],
  [
    ['run', '--approve', 'maybe', 'x'],
    "triad: option '--approve <who>' argument 'maybe' is invalid. Allowed choices are ask, all, none.\n",
  ],
  [['run', '--wat', 'x'], "triad: unknown option '--wat'\n"],
  [['run', 'two', 'words'], "triad: too many arguments for 'run'. Expected 1 argument but got 2: two, words.\n"],
  [['rum', 'x'], "triad: unknown command 'rum' (Did you mean run?)\n"],
  [
    ['sessions'],
    'triad: sessions needs a command: list, show, trace, replay, search, agents, export, project, clean, delete, restore, rewind, fork, again, say, try-now, resume\n',
  ],
  [
    ['sessions', 'lst'],
    "triad: unknown command 'sessions lst': list, show, trace, replay, search, agents, export, project, clean, delete, restore, rewind, fork, again, say, try-now, resume\n",
  ],
  [
    ['serve', '--port', 'http'],
    "triad: option '--port <number>' argument 'http' is invalid. A port is a number from 0 to 65535.\n",
  ],
])('%j is rejected as bad usage: one line, exit code 2, and no connection', async (args, line) => {
  const { code, out, err, io } = await triad(args, { client: memoryClient(), stdin: '' });
  expect([code, out, err, io.opened]).toEqual([2, '', line, []]);
});

test('rejects an unknown conversation, and a folder or lead that differs from the conversation', async () => {
  const conversation = conversationRow({ folder: '/elsewhere' });
  const snapshot = {
    seq: 0,
    conversation,
    workflows: [],
    more: false,
    runs: [],
    entries: {},
    calls: [],
    approvals: [],
    open: [],
  };
  const known = () => scripted([], { 'conversation.snapshot': () => snapshot });
  const missing = await triad(['run', '--conversation', conversationId, 'x'], { client: memoryClient() });
  expect([missing.code, missing.err.split('\n')]).toMatchObject([2, { length: 2 }]);
  const moved = await triad(['run', '--conversation', conversationId, '--cwd', folder, 'x'], {
    client: known(),
  });
  expect([moved.code, moved.err]).toEqual([2, 'triad: This conversation works in /elsewhere: leave out --cwd\n']);
  const led = await triad(['run', '--conversation', conversationId, '--agent', 'other', 'x'], {
    client: known(),
  });
  expect([led.code, led.err]).toEqual([2, 'triad: This conversation is led by lead: leave out --agent\n']);
});

test('announces the agents, tools and upper limits of a composition before it starts', async () => {
  const { prompt: _, stages: __, ...critic } = envelopeOf('critic', 'x', { tools: ['grep', 'task_complete'] });
  const handoff = { type: 'static', text: 'Look' } as const;
  const flow = { type: 'judge', rounds: 3, primary: 'writer', coagent: critic, handoff } as const;
  const envelope = envelopeOf('careful\u202e', '-', { flow });
  const order: string[] = [];
  const client = scripted([workflowEnd({ text: 'Hi' })], {
    'agents.preview': () => ({ envelope, worst: { requests: 84, nanoUsd: 1_234_500_001 } }),
  });
  const request = client.request.bind(client);
  const io = memoryIo({ client });
  client.request = (method, input) => {
    order.push(`${method}: ${io.err().split('\n').length - 1} lines`);
    return request(method, input);
  };
  expect(await io.run(['run', '--agent', 'careful', 'Say hi'])).toBe(0);
  expect(io.err().split('\n').slice(0, 4)).toEqual([
    'triad: careful⟦U+202E⟧ with the coagent critic, judge, at most 3 rounds',
    '  primary agent: writer',
    '  tools of critic: grep, task_complete',
    '  at most 84 requests; each sub-agent is asked about by itself',
  ]);
  expect(order.slice(0, 3)).toEqual([
    'agents.preview: 0 lines',
    'conversation.create: 0 lines',
    'message.send: 4 lines',
  ]);
  const input = { folder, agent: 'careful', prompt: 'Say hi' };
  expect(client.requests[0]).toEqual({ method: 'agents.preview', input });
});

test('announces nothing for an agent that works alone', async () => {
  const client = scripted([workflowEnd({ text: 'Hi' })], {
    'agents.preview': () => ({ envelope: envelopeOf('plain', '-'), worst: { requests: 1, nanoUsd: 0 } }),
  });
  const { err } = await triad(['run', '--agent', 'plain', 'Say hi'], { client });
  expect(err).toMatch(/^completed/);
});

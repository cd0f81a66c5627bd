/** The span of a call that failed has the reason as its message: without secrets, and without what is content. */
import { expect, test } from 'vitest';
import type { ToolEntry } from '#contract/message.ts';
import { WorkflowSpans } from '#core/host/telemetry/workflow-spans.ts';
import { lead, queue, Recording, reviewer, start, usageOf } from '../../../support/recording.ts';

const SECRET = `sk-ant-api03-${'a1B2'.repeat(20)}`;

/** The message and the type of the error of one call. */
function readError(entry: Partial<ToolEntry>, content = false): [message: string | null, type: unknown] {
  const recording = new Recording();
  recording.record(lead, { type: 'workflow-start', prompt: 'Go', approve: 'ask', attempt: 1 });
  start(recording, lead, queue(recording, lead, { prompt: 'Go', title: 'Go' }));
  const call = { toolCallId: 'call_1', name: 'read_file' };
  recording.record(lead, { type: 'tool-start', ...call, input: {} });
  recording.result(lead, { ...call, status: 'error', output: '', durationMs: 1, metadata: {}, ...entry });
  const spans = new WorkflowSpans(() => content);
  const span = recording.durable
    .flatMap((event) => spans.take(event))
    .find(({ name }) => name.startsWith('execute_tool'))!;
  return [span.error, span.attributes['error.type']];
}

test.for<[string, Partial<ToolEntry>, string | null, string | undefined]>([
  ['of an error: its first line', { output: 'There is no file a.md\nbut b.md' }, 'There is no file a.md', 'error'],
  ['of a refusal', { output: 'No: .env holds keys', metadata: { refused: true } }, 'No: .env holds keys', 'refused'],
  [
    'of a command: its exit code',
    { name: 'bash', output: 'my words\n[exit code 3]', metadata: { exitCode: 3 } },
    'exit code 3',
    'error',
  ],
  [
    'of a command that took too long',
    { name: 'bash', output: 'x', metadata: { exitCode: null, timedOut: true } },
    'timed out',
    'error',
  ],
  [
    'of a sub-agent: its error',
    { name: 'spawn_agent', output: '{"success":false,"error":"It took too long"}' },
    'It took too long',
    'error',
  ],
  [
    'of a call that was stopped',
    { status: 'cancelled', output: 'Cancelled before it was done.' },
    'Cancelled before it was done.',
    'cancelled',
  ],
  ['without any words: its type', { output: '' }, 'error', 'error'],
  ['none of a call that completed', { status: 'completed', output: 'fine' }, null, undefined],
])('the error message of a call span has the reason %s', ([, entry, message, type]) => {
  expect(readError(entry)).toEqual([message, type]);
});

test('the span includes the error of an MCP server only if content is enabled', () => {
  const entry = { name: 'mcp__files__read', output: 'Private words' };
  expect(readError(entry)).toEqual(['error', 'error']);
  expect(readError(entry, true)).toEqual(['Private words', 'error']);
});

test.for<[string, Partial<ToolEntry>, string]>([
  ['a call', { output: 'Rejected, nothing was done. Reason: Private words' }, 'Rejected'],
  [
    'a sub-agent',
    { name: 'spawn_agent', output: '{"error":"Rejected by the person: Private words"}' },
    'Rejected by the person',
  ],
])('the span includes the reason of the person for rejecting %s only if content is enabled', ([, entry, message]) => {
  expect(readError(entry)).toEqual([message, 'error']);
  expect(readError(entry, true)[0]).toContain('Private words');
});

test('the span of a rejected sub-agent has no reason of the person', () => {
  const recording = new Recording();
  recording.record(lead, { type: 'workflow-start', prompt: 'Go', approve: 'ask', attempt: 1 });
  start(recording, lead, queue(recording, lead, { prompt: 'Go', title: 'Go' }));
  queue(recording, reviewer, { prompt: 'Look', title: 'Look', kind: 'spawn' });
  const error = { code: 'not_allowed', message: 'Rejected by the person: Private words' } as const;
  const end = { outcome: 'rejected', text: '', usage: usageOf(), durationMs: 0, entries: 0 } as const;
  recording.record(reviewer, { type: 'run-end', ...end, error });
  const spans = new WorkflowSpans(() => false);
  const all = recording.durable.flatMap((event) => spans.take(event));
  expect(all.map(({ error: message }) => message)).toContain('Rejected by the person');
});

test('redacts a secret before the error message is cut', () => {
  const [message] = readError({ output: `${'x'.repeat(150)} ${SECRET}` });
  expect(message).toMatch(/^x{150} /);
  expect(message).not.toContain(SECRET.slice(0, 30));
  expect(readError({ output: `${'🙂'.repeat(300)}` })[0]).toBe(`${'🙂'.repeat(200)}…`);
});

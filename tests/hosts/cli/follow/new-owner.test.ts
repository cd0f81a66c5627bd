/** `triad run` as a client whose owner goes before it has said that it took the message: it is sent once, not twice. */
import { expect, test } from 'vitest';
import type { Snapshot } from '#contract/view.ts';
import { TriadError } from '#core/base/errors.ts';
import { conversationRow, workflowEnd, workflowId, workflowRow } from '../../support/events.ts';
import { memoryClient, type MemoryClient } from '../../support/memory-client.ts';
import { memoryIo } from '../../support/memory-io.ts';

const snapshot = (workflows: Snapshot['workflows']): Snapshot => ({
  seq: 0,
  conversation: conversationRow(),
  workflows,
  more: false,
  runs: [],
  entries: {},
  calls: [],
  approvals: [],
  open: [],
});

/** The first owner goes when it is asked to send; what the second one knows of the message, by its id, is given. */
async function run(knownOf: (sentAs: string) => Snapshot['workflows']) {
  let known: Snapshot['workflows'] = [];
  const loss = new AbortController();
  const gone = new TriadError('disconnected', 'The owner has ended');
  const first = memoryClient({
    'conversation.create': () => conversationRow(),
    'message.send': ({ sentAs = '' }) => {
      known = knownOf(sentAs);
      loss.abort(gone);
      throw gone;
    },
  });
  const second: MemoryClient = memoryClient({
    'conversation.snapshot': () => snapshot(known),
    'message.send': () => {
      setImmediate(() => second.emit('conversation', { ...workflowEnd({ text: 'Sent again' }), workflowId }));
      return { workflowId, runId: workflowId, queued: false };
    },
    'workflow.get': () => ({
      conversation: conversationRow(),
      workflow: known[0] ?? workflowRow(),
      runs: [],
      calls: [],
      approvals: [],
      requests: [],
    }),
    'workflow.resume': () => ({}),
    'conversation.events': ({ after }) => (after > 0 ? [] : [{ ...workflowEnd({ text: 'Found' }), seq: 5 }]),
  });
  const io = memoryIo({ client: first });
  const connections = [
    { client: first, owner: false, lost: loss.signal },
    { client: second, owner: true, lost: new AbortController().signal },
  ];
  const connect: typeof io.connect = async (options) => ({
    ...(await io.connect(options)),
    ...connections.shift(),
  });
  const code = await io.run(['run', 'Review it'], { connect });
  return { code, out: io.out(), err: io.err(), asked: second.requests.map(({ method }) => method) };
}

test('finds a message that was stored, and resumes its workflow', async () => {
  const { code, out, err, asked } = await run((sentAs) => [
    workflowRow({ outcome: 'interrupted', status: 'error', sentAs }),
  ]);
  expect([code, out]).toEqual([0, 'Found\n']);
  expect(err).toContain('The owner has ended: the work goes on here.\n');
  expect(asked).toContain('workflow.resume');
  expect(asked).not.toContain('message.send');
});

test('a message that was not stored is sent again', async () => {
  // The same words, sent by somebody else.
  const { code, out, asked } = await run(() => [workflowRow({ prompt: 'Review it' })]);
  expect([code, out]).toEqual([0, 'Sent again\n']);
  expect(asked).toEqual(['conversation.snapshot', 'message.send']);
});

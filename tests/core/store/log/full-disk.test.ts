/** A full disk of the store: work waits and continues by itself, the history stays readable, and new work is refused. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import type { Attention } from '#contract/view.ts';
import { DiskFull } from '#core/store/disk-space.ts';
import { type Harness, startAgain, startEngine } from '../../../support/engine.ts';
import { eventually } from '../../../support/eventually.ts';
import { Script, text, toolUse } from '../../../support/fake-model/script.ts';
import { Gate } from '../../../support/gate.ts';
import { lasting, memoryStore } from '../../../support/stores/pooled.ts';

/** Longer than an event takes to be stored, and than the delay between two tries, in milliseconds. */
const LONGER_THAN_A_TRY_MS = 700;
const SENTENCE =
  'The disk of /data/store is full (3 MB left): free some space. Running work then continues by itself; new messages must be sent again';

/** An engine that reads a file and answers, on a disk that is full from the first request until `free`. */
async function startOnFullDisk(settings = '') {
  const memory = lasting(await memoryStore());
  const disk = { isFull: false };
  const diskFull = () => (disk.isFull ? new DiskFull('/data/store', 3 * 1024 * 1024) : null);
  const commit: typeof memory.commit = async (items) => {
    const error = diskFull();
    if (error) throw error;
    await memory.commit(items);
  };
  const asked = new Gate();
  const script = new Script()
    .on({ turn: 1 })
    .reply([toolUse('read_file', { path: 'README.md' })], { hold: asked.at(0) })
    .on({})
    .reply([text('Done.')]);
  const engine = await startEngine(script, { settings, store: { ...memory, commit, diskFull } });
  let attention: Attention | null = null;
  onTestFinished(
    await engine.runtime.subscribe('attention', { canAnswer: false }, (state) => {
      attention = state;
    }),
  );
  const { workflowId } = await engine.send('Read it');
  await asked.reached;
  disk.isFull = true;
  asked.open();
  await eventually(() => expect(attention?.diskFull).toBeDefined());
  const free = () => (disk.isFull = false);
  onTestFinished(() => void free());
  return { engine, workflowId, memory, free, attention: () => attention };
}

const hasAsked = ({ model }: Harness) => model.requests.length;

test('waits while the disk is full, and continues by itself without a lost or repeated request', async () => {
  const { engine, workflowId, free, attention, memory } = await startOnFullDisk();
  expect(attention()?.diskFull).toMatchObject({ code: 'store_unwritable', message: SENTENCE });
  const shown = engine.durable().length;
  await sleep(LONGER_THAN_A_TRY_MS);
  expect(hasAsked(engine)).toBe(1);
  expect(engine.durable()).toHaveLength(shown);
  free();
  expect(await engine.ended(workflowId)).toMatchObject({ outcome: 'completed', text: 'Done.' });
  expect(hasAsked(engine)).toBe(2);
  expect(engine.durable()).toMatchObject(await memory.events(engine.conversationId, 1, 1000));
  await eventually(() => expect(attention()).not.toHaveProperty('diskFull'));
});

test('does not count the wait for the disk as a silence of the run', async () => {
  const { engine, workflowId, free } = await startOnFullDisk('[limits]\ninactivity_seconds = 1\n');
  await sleep(1000 + LONGER_THAN_A_TRY_MS);
  free();
  expect(await engine.ended(workflowId)).toMatchObject({ outcome: 'completed', text: 'Done.' });
});

test('returns the history and rejects new messages while the disk is full', async () => {
  const { engine, workflowId, free } = await startOnFullDisk();
  const { conversationId, runtime } = engine;
  const snapshot = await runtime.request('conversation.snapshot', { conversationId });
  expect(snapshot.seq).toBe(engine.durable().at(-1)?.seq);
  const refusal = { code: 'store_unwritable', message: SENTENCE, says: [{ key: 'disk_full' }] };
  await expect(engine.send('More')).rejects.toMatchObject(refusal);
  await expect(runtime.request('conversation.create', {})).rejects.toMatchObject(refusal);
  free();
  await engine.ended(workflowId);
  expect(await engine.ask('More')).toMatchObject({ outcome: 'completed' });
});

test('stops work while the disk is full', async () => {
  const { engine, workflowId, free } = await startOnFullDisk();
  const receipt = engine.runtime.request('workflow.stop', { workflowId });
  await sleep(LONGER_THAN_A_TRY_MS);
  free();
  expect(await receipt).toMatchObject({ agents: 1, left: 0 });
  expect(await engine.ended(workflowId)).toMatchObject({ outcome: 'cancelled' });
  expect(hasAsked(engine)).toBe(1);
});

test('closes while the disk is full, and resumes the work after the next start', async () => {
  const { engine, workflowId, memory } = await startOnFullDisk();
  await engine.runtime.close();
  expect(await memory.workflow(workflowId)).toMatchObject({ outcome: null });
  const again = await startAgain(engine, memory);
  expect(await memory.workflow(workflowId)).toMatchObject({ outcome: 'interrupted' });
  await again.request('workflow.resume', { workflowId });
  await eventually(async () => expect(await memory.workflow(workflowId)).toMatchObject({ outcome: 'completed' }));
});

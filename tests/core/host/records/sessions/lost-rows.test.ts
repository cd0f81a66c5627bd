/** Session files of a history that has lost rows: which workflows are checked first, and which files stay. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Table } from '#contract/rows.ts';
import { newId } from '#core/base/ids.ts';
import { SessionProjector } from '#core/host/records/sessions/projector.ts';
import { filesBelow } from '../../../../support/session-files.ts';
import { folderWith } from '../../../../support/workspace.ts';
import { Conversation } from '../../../store/finished.ts';
import { openOn } from '../../../store/support.ts';

/** Stores an ended workflow with a sub-agent. `sessions`: where its files are. */
async function storeWorkflow() {
  const opened = await openOn('mem');
  onTestFinished(() => opened.close());
  const { store, database } = opened;
  const conversation = await new Conversation(store).create();
  const workflowId = await conversation.add({ children: [{ agent: 'reader', text: 'A report' }] });
  const { durable } = conversation.recording;
  const data = await folderWith({});
  const settings = { sessions: { project: false } };
  const onFailure = (notice: unknown): never => {
    throw new Error(JSON.stringify(notice));
  };
  return {
    conversation,
    workflowId,
    lead: durable[0]!,
    readerId: durable.find(({ agent }) => agent === 'reader')!.runId,
    sessions: join(data, 'sessions'),
    createProjector: () => new SessionProjector({ store, data, version: '0.0.0', settings, onFailure }),
    deleteRow: (table: Table, id: string) => database.query('DELETE $record', { record: database.record(table, id) }),
  };
}

test('checks a workflow that another process started before its first files are written', async () => {
  const { conversation, readerId, sessions, createProjector, deleteRow } = await storeWorkflow();
  await deleteRow('run', readerId);
  const projector = createProjector();
  projector.observe(conversation.recording.durable.at(-1)!);
  await projector.close();
  const [folder = ''] = await readdir(sessions);
  const files = await filesBelow(join(sessions, folder));
  expect(files['session.md']).toContain('\nThis history is not complete: 1 run cannot be found');
});

test('an event after the end of a workflow does not replace files that have more than the store', async () => {
  const { conversation, lead, readerId, sessions, createProjector, deleteRow } = await storeWorkflow();
  const projector = createProjector();
  for (const event of conversation.recording.durable) projector.observe(event);
  await projector.rebuild(conversation.row.id);
  const files = await filesBelow(sessions);
  await deleteRow('run', readerId);
  const { conversationId, workflowId, runId, parentRunId, agent } = lead;
  const who = { conversationId, workflowId, runId, parentRunId, agent };
  const fork = conversation.recording.record(who, { type: 'workflow-fork', to: newId(), end: 'after' });
  await conversation.store();
  projector.observe(fork);
  await projector.close();
  expect(await filesBelow(sessions)).toEqual(files);
});

test('keeps the files of a session whose workflows are no longer listed', async () => {
  const { conversation, workflowId, sessions, createProjector, deleteRow } = await storeWorkflow();
  await createProjector().rebuild(conversation.row.id);
  const files = await filesBelow(sessions);
  expect(Object.keys(files)).toHaveLength(3);
  await deleteRow('workflow', workflowId);
  const projector = createProjector();
  for (const event of conversation.recording.durable) projector.observe(event);
  await projector.close();
  expect(await filesBelow(sessions)).toEqual(files);
});

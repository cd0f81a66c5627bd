/** The whole texts of recorded conversations: the export as Markdown and the files of the session. */
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { exportConversation } from '#core/records/export/export.ts';
import { recordsOf } from '#core/records/export/record.ts';
import { agentPage } from '#core/records/sessions/agent-page.ts';
import { agentFileOf, folderNameOf } from '#core/records/sessions/names.ts';
import { sessionMetadata, sessionPage } from '#core/records/sessions/session-page.ts';
import { workflowPart } from '#core/records/sessions/workflow-part.ts';
import { apply } from '#core/store/apply.ts';
import { recordedTrouble, recordedWorkflow } from '../../../support/events.ts';
import { recordedServing } from '../../../support/flows/served.ts';
import { conversationId, conversationRow, type Recording } from '../../../support/recording.ts';
import { memoryStore } from '../../../support/stores/pooled.ts';

const onOneLine = (json: string): string => `${JSON.stringify(JSON.parse(json))}\n`;

/** All texts about a recording, each below a line with its name. */
async function textsOf({ durable }: Recording): Promise<string> {
  const store = await memoryStore();
  onTestFinished(() => store.close());
  await store.commit([], [{ kind: 'put', table: 'conversation', key: conversationId, row: conversationRow() }]);
  await store.commit(durable, durable.flatMap(apply));
  const conversation = (await store.conversation(conversationId))!;
  const folder = folderNameOf({ ...conversation, firstTitle: 'A recorded title' });
  const exported = await exportConversation(store, conversation, { format: 'md', version: '1.2.3' });
  const texts = [[exported.fileName, exported.text]];
  for await (const record of recordsOf(store, conversationId)) {
    const parts = [workflowPart(record, folder)];
    texts.push([join(folder, 'session.md'), sessionPage(conversation, parts)]);
    texts.push([join(folder, 'metadata.json'), onOneLine(sessionMetadata(conversation, parts, '1.2.3'))]);
    for (const run of record.runs.filter(({ kind }) => kind !== 'lead'))
      texts.push([join(folder, agentFileOf(run)), agentPage(run, record, folder)]);
  }
  return texts.map(([name, text]) => `======== ${name}\n${text}`).join('\n');
}

test.for([
  ['workflow', recordedWorkflow],
  ['trouble', recordedTrouble],
  ['coagent', recordedServing],
] as const)('the texts of the recorded %s are those of the file', async ([name, record]) => {
  await expect(await textsOf(record())).toMatchFileSnapshot(`recorded/${name}.txt`);
});

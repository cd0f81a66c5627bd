/** The whole texts of recorded conversations: the export as Markdown and the files of the session. */
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Approval } from '#contract/approval.ts';
import type { AssistantEntry, Entry, Image } from '#contract/message.ts';
import type { ConversationRow } from '#contract/view.ts';
import { markdownOf } from '#core/host/records/export/markdown.ts';
import { type ExportedWorkflow, recordsOf } from '#core/host/records/export/record.ts';
import { agentPage } from '#core/host/records/sessions/agent-page.ts';
import { agentFileOf, folderNameOf } from '#core/host/records/sessions/names.ts';
import { sessionMetadata, sessionPage } from '#core/host/records/sessions/session-page.ts';
import { workflowPart } from '#core/host/records/sessions/workflow-part.ts';
import { recordedTrouble, recordedWorkflow } from '../../../../support/events.ts';
import { recordedServing } from '../../../../support/flows/served.ts';
import { conversationId, conversationRow, idOf, type Recording } from '../../../../support/recording.ts';
import { memoryStore } from '../../../../support/stores/pooled.ts';
import { eventItems } from '../../../../support/commit-items.ts';

const onOneLine = (json: string): string => `${JSON.stringify(JSON.parse(json))}\n`;

async function storeRecording({ durable }: Recording) {
  const store = await memoryStore();
  onTestFinished(() => store.close());
  await store.commit([{ table: 'conversation', key: conversationId, row: conversationRow() }]);
  await store.commit(eventItems(durable));
  const conversation = (await store.conversation(conversationId))!;
  return { conversation, records: await collect(recordsOf(store, conversationId)) };
}

async function collect<T>(values: AsyncIterable<T>): Promise<T[]> {
  const items: T[] = [];
  for await (const value of values) items.push(value);
  return items;
}

async function* iterate<T>(values: readonly T[]): AsyncGenerator<T> {
  yield* values;
}

/** Returns all texts about a conversation, each below a line with its name. */
async function writeTexts(conversation: ConversationRow, records: readonly ExportedWorkflow[]): Promise<string> {
  const folder = folderNameOf({ ...conversation, firstTitle: 'A recorded title' });
  const texts = [['export', (await collect(markdownOf(conversation, iterate(records)))).join('')]];
  for (const record of records) {
    const parts = [workflowPart(record, folder, true)];
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
] as const)('the export and session files of the recorded %s equal the stored file', async ([name, record]) => {
  const { conversation, records } = await storeRecording(record());
  await expect(await writeTexts(conversation, records)).toMatchFileSnapshot(`recorded/${name}.txt`);
});

const at = '2026-03-01T12:00:09.000Z';
const image: Image = { mediaType: 'image/png', bytes: 1200, width: 4, height: 3, sha256: 'a'.repeat(64) };
const answer = {
  kind: 'assistant',
  at,
  messageId: 'm',
  responseId: null,
  stopReason: null,
  interrupted: false,
} as const;
const handoff = { kind: 'handoff', at, from: 'lead', to: 'critic', runId: null, round: 1, rounds: 2 } as const;

/** Entries of rare kinds. */
const RARE_ENTRIES: Entry[] = [
  { kind: 'user', n: 90, at, source: 'person', text: 'Look at this', images: [image], said: idOf(70) },
  {
    ...answer,
    n: 91,
    by: 'critic',
    parts: [
      { type: 'redacted_thinking', data: 'x' },
      { type: 'server', block: { type: 'server_tool_use', id: 's1', name: 'web_search', input: { query: 'q' } } },
      {
        type: 'server',
        block: {
          type: 'web_search_tool_result',
          tool_use_id: 's1',
          content: [{ title: 'A page', url: 'https://example.org/' }],
        },
      },
      { type: 'tool_use', id: 'c1', name: 'write_file', input: null, malformed: '{"path' },
      { type: 'tool_use', id: 'c2', name: 'write_file', input: { path: 'a.md' } },
    ],
    cut: { calls: ['write_file'] },
  } satisfies AssistantEntry,
  {
    kind: 'tool',
    n: 92,
    at,
    toolCallId: 'c2',
    name: 'write_file',
    status: 'completed',
    output: 'Wrote a.md',
    durationMs: 12,
    metadata: {},
  },
  ...(['budget', 'extended', 'retried', 'resumed', 'forked'] as const).map((code, index): Entry => ({
    kind: 'system',
    n: 93 + index,
    at,
    code,
    text: `It was ${code}`,
  })),
  { ...handoff, n: 98, answer: 91, prompt: 'Review it', back: { outcome: 'error', error: 'It *failed*' } },
  { ...handoff, n: 99, answer: 91, prompt: 'Go on' },
];

/** Returns the recorded workflow as a repeated fork, with rare entries, an edited approval and an undone call. */
async function createRareRecord() {
  const { conversation, records } = await storeRecording(recordedWorkflow());
  const record = records[0]!;
  const [lead, ...children] = record.runs;
  const other = { conversationId: idOf(72), workflowId: idOf(73), runId: idOf(74) };
  const step = { runId: idOf(74), entry: 3 };
  const forks = [
    { conversationId: idOf(75), end: 'before', at },
    { conversationId: idOf(76), end: 'after', at, step },
    { conversationId: idOf(77), end: 'before', at, step: { runId: idOf(74) } },
  ] as const;
  const call = { ...record.calls[0]!, runId: lead!.id, toolCallId: 'c2', name: 'write_file' };
  const undos = [true, false].map((undone) => ({ path: 'a.md', undone, at }));
  const writeCall = { ...call, wrote: 'a.md', wroteAlso: ['b/c.txt'], undos };
  const readCall = { ...call, toolCallId: 'c3', name: 'read_note', read: 'docs/b.md' };
  const edit = { edited: { prompt: 'Review src/lines.ts' }, outcome: 'edited', reason: 'Too *much*' } as const;
  const [approval] = record.approvals;
  const subject = { kind: 'replaced-folder', folder: '/home/ada/parser', hash: 'h' } as const;
  const request = { ...approval!.request, id: idOf(78), title: 'Use the new folder?', subject };
  const replacedFolder: Approval = { request, decisions: [null] };
  const rare: ExportedWorkflow = {
    ...record,
    workflow: {
      ...record.workflow,
      attempt: 2,
      images: [image],
      text: '',
      copiedFrom: { ...other, waitedMs: 100 },
      from: { ...other, ...step },
      forks: [...forks],
    },
    runs: [lead!, ...children.map((run) => ({ ...run, again: other }))],
    calls: [...record.calls, writeCall, readCall],
    approvals: [
      {
        ...approval!,
        context: [{ id: idOf(71), question: 'Why?\n# Not a heading', answer: null, error: null, at }],
        decisions: approval!.decisions.map((decision) => decision && { ...decision, ...edit }),
      },
      replacedFolder,
    ],
    entries: new Map([...record.entries, [lead!.id, [...(record.entries.get(lead!.id) ?? []), ...RARE_ENTRIES]]]),
  };
  const from = { ...other, title: 'Another', last: null };
  return { conversation: { ...conversation, title: '', deletedAt: at, from }, record: rare, lead: lead! };
}

test('the export and session files with rare entries equal the stored file', async () => {
  const { conversation, record } = await createRareRecord();
  const workflow: ExportedWorkflow['workflow'] = {
    ...record.workflow,
    status: 'pending',
    outcome: null,
    endedAt: null,
  };
  const queuedRecord = { ...record, workflow, runs: [], executions: [], calls: [], approvals: [], entries: new Map() };
  await expect(await writeTexts(conversation, [record, queuedRecord])).toMatchFileSnapshot('recorded/rare.txt');
});

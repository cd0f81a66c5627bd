/** A stored run as a flat history: the events go through the real store and come back as row and entries. */
import { expect, onTestFinished, test } from 'vitest';
import { type HistoryEntry, historyEntries } from '#core/records/adapters/history-entries.ts';
import { apply } from '#core/store/apply.ts';
import { memoryStore } from '../../../support/stores/pooled.ts';
import { recordedTrouble, recordedWorkflow, REPORT, troubled } from '../../../support/events.ts';
import { conversationId, conversationRow, lead, type Recording, reviewer } from '../../../support/recording.ts';
import { recordedServing, served } from '../../../support/flows/served.ts';

/** `until`: how many of the events had happened. */
async function historyOf({ durable }: Recording, runId: string, until?: number): Promise<HistoryEntry[]> {
  const store = await memoryStore();
  onTestFinished(() => store.close());
  await store.commit([], [{ kind: 'put', table: 'conversation', key: conversationId, row: conversationRow() }]);
  const events = durable.slice(0, until);
  await store.commit(events, events.flatMap(apply));
  const run = await store.run(runId);
  if (!run) throw new Error('The run was not stored');
  return historyEntries(run, await store.entriesOf(runId));
}

const short = (entry: HistoryEntry): string => {
  switch (entry.kind) {
    case 'Handoff':
      return `${entry.from} > ${entry.to}: ${entry.prompt}`;
    case 'User':
      return `User(${entry.source})`;
    case 'AssistantText':
      return entry.interrupted ? 'AssistantText(interrupted)' : 'AssistantText';
    case 'ToolCall':
      return `ToolCall(${entry.id})`;
    case 'ToolResult':
      return `ToolResult(${entry.call_id})`;
    case 'Compaction':
      return `Compaction(${entry.up_to}${entry.undone ? ', undone' : ''})`;
    case 'System':
      return `System(${entry.event.type})`;
  }
};

test('a lead: its start, the person’s words, its own, a call with its result, the final response', async () => {
  const history = await historyOf(recordedWorkflow(), lead.runId);
  const input = { operation: 'spawn', name: 'code-reviewer', prompt: 'Review src/parser.ts' };
  const text = 'One bug: the last line is dropped.';
  expect(history).toMatchObject([
    { kind: 'System', event: { type: 'SessionStart' } },
    { kind: 'User', source: 'person', text: 'Have the parser reviewed' },
    { kind: 'AssistantText', text: 'I will ask a reviewer.', interrupted: false },
    { kind: 'ToolCall', id: 'call_spawn', name: 'spawn_agent', arguments: input },
    {
      kind: 'ToolResult',
      call_id: 'call_spawn',
      status: 'completed',
      output: '{"success":true}',
      metadata: {},
    },
    { kind: 'AssistantText', text },
    { kind: 'System', event: { type: 'TaskComplete', final_response: text } },
  ]);
  expect(history.every(({ timestamp }) => !Number.isNaN(Date.parse(timestamp)))).toBe(true);
});

test('a result stands directly after its call, also where another came first; a cut-off response is marked', async () => {
  const history = await historyOf(recordedWorkflow(), reviewer.runId);
  expect(history.map(short)).toEqual([
    'System(SessionStart)',
    'User(parent)',
    'AssistantText(interrupted)',
    'ToolCall(call_read_0)',
    'ToolResult(call_read_0)',
    'ToolCall(call_read_1)',
    'ToolResult(call_read_1)',
    'AssistantText',
    'System(TaskComplete)',
  ]);
  const [first, second] = history.filter(({ kind }) => kind === 'ToolResult');
  expect(Date.parse(first?.timestamp ?? '')).toBeGreaterThan(Date.parse(second?.timestamp ?? ''));
  expect(history.at(-1)).toMatchObject({ event: { final_response: REPORT } });
});

test('a call whose result has not come stands alone', async () => {
  const recording = recordedWorkflow();
  const until = recording.durable.findIndex(({ type }) => type === 'tool-end');
  const history = await historyOf(recording, reviewer.runId, until);
  expect(history.map(short).slice(-2)).toEqual(['ToolCall(call_read_0)', 'ToolCall(call_read_1)']);
});

test('the limit of iterations, a loop and a stop are remarks; none of them is a completed task', async () => {
  const recording = recordedTrouble();
  expect((await historyOf(recording, troubled.endless.runId)).map(short)).toEqual([
    'System(SessionStart)',
    'User(parent)',
    'System(MaxIterationsReached)',
    'User(engine)',
    'AssistantText',
  ]);
  expect((await historyOf(recording, troubled.stuck.runId)).map(short)).toEqual([
    'System(SessionStart)',
    'User(parent)',
    'Compaction(1, undone)',
    'System(DoomLoopDetected)',
  ]);
  expect((await historyOf(recording, troubled.lead.runId)).map(short)).toEqual([
    'System(SessionStart)',
    'User(person)',
    'ToolCall(call_parallel)',
    'ToolResult(call_parallel)',
    'System(Cancelled)',
  ]);
});

test('a sub-agent that was turned down has no history; one that was stopped before its start says so', async () => {
  const recording = recordedTrouble();
  const { runId } = troubled.turnedDown;
  expect(await historyOf(recording, runId)).toEqual([]);
  for (const event of recording.events) {
    if (event.type === 'run-end' && event.runId === runId) event.outcome = 'cancelled';
  }
  expect((await historyOf(recording, runId)).map(short)).toEqual(['System(Cancelled)']);
});

test('arguments that are no JSON are given as the model wrote them', async () => {
  const recording = recordedWorkflow();
  for (const event of recording.events) {
    if (event.type !== 'message-end' || event.entry.kind !== 'assistant') continue;
    for (const part of event.entry.parts) {
      if (part.type === 'tool_use' && part.id === 'call_read_1') part.malformed = '{"path": "src/li';
    }
  }
  const history = await historyOf(recording, reviewer.runId);
  expect(history).toContainEqual(expect.objectContaining({ id: 'call_read_1', arguments: '{"path": "src/li' }));
});

test('a handoff stands where it happened, both ways, before the words that the agent got', async () => {
  expect((await historyOf(recordedServing(), served.lead.runId)).map(short).slice(-9)).toEqual([
    'ToolResult(call_delegate)',
    'AssistantText',
    'lead > critic: Review round 1',
    'critic > lead: Score: 60\nName the files.',
    'User(coagent)',
    'AssistantText',
    'lead > critic: Review round 2',
    'critic > lead: Score: 90\nGood.',
    'System(TaskComplete)',
  ]);
});

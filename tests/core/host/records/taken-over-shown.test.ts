// What a fork took over is the same in its chat, in its history and at the end of its replay, with the sub-agents of its origin.
import { expect, test } from 'vitest';
import type { DurableEvent } from '#contract/event.ts';
import { originEvents, withOrigin } from '#lib/history/replay/origin-events.ts';
import { readEvents } from '#lib/history/replay/read-events.ts';
import { fromSnapshot, type View } from '#lib/view/reduce.ts';
import { Keyframes, viewBefore } from '#lib/view/replay/keyframes.ts';
import { CHILD, LEAD, spawn } from '../../../support/fake-model/scenarios.ts';
import { Script, text, toolUse } from '../../../support/fake-model/script.ts';
import { sharedEngine } from '../../../support/shared-engine.ts';

const { start } = sharedEngine();

const script = () =>
  new Script()
    .on({ ...CHILD, step: 1 })
    .reply([toolUse('read_file', { path: 'a.txt' })])
    .on(CHILD)
    .reply([text('# Report\n\nIn the cellar.')])
    .on({ ...LEAD, step: 1 })
    .reply([
      spawn({ name: 'scout', prompt: 'Find it.' }, 'call_1'),
      spawn({ name: 'other', prompt: 'Look.' }, 'call_2'),
    ])
    .on({})
    .reply([text('Done.')]);

/** What the screens make a card of. */
const cards = ({ runs }: Pick<View, 'runs'>) =>
  runs
    .filter(({ parentRunId }) => parentRunId !== null)
    .map(({ id, parentRunId, workflowId, toolCallId, item, name, outcome, text: says, usage, copiedFrom }) => ({
      id,
      parentRunId,
      workflowId,
      toolCallId,
      item,
      name,
      outcome,
      says,
      usage,
      copiedFrom,
    }))
    .toSorted((a, b) => (a.id < b.id ? -1 : 1));

test('a fork shows identical sub-agent cards in the chat, the history and the replay', async () => {
  const engine = await start(script(), { files: { 'a.txt': 'A' } });
  const { runtime, conversationId } = engine;
  const { workflowId } = await engine.ask('Look');
  const fork = await runtime.request('conversation.fork', { conversationId, workflowId });
  const chat = fromSnapshot(await runtime.request('conversation.snapshot', { conversationId: fork.id }));
  const detail = await runtime.request('workflow.get', { workflowId: chat.workflows[0]?.id ?? '' });
  const elsewhere = detail.elsewhere ?? [];
  expect(cards(chat)).toHaveLength(2);
  expect(cards({ runs: elsewhere })).toEqual(cards(chat));
  expect(cards(detail), 'they are no part of it').toEqual([]);

  const own: DurableEvent[] = [];
  for await (const page of readEvents(runtime, detail.workflow)) own.push(...page.events);
  const events = withOrigin(own, await originEvents(runtime, elsewhere));
  const replay = new Keyframes(viewBefore(detail.conversation));
  replay.add(events);
  const end = replay.at(events.length);
  expect(cards(end)).toEqual(cards(chat));
  expect(events.at(-1)).toMatchObject({ type: 'workflow-end', runId: detail.workflow.runId });
  expect(events.map(({ at }) => at)).toEqual(events.map(({ at }) => at).toSorted());
  for (const { id } of elsewhere) {
    expect(end.entries.get(id)).toEqual(await runtime.request('run.entries', { runId: id }));
    const calls = end.calls.filter(({ runId }) => runId === id);
    expect(calls).toHaveLength(1);
    expect(calls).toEqual(await runtime.request('run.calls', { runId: id }));
  }
});

// What a fork took over is the same in its chat, in its history and at the end of its replay, with the sub-agents of its origin.
import { expect, test } from 'vitest';
import { Player } from '#lib/history/replay/player.svelte.ts';
import { WorkflowPage } from '#lib/history/workflow-page.svelte.ts';
import { fromSnapshot, type View, withEntries } from '#lib/view/reduce.ts';
import { CHILD, LEAD, spawn } from '../../../support/fake-model/scenarios.ts';
import { Script, text, toolUse } from '../../../support/fake-model/script.ts';
import { sharedEngine } from '../../../support/shared-engine.ts';
import { FakeConnection, settled } from '../../support/fake-connection.ts';

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
const cards = ({ runs }: View) =>
  runs
    .filter(({ parentRunId }) => parentRunId !== null)
    .map(({ id, parentRunId, workflowId, toolCallId, item, name, outcome, text: says, usage, cached }) => ({
      ...{ id, parentRunId, workflowId, toolCallId, item, name, outcome, says, usage, cached },
    }))
    .toSorted((a, b) => (a.id < b.id ? -1 : 1));

test('the cards of a fork are the same in all three', async () => {
  const { runtime, conversationId, ask } = await start(script(), { files: { 'a.txt': 'A' } });
  const { workflowId } = await ask('Look');
  const fork = await runtime.request('conversation.fork', { conversationId, workflowId });
  const snapshot = await runtime.request('conversation.snapshot', { conversationId: fork.id });
  const chat = fromSnapshot(snapshot);
  const [copy] = snapshot.workflows;
  expect(cards(chat)).toHaveLength(2);

  const player = new Player(runtime, copy?.id ?? '');
  await player.load();
  expect(player.failure).toBeNull();
  const end = player.end!;
  expect(cards(end)).toEqual(cards(chat));
  expect(player.events.at(-1)).toMatchObject({ type: 'workflow-end', runId: copy?.runId });
  expect(player.steps.some(({ runId, what }) => runId === cards(chat)[0]?.id && what.kind === 'call')).toBe(true);

  const connection = new FakeConnection();
  for (const method of ['workflow.get', 'run.entries', 'run.calls'] as const)
    connection.on(method, (input) => runtime.request(method, input as never) as never);
  const page = new WorkflowPage(connection, copy?.id ?? '');
  await page.load();
  await settled();
  expect(cards(page.view!)).toEqual(cards(chat));
  for (const { id } of cards(chat)) {
    await page.loadEntries(id);
    const entries = await runtime.request('run.entries', { runId: id });
    expect(withEntries(chat, id, entries).entries[id]).toEqual(end.entries[id]);
    expect(page.view?.entries[id]).toEqual(end.entries[id]);
    const calls = (view: View) => view.calls.filter(({ runId }) => runId === id);
    expect(calls(page.view!)).toEqual(calls(end));
    expect(calls(end)).toHaveLength(1);
  }
  page.close();
  player.close();
});

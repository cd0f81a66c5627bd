/** What a replay shows is made of stored events alone: of three agents, from end to end, with no request to the model. */
import { expect, test } from 'vitest';
import { readEvents } from '#lib/history/replay/read-events.ts';
import { fromSnapshot } from '#lib/view/reduce.ts';
import { Keyframes, viewBefore } from '#lib/view/replay/keyframes.ts';
import { stepsOf } from '#lib/view/replay/steps.ts';
import { withWritten, writingsOf } from '#lib/view/replay/writings.ts';
import { threeChildren } from '../../../support/fake-model/scenarios.ts';
import { sharedEngine } from '../../../support/shared-engine.ts';

const { start } = sharedEngine();

test('a replay of a workflow with three sub-agents sends no requests and ends in the recorded state', async () => {
  const engine = await start(threeChildren({ reply: { deltaMs: 2 } }));
  const { runtime, conversationId } = engine;
  const { workflowId } = await engine.ask('Split this.');
  const asked = engine.model.requests.length;
  expect(asked, 'the lead twice, each of three twice').toBe(8);
  const before = await runtime.request('conversation.snapshot', { conversationId });

  const { workflow, conversation } = await runtime.request('workflow.get', { workflowId });
  const frames = new Keyframes(viewBefore(conversation));
  for await (const { events } of readEvents(runtime, workflow)) frames.add(events);
  const { events } = frames;
  const writings = writingsOf(events);
  const texts = new Set<string>();
  for (let count = 0; count <= events.length; count += 1) {
    const [from, to] = [events[count - 1], events[count]].map((event) => Date.parse(event?.at ?? ''));
    for (const share of [0, 0.5]) {
      const at = (from ?? 0) + share * ((to ?? 0) - (from ?? 0));
      for (const { parts } of withWritten(frames.at(count), writings, at).open)
        texts.add(parts.map(({ text }) => text).join(''));
    }
  }
  expect(engine.model.requests.length, 'nothing was asked of the model').toBe(asked);
  expect(await runtime.request('conversation.snapshot', { conversationId }), 'nothing has happened').toEqual(before);

  const rows = fromSnapshot(before);
  const end = frames.at(events.length);
  expect(end.workflows).toEqual(rows.workflows);
  expect(end.runs).toEqual(rows.runs);
  expect(end.approvals).toEqual(rows.approvals);
  expect(end.calls).toEqual(expect.arrayContaining(rows.calls));
  for (const { id } of end.runs)
    expect(end.entries.get(id)).toEqual(await runtime.request('run.entries', { runId: id }));
  expect(texts.size, 'words came in pieces').toBeGreaterThan(8);
  const started = stepsOf(
    events,
    events.map(({ at }) => Date.parse(at)),
  ).filter(({ what }) => what.kind === 'started');
  expect(started.map(({ agent }) => agent)).toHaveLength(4);
});

/** The same view live, after attaching in the middle, and from the store: with real runs. */
import { describe, expect, test } from 'vitest';
import type { AgentEvent } from '#contract/event.ts';
import { attach, fromSnapshot, reduce, type View, withEntries } from '#lib/view/reduce.ts';
import { type Harness, type HarnessOptions, startEngine } from '../../../support/engine.ts';
import type { Script } from '../../../support/fake-model/script.ts';
import { batch, threeChildren, writeFile } from '../../../support/fake-model/scenarios.ts';
import { inFullRun, variations } from '../../../support/samples.ts';

const byId = (a: { id: string }, b: { id: string }): number => (a.id < b.id ? -1 : 1);

/** What every client must agree on; entries of all runs, whether they were loaded or came live. */
async function settled(engine: Harness, view: View): Promise<unknown> {
  let whole = view;
  for (const run of view.runs)
    whole = withEntries(whole, run.id, await engine.runtime.request('run.entries', { runId: run.id }));
  const { conversation, workflows, runs, approvals, entries, open, seq } = whole;
  const questions = approvals.map(({ request, decisions }) => ({ id: request.id, decisions })).sort(byId);
  return { seq, conversation, workflows, runs: runs.toSorted(byId), questions, entries: new Map(entries), open };
}

/** Streams so slowly that a call is complete long before its response. */
const earlyChildren = (): Script => threeChildren({ reply: { deltaMs: 20 }, deltas: 6 });

describe('views', () => {
  test.for<[string, () => Script, NonNullable<HarnessOptions['person']>]>(
    variations([
      ['sub-agents started early', earlyChildren, () => ({ kind: 'allow' })],
      [
        'a batch with a refusal',
        batch,
        (_, item) => (item === 0 ? { kind: 'reject', reason: 'no' } : { kind: 'allow' }),
      ],
      ['three sub-agents', threeChildren, () => ({ kind: 'allow' })],
      ['an edited write', writeFile, () => ({ kind: 'edit', value: { path: 'x.md', content: 'edited' } })],
    ]),
  )('the events and the store produce equal views: %s', async ([, scenario, person]) => {
    const engine = await startEngine(scenario(), { person });
    const empty = fromSnapshot(
      await engine.runtime.request('conversation.snapshot', { conversationId: engine.conversationId }),
    );
    await engine.ask('Look at all parts');
    await engine.ask('And again');
    const stored = fromSnapshot(
      await engine.runtime.request('conversation.snapshot', { conversationId: engine.conversationId }),
    );
    const expected = await settled(engine, stored);
    expect(await settled(engine, reduce(empty, engine.events)), 'from all events').toEqual(expected);
    expect(await settled(engine, reduce(empty, engine.durable())), 'from the stored ones').toEqual(expected);
    expect(stored.open).toEqual([]);
  });

  test.for(
    variations([
      ['calls that run before the response ends', earlyChildren],
      ['responses without delay', threeChildren],
    ] as const),
  )('clients that attach at any event receive all text exactly once: %s', async ([, scenario]) => {
    const engine = await startEngine(scenario());
    const { conversationId, runtime } = engine;
    const clients: { events: AgentEvent[]; view: Promise<View> }[] = [];
    let count = 0;
    await runtime.subscribe('conversation', { conversationId }, () => {
      if ((count += 1) % (inFullRun ? 3 : 8) !== 0) return;
      const events: AgentEvent[] = [];
      const view = runtime
        .subscribe('conversation', { conversationId }, (event) => events.push(event))
        .then(async () => {
          const snapshot = await runtime.request('conversation.snapshot', { conversationId });
          return attach(snapshot, events.splice(0));
        });
      clients.push({ events, view });
    });
    await engine.ask('Look at all parts');
    expect(clients.length).toBeGreaterThan(8);
    if (scenario === earlyChildren) expect(engine.of('message-part').length).toBeGreaterThan(0);
    const expected = await settled(
      engine,
      fromSnapshot(await runtime.request('conversation.snapshot', { conversationId })),
    );
    for (const { events, view } of clients) expect(await settled(engine, reduce(await view, events))).toEqual(expected);
  });
});

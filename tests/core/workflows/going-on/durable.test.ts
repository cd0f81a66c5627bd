/** A fork that goes on survives a kill in the middle of what it takes from the cache; nothing of that is counted or told twice. */
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import type { DurableEvent } from '#contract/event.ts';
import { apply } from '#core/store/apply.ts';
import type { Store, Write } from '#core/store/store.ts';
import { openStore } from '#core/store/surreal.ts';
import { startEngine } from '../../../support/engine.ts';
import { threeChildren } from '../../../support/fake-model/scenarios.ts';
import { goOn, lastCall, snapshotOf, told } from './going-on.ts';
import { fullTest, inFullRun } from '../../../support/samples.ts';
import { startCollector } from '../../../support/telemetry/collector.ts';
import { lasting, memoryStore } from '../../../support/stores/pooled.ts';
import { folderWith } from '../../../support/workspace.ts';

const root = await mkdtemp(join(tmpdir(), 'triad-going-on-'));
afterAll(() => rm(root, { recursive: true, force: true, maxRetries: 3 }));

/** Forks at the last step, and copies the store as a kill leaves it: after each event of what is taken, or after these. */
async function killedFork(points: readonly string[] | null) {
  const data = await mkdtemp(join(root, 'fork-'));
  const opened = await openStore({ url: `rocksdb://${join(data, 'store')}` });
  const copies: string[] = [];
  let seen: DurableEvent['type'][] | null = null;
  const store = Object.assign(Object.create(opened) as Store, {
    commit: async (events: DurableEvent[], writes: Write[]) => {
      if (!seen || events.length === 0) return opened.commit(events, writes);
      for (const event of events) {
        await opened.commit([event], apply(event));
        seen.push(event.type);
        const count = seen.filter((type) => type === event.type).length;
        // What comes after is work like any other.
        if (points ? !points.includes(`${event.type}#${count}`) : seen.includes('request-start')) continue;
        copies.push(join(data, `killed-${copies.length}`));
        await cp(join(data, 'store'), copies.at(-1)!, { recursive: true, filter: (path) => !path.endsWith('.tmp') });
      }
    },
  });
  const engine = await startEngine(threeChildren(), { store });
  const { workflowId } = await engine.ask('Look at all of it');
  const first = await told(engine, workflowId);
  seen = [];
  const fork = await goOn(engine, { workflowId, entry: lastCall(first.entries) });
  seen = null;
  const stores = copies.map((place) => () => openStore({ url: `rocksdb://${place}` }));
  return { stores, made: fork.made, first };
}

/** Forks at the last step in memory, and stores nothing more of it from between the results of two sub-agents that are taken. */
async function diedFork(resultCount = 5) {
  const opened = await memoryStore();
  const died = Promise.withResolvers<{ id: string }>();
  let origin: string | null = null;
  let results = 0;
  const commit: Store['commit'] = async (events, writes) => {
    if (origin === null || (events.length === 0 && results < resultCount)) return opened.commit(events, writes);
    for (const event of events) {
      // That it was forked is told in the first conversation, before or after what is taken.
      const isOfFork = event.conversationId !== origin;
      if (isOfFork && results === resultCount) return died.resolve({ id: event.conversationId });
      await opened.commit([event], apply(event));
      if (event.type === 'tool-end') results += 1;
    }
  };
  const engine = await startEngine(threeChildren(), {
    store: { ...lasting(opened), commit },
  });
  const { conversationId, runtime } = engine;
  const { workflowId } = await engine.ask('Look at all of it');
  const first = await told(engine, workflowId);
  origin = conversationId;
  const step = { conversationId, workflowId, entry: lastCall(first.entries) };
  void runtime.request('conversation.fork', { ...step, goOn: true }).catch(() => undefined);
  const made = await died.promise;
  await runtime.close();
  return { stores: [() => Promise.resolve<Store>(opened)], made, first };
}

const ended = (engine: Parameters<typeof snapshotOf>[0], conversationId: string) =>
  expect
    .poll(async () => (await snapshotOf(engine, conversationId)).workflows.at(-1)?.outcome, { timeout: 20_000 })
    .toBe('completed');

test('ended in the middle, in the full run killed after every event, it goes on with what it has: each step once, and one request in all', async () => {
  const { stores, made, first } = await (inFullRun ? killedFork(null) : diedFork());
  const { workflowId } = first.lead;
  expect(stores.length).toBeGreaterThan(inFullRun ? 10 : 0);
  for (const store of stores) {
    const next = await startEngine(threeChildren(), { store: await store() });
    const workflow = (await snapshotOf(next, made.id)).workflows.at(-1)!;
    if (workflow.outcome === 'interrupted') await next.runtime.request('workflow.resume', { workflowId: workflow.id });
    await ended(next, made.id);
    const { lead, children, entries, requests } = await told(next, workflow.id);
    expect(next.model.requests.length).toBeLessThanOrEqual(1);
    const steps = entries.filter(({ kind }) => kind === 'assistant' || kind === 'tool');
    expect(steps.map(({ cached }) => cached !== undefined)).toEqual([true, true, true, true, false]);
    expect(children.map(({ agent, outcome: how, cached }) => [agent, how, cached?.workflowId])).toEqual(
      ['alpha', 'beta', 'gamma'].map((agent) => [agent, 'completed', workflowId]),
    );
    expect(requests.filter(({ error }) => error === null)).toHaveLength(1);
    expect(children.every(({ usage }) => usage.requests === 0)).toBe(true);
    const check = await next.runtime.request('conversation.check', { conversationId: made.id });
    expect(check.missing).toEqual([]);
    const before = await snapshotOf(next, made.id);
    await next.store.rebuild();
    expect(await snapshotOf(next, made.id)).toEqual(before);
    expect(lead.outcome).toBe('completed');
  }
});

test('where the first conversation is gone after the kill, what was not taken yet is asked, and nothing is lost', async () => {
  const { stores, made, first } = await (inFullRun ? killedFork(['run-start#3']) : diedFork(3));
  const next = await startEngine(threeChildren(), { store: await stores[0]!() });
  const workflowId = (await snapshotOf(next, made.id)).workflows.at(-1)!.id;
  const { conversationId } = first.lead;
  await next.runtime.request('conversation.delete', { conversationId });
  await next.runtime.request('conversation.purge', { conversationId });
  await next.runtime.request('workflow.resume', { workflowId });
  await ended(next, made.id);
  const { children } = await told(next, workflowId);
  // The sub-agent whose result was being copied is not among the three completed ones.
  const completedRuns = children.filter(({ outcome }) => outcome === 'completed');
  expect(completedRuns.map(({ agent }) => agent).sort()).toEqual(['alpha', 'beta', 'gamma']);
  const [copiedRuns, newRuns] = [true, false].map((isCopied) =>
    completedRuns.filter(({ cached }) => (cached !== undefined) === isCopied),
  );
  // How many were copied depends on the order in which the first sub-agents ended.
  for (const runs of [copiedRuns, newRuns]) expect(runs!.length).toBeGreaterThan(0);
  // Two requests of each new run, and one of the lead.
  expect(next.model.requests).toHaveLength(1 + 2 * newRuns!.length);
});

fullTest('tests/core/telemetry/open-calls.test.ts › events that a fork has copied create no spans')(
  'telemetry tells of what was taken only where it was done',
  async () => {
    const collector = await startCollector();
    const data = await folderWith();
    const engine = await startEngine(threeChildren(), { data, settings: `telemetry.endpoint = "${collector.url}"\n` });
    const { workflowId } = await engine.ask('Look at all of it');
    const each = (await collector.have(19)).length;
    const first = await told(engine, workflowId);
    const fork = await goOn(engine, { workflowId, entry: lastCall(first.entries) });
    const spans = await collector.have(each + 3);
    const own = spans.filter(({ traceId }) => traceId === fork.lead.traceId);
    expect(own.map(({ name }) => name.split(' ')[0]).sort()).toEqual(['chat', 'invoke_agent', 'prompt']);
  },
);

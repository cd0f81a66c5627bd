/** A fork that goes on survives a kill, or is none if its copy was cut off; nothing that is copied is counted or told twice. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import type { DurableEvent } from '#contract/event.ts';
import { type Harness, startEngine } from '../../../support/engine.ts';
import { threeChildren } from '../../../support/fake-model/scenarios.ts';
import { goOn, lastCall, snapshotOf, told } from './going-on.ts';
import { fullTest, inFullRun, TEST_SEED } from '../../../support/samples.ts';
import { startCollector } from '../../../support/telemetry/collector.ts';
import { lasting, memoryStore } from '../../../support/stores/pooled.ts';
import { folderWith } from '../../../support/workspace.ts';
import { eventsIn } from '../../../support/commit-items.ts';
import { copyStoreFiles } from '../../../support/stores/copy-store.ts';
import { rebuilt } from '../../../support/stores/rebuilt.ts';
import { storeAt } from '../../../support/stores/on-disk.ts';

const root = await mkdtemp(join(tmpdir(), 'triad-going-on-'));
afterAll(() => rm(root, { recursive: true, force: true, maxRetries: 3 }));

/** Forks at the last step, and copies the store as a kill leaves it: after each event before its first own request. */
async function killedFork() {
  const data = await mkdtemp(join(root, 'fork-'));
  const opened = await storeAt(join(data, 'store'));
  const copies: string[] = [];
  let seen: DurableEvent['type'][] | null = null;
  const store = Object.assign(Object.create(opened) as Harness['store'], {
    commit: async (items: Parameters<Harness['store']['commit']>[0]) => {
      const events = eventsIn(items);
      if (!seen || events.length === 0) return opened.commit(items);
      for (const event of events) {
        await opened.commit([{ event }]);
        seen.push(event.type);
        // What comes after is work like any other.
        if (seen.includes('request-start')) continue;
        copies.push(join(data, `killed-${copies.length}`));
        await copyStoreFiles(join(data, 'store'), copies.at(-1)!);
      }
    },
  });
  const engine = await startEngine(threeChildren(), { store });
  const { workflowId } = await engine.ask('Look at all of it');
  const first = await told(engine, workflowId);
  seen = [];
  const fork = await goOn(engine, { workflowId, entry: lastCall(first.entries) });
  seen = null;
  const stores = copies.map((place) => () => storeAt(place));
  return { stores, made: fork.made, first };
}

/** Forks at the last step in memory, and stores nothing more of it after this event. */
async function diedFork(isLast: (event: DurableEvent) => boolean) {
  const opened = await memoryStore();
  const died = Promise.withResolvers<{ id: string }>();
  let origin: string | null = null;
  let isDead = false;
  const commit: Harness['store']['commit'] = async (items) => {
    const events = eventsIn(items);
    if (isDead) return undefined;
    if (origin === null || events.length === 0) return opened.commit(items);
    for (const event of events) {
      await opened.commit([{ event }]);
      if (event.conversationId === origin || !isLast(event)) continue;
      isDead = true;
      died.resolve({ id: event.conversationId });
      return undefined;
    }
  };
  const engine = await startEngine(threeChildren(), {
    store: {
      ...lasting(opened),
      commit,
      restore: (id) => (isDead ? new Promise(() => undefined) : opened.restore(id)),
    },
  });
  const { conversationId, runtime } = engine;
  const { workflowId } = await engine.ask('Look at all of it');
  const first = await told(engine, workflowId);
  origin = conversationId;
  const step = { conversationId, workflowId, entry: lastCall(first.entries) };
  void runtime.request('conversation.fork', { ...step, goOn: true }).catch(() => undefined);
  const made = await died.promise;
  await runtime.close();
  return { stores: [() => Promise.resolve<Harness['store']>(opened)], made, first };
}

const nth = (count: number, type: DurableEvent['type']) => (event: DurableEvent) =>
  event.type === type && (count -= 1) === 0;

const ended = (engine: Parameters<typeof snapshotOf>[0], conversationId: string) =>
  expect
    .poll(async () => (await snapshotOf(engine, conversationId)).workflows.at(-1)?.outcome, { timeout: 20_000 })
    .toBe('completed');

/** A fork whose copy was cut off: nothing of it is there to go on with. */
async function expectNone(next: Awaited<ReturnType<typeof startEngine>>, conversationId: string): Promise<void> {
  await expect(next.runtime.request('conversation.restore', { conversationId })).rejects.toMatchObject({
    code: 'conflict',
    message: expect.stringContaining('fork it again') as string,
  });
  expect((await next.runtime.request('conversation.list', {})).items.map(({ id }) => id)).not.toContain(conversationId);
  expect(next.model.requests).toHaveLength(0);
}

test.for(['tool-end', 'run-end', 'workflow-end'] as const)(
  'a fork whose copy was cut off after a %s is in the trash and cannot be restored',
  async (type) => {
    const { stores, made } = await diedFork(nth(type === 'tool-end' ? 5 : type === 'run-end' ? 3 : 1, type));
    await expectNone(await startEngine(threeChildren(), { store: await stores[0]!() }), made.id);
  },
);

test('a continued fork killed after its copy completes without the first conversation', async () => {
  // The second start of its lead.
  const { stores, made, first } = await (inFullRun ? killedFork() : diedFork(nth(5, 'run-start')));
  const { workflowId } = first.lead;
  expect(stores.length).toBeGreaterThan(inFullRun ? 10 : 0);
  for (const [at, store] of stores.entries()) {
    // Each takes seconds. The seed chooses which quarter of them.
    if (inFullRun && at % 4 !== Number(TEST_SEED) % 4) continue;
    const next = await startEngine(threeChildren(), { store: await store() });
    const { items } = await next.runtime.request('trash.list', {});
    if (items.some(({ id }) => id === made.id)) {
      await expectNone(next, made.id);
      continue;
    }
    const { conversationId } = first.lead;
    await next.runtime.request('conversation.delete', { conversationId });
    await next.runtime.request('conversation.purge', { conversationId });
    const workflow = (await snapshotOf(next, made.id)).workflows.at(-1)!;
    if (workflow.outcome === 'interrupted') await next.runtime.request('workflow.resume', { workflowId: workflow.id });
    await ended(next, made.id);
    const { lead, children, entries, requests } = await told(next, workflow.id);
    expect(next.model.requests.length).toBeLessThanOrEqual(1);
    const steps = entries.filter(({ kind }) => kind === 'assistant' || kind === 'tool');
    expect(steps.map(({ copiedFrom }) => copiedFrom !== undefined)).toEqual([true, true, true, true, false]);
    expect(children.map(({ agent, outcome: how, copiedFrom }) => [agent, how, copiedFrom?.workflowId])).toEqual(
      ['alpha', 'beta', 'gamma'].map((agent) => [agent, 'completed', workflowId]),
    );
    expect(requests.filter(({ error }) => error === null)).toHaveLength(1);
    expect(children.every(({ usage }) => usage.requests === 0)).toBe(true);
    const check = await next.runtime.request('conversation.check', { conversationId: made.id });
    expect(check.missing).toEqual([]);
    const before = await snapshotOf(next, made.id);
    const again = await startEngine(threeChildren(), { store: await rebuilt(next.store) });
    expect(await snapshotOf(again, made.id)).toEqual(before);
    expect(lead.outcome).toBe('completed');
  }
});

fullTest('tests/core/host/telemetry/open-calls.test.ts › events that a fork has copied create no spans')(
  'telemetry has spans only for the new work of a continued fork',
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

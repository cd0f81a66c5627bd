/** What happens at once is stored at once: a hand-off waits for one commit, not for one after the other. */
import { expect, test } from 'vitest';
import type { DurableEvent } from '#contract/event.ts';
import { memoryStore } from '../../support/stores/pooled.ts';
import { type Harness, startEngine } from '../../support/engine.ts';
import { threeChildren } from '../../support/fake-model/scenarios.ts';
import { eventsIn } from '../../support/commit-items.ts';

/** A store, and the events of each of its commits. */
async function watched(): Promise<{ store: Harness['store']; commits: DurableEvent[][] }> {
  const store = await memoryStore();
  const commits: DurableEvent[][] = [];
  const commit: Harness['store']['commit'] = (items) => {
    const events = eventsIn(items);
    commits.push([...events]);
    return store.commit(items);
  };
  return { store: { ...store, commit }, commits };
}
const holding = (commits: DurableEvent[][], type: DurableEvent['type'], agents: readonly string[]): number[] =>
  commits
    .map((events) => events.filter((event) => event.type === type && agents.includes(event.agent)).length)
    .filter((count) => count > 0);

test('three sub-agents that need no person are requested, approved and started in one commit', async () => {
  const { store, commits } = await watched();
  const engine = await startEngine(threeChildren(), { store });
  expect((await engine.ask('Go', 'all')).outcome).toBe('completed');
  const names = ['alpha', 'beta', 'gamma'];
  expect(holding(commits, 'run-start', names)).toEqual([3]);
  const started = commits.find((events) =>
    events.some(({ type, agent }) => type === 'run-start' && names.includes(agent)),
  );
  const types = new Set(started?.map(({ type }) => type));
  for (const type of ['approval-request', 'approval-decide', 'run-queue', 'tool-start'] as const)
    expect(types).toContain(type);
});

/** The registry finds agents by name, and keeps temporary ones of the same name apart. */
import { expect, test } from 'vitest';
import type { AgentDefinition } from '#contract/agent.ts';
import { AgentRegistry } from '#core/agents/registry.ts';
import { definitionOf } from '../../support/envelope.ts';

const agent = (name: string, fields: Partial<AgentDefinition> = {}): AgentDefinition =>
  definitionOf({ name, description: `${name} works`, ...fields });
const temporary = (name: string) => agent(name, { lifecycle: 'temporary', source: 'spawned' });

test('finds agents by name, and finds no unknown or disabled agent', () => {
  const registry = new AgentRegistry();
  registry.register(agent('a'));
  registry.register(agent('off', { enabled: false }));
  expect(registry.lookup('a')?.description).toBe('a works');
  expect(registry.lookup('off')).toBeNull();
  expect(registry.lookup('none')).toBeNull();
  expect(registry.unregister('a')).toBe(true);
  expect(registry.unregister('a')).toBe(false);
  expect(registry.lookup('a')).toBeNull();
});

test('the later definition of a name replaces the earlier', () => {
  const registry = new AgentRegistry();
  registry.register(agent('a', { source: 'builtin' }));
  registry.register(agent('a', { source: 'project' }));
  expect(registry.list().map(({ source }) => source)).toEqual(['project']);
});

test('lists are alphabetical and can leave out disabled ones', () => {
  const registry = new AgentRegistry();
  for (const name of ['c', 'a', 'b']) registry.register(agent(name, { enabled: name !== 'b' }));
  expect(registry.list().map(({ name }) => name)).toEqual(['a', 'b', 'c']);
  expect(registry.list({ enabled: true }).map(({ name }) => name)).toEqual(['a', 'c']);
  expect(registry.list({ enabled: false }).map(({ name }) => name)).toEqual(['b']);
});

test('lists only enabled, permanent agents that are not leads as delegable', () => {
  const registry = new AgentRegistry();
  registry.register(agent('z'));
  registry.register(agent('b'));
  registry.register(agent('lead', { role: 'primary' }));
  registry.register(agent('off', { enabled: false }));
  registry.register(temporary('temp'), 'run-1');
  expect(registry.delegable()).toEqual([agent('b'), agent('z')]);
});

test('temporary agents with equal names coexist and do not hide a permanent agent', () => {
  const registry = new AgentRegistry();
  registry.register(agent('same', { description: 'permanent' }));
  registry.register({ ...temporary('same'), description: 'first' }, 'run-1');
  registry.register({ ...temporary('same'), description: 'second' }, 'run-2');
  expect(['same', 'run-1', 'run-2'].map((key) => registry.lookup(key)?.description)).toEqual([
    'permanent',
    'first',
    'second',
  ]);
  expect(registry.cleanupTemporary(['run-1', 'run-9', 'same'])).toBe(1);
  expect(registry.lookup('run-2')?.description).toBe('second');
  expect(registry.lookup('same')?.description).toBe('permanent');
  registry.register(temporary('x'), 'run-3');
  expect(registry.cleanupTemporary()).toBe(2);
  expect(registry.list().map(({ name }) => name)).toEqual(['same']);
});

test('concurrent readers see a complete, sorted list while agents are registered and removed', async () => {
  const registry = new AgentRegistry();
  registry.register(agent('permanent'));
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  const writer = async (id: number) => {
    for (let i = 0; i < 50; i++) {
      registry.register(temporary(`t${i % 3}`), `run-${id}-${i}`);
      await turn();
      expect(registry.cleanupTemporary([`run-${id}-${i}`])).toBe(1);
    }
  };
  const reader = async () => {
    for (let i = 0; i < 100; i++) {
      const names = registry.list({ enabled: true }).map(({ name }) => name);
      expect(names).toEqual([...names].sort());
      expect(registry.lookup('permanent')).not.toBeNull();
      await turn();
    }
  };
  await Promise.all([...Array.from({ length: 5 }, (_, id) => writer(id)), ...Array.from({ length: 10 }, reader)]);
  expect(registry.list().map(({ name }) => name)).toEqual(['permanent']);
});

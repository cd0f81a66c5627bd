/** The list of agents in the prompt of a lead. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { AgentDefinition } from '#contract/agent.ts';
import { MAX_AGENT_LIST_TOKENS, MIN_LISTED_DESCRIPTION_CHARS } from '#contract/limits.ts';
import { describeAgentList, selectListedAgents } from '#core/agents/prompts/agent-list.ts';
import { samples } from '../../support/samples.ts';

type AgentSource = AgentDefinition['source'];

function createAgents(count: number, source: AgentSource, chars: number, prefix: string = source) {
  return Array.from({ length: count }, (_, index) => ({
    name: `${prefix}-${String(index).padStart(4, '0')}`,
    description: 'd'.repeat(chars),
    source,
  }));
}

const getNames = ({ agents }: { agents: readonly { name: string }[] }): string[] => agents.map(({ name }) => name);
const listSize = (agents: readonly { name: string; description: string }[]): number =>
  agents.map(({ name, description }) => `- ${name}: ${description}\n`).join('').length;

test('keeps a list that fits unchanged', () => {
  const agents = createAgents(60, 'builtin', 200);
  const list = selectListedAgents(agents, []);
  expect(list).toEqual({ agents: agents.map(({ name, description }) => ({ name, description })) });
  expect(describeAgentList(list, agents)).toBeNull();
});

test('shortens long descriptions before it leaves out an agent', () => {
  const agents = [...createAgents(100, 'user', 400), ...createAgents(10, 'builtin', 20)];
  const list = selectListedAgents(agents, []);
  expect(getNames(list)).toEqual(agents.map(({ name }) => name));
  expect(list.moreAgents).toBeUndefined();
  const lengths = list.agents.map(({ description }) => description.length);
  expect(new Set(lengths.slice(0, 100)).size).toBe(1);
  expect(lengths[0]).toBeGreaterThan(130);
  expect(lengths.at(-1)).toBe(20);
  expect(list.agents[0]!.description.endsWith('d…')).toBe(true);
  expect(describeAgentList(list, agents)).toContain('The descriptions of 100 of 110 agents are shortened');
});

test('omits built-in agents first, then agents of the person, then agents of the project', () => {
  const groups = (['builtin', 'user', 'project'] as const).map((source) => createAgents(140, source, 100));
  const list = selectListedAgents(groups.flat(), []);
  const listed = getNames(list);
  expect(listed.filter((name) => name.startsWith('project'))).toHaveLength(140);
  expect(listed.some((name) => name.startsWith('builtin'))).toBe(false);
  expect(list.moreAgents).toBe(420 - listed.length);
  expect(listed).toEqual(
    listed.toSorted(
      (a, b) => groups.flat().findIndex(({ name }) => name === a) - groups.flat().findIndex(({ name }) => name === b),
    ),
  );
  expect(list.agents.every(({ description }) => description.length === MIN_LISTED_DESCRIPTION_CHARS)).toBe(true);
  expect(describeAgentList(list, groups.flat())).toContain(`${list.moreAgents} of 420 agents are not listed`);
});

test('lists agents that are named as a whole word in a text, and omits others instead', () => {
  const agents = [...createAgents(300, 'project', 100), ...createAgents(3, 'builtin', 100, 'tool')];
  const plain = selectListedAgents(agents, ['Use tool-00011, xtool-0002 and tools']);
  expect(getNames(plain).some((name) => name.startsWith('tool'))).toBe(false);
  const named = selectListedAgents(agents, ['A long text', 'Ask Tool-0001, please']);
  expect(getNames(named).filter((name) => name.startsWith('tool'))).toEqual(['tool-0001']);
  expect(named.agents).toHaveLength(plain.agents.length);
});

test('never exceeds its bound, and lists or counts each agent once', () => {
  const agent = fc.record({ name: fc.nat({ max: 200 }), chars: fc.nat({ max: 2000 }) });
  fc.assert(
    fc.property(fc.array(agent, { maxLength: 400 }), (rows) => {
      const agents = rows.map(({ name, chars }, index) => {
        return {
          name: `${index}${'n'.repeat(name % 100)}`,
          description: 'd'.repeat(chars + 1),
          source: 'user' as const,
        };
      });
      const list = selectListedAgents(agents, []);
      expect(listSize(list.agents)).toBeLessThanOrEqual(MAX_AGENT_LIST_TOKENS * 4);
      expect(list.agents.length + (list.moreAgents ?? 0)).toBe(agents.length);
    }),
    samples(50),
  );
});

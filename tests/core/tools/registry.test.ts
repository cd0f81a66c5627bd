/** Which names of tools start sub-agents. */
import { expect, test } from 'vitest';
import { BASELINE } from '#core/agents/vocabulary.ts';
import { allTools } from '#core/tools/all-tools.ts';
import { ToolRegistry } from '#core/tools/registry.ts';

const registry = new ToolRegistry(allTools());

test.for(['spawn_agent', 'delegate_task', 'parallel_tasks', 'task'])('%s starts sub-agents', (name) => {
  expect(registry.startsAgents(name)).toBe(true);
});

test.for(['read_file', 'read_report', 'ask_question', 'todo_write', 'Task', ''])('“%s” starts none', (name) => {
  expect(registry.startsAgents(name)).toBe(false);
});

test('notes are found, listed and read by every agent, whatever it names', () => {
  for (const name of ['semantic_search', 'read_note', 'list_notes']) {
    expect(registry.offered([], false).map((tool) => tool.name)).toContain(name);
    expect(registry.get(name)?.permissions.filter((one) => !BASELINE.includes(one))).toEqual([]);
  }
  expect(registry.permissionsOf(registry.baseline())).toEqual(['FilesystemRead', 'SemanticSearch']);
});

test('no other name is offered for a tool', () => {
  const names = registry.names(true);
  const others = registry.all().flatMap(({ knownAs = [] }) => knownAs);
  expect(others.filter((name) => names.includes(name) || registry.get(name))).toEqual([]);
});

test('a lead has what every lead has whatever its definition names, a sub-agent what every agent has', () => {
  const offered = (primary: boolean) => registry.offered(['spawn_agent'], primary).map(({ name }) => name);
  expect(offered(true)).toEqual(expect.arrayContaining(['spawn_agent', 'read_report', ...registry.baseline()]));
  expect(offered(false).sort()).toEqual([...registry.baseline()].sort());
  expect(registry.baseline()).not.toContain('read_report');
});

/** Which names of tools belong to leads alone. */
import { expect, test } from 'vitest';
import { allTools } from '#core/tools/all-tools.ts';
import { ToolRegistry } from '#core/tools/registry.ts';

const registry = new ToolRegistry(allTools());

test.for(['spawn_agent', 'delegate_task', 'parallel_tasks', 'task'])('%s is for leads alone', (name) => {
  expect(registry.isPrimaryOnly(name)).toBe(true);
});

test.for(['read_file', 'ask_question', 'todo_write', 'Task', ''])('“%s” is not for leads alone', (name) => {
  expect(registry.isPrimaryOnly(name)).toBe(false);
});

test('no other name is offered for a tool', () => {
  const names = registry.names(true);
  const others = registry.all().flatMap(({ knownAs = [] }) => knownAs);
  expect(others.filter((name) => names.includes(name) || registry.get(name))).toEqual([]);
});

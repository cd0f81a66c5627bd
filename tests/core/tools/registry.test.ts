/** The built-in tools: what models read of them, permissions, order and recovery. */
import { expect, test } from 'vitest';
import { BASELINE } from '#core/agents/vocabulary.ts';
import { allTools } from '#core/tools/all-tools.ts';
import { getInputSchema, type JsonSchema } from '#core/tools/input-schema.ts';
import { ToolRegistry } from '#core/tools/registry.ts';

const registry = new ToolRegistry(allTools());

test.for(['spawn_agent', 'delegate_task', 'parallel_tasks', 'task'])('%s starts sub-agents', (name) => {
  expect(registry.startsAgents(name)).toBe(true);
});

test.for(['read_file', 'read_report', 'ask_question', 'todo_write', 'Task', ''])(
  '“%s” does not start sub-agents',
  (name) => {
    expect(registry.startsAgents(name)).toBe(false);
  },
);

test('every agent has the three tools for notes, whatever tools its definition names', () => {
  for (const name of ['semantic_search', 'read_note', 'list_notes']) {
    expect(registry.offered([], false).map((tool) => tool.name)).toContain(name);
    expect(registry.get(name)?.permissions.filter((one) => !BASELINE.includes(one))).toEqual([]);
  }
  expect(registry.permissionsOf(registry.baseline())).toEqual(['FilesystemRead', 'SemanticSearch']);
});

test('does not offer a tool under its alternative names', () => {
  const names = registry.names(true);
  const others = registry.all().flatMap(({ knownAs = [] }) => knownAs);
  expect(others.filter((name) => names.includes(name) || registry.get(name))).toEqual([]);
});

test('offers lead-only tools to a lead only, and the baseline tools to every agent', () => {
  const offered = (primary: boolean) => registry.offered(['spawn_agent'], primary).map(({ name }) => name);
  expect(offered(true)).toEqual(expect.arrayContaining(['spawn_agent', 'read_report', ...registry.baseline()]));
  expect(offered(false).sort()).toEqual([...registry.baseline()].sort());
  expect(registry.baseline()).not.toContain('read_report');
});

test('adds the tools of MCP servers, except a tool with the name of a built-in tool', () => {
  const [ownTool] = registry.all();
  const serverTool = { ...ownTool!, name: 'server_tool', primaryOnly: true };
  const extended = registry.with([serverTool, { ...serverTool, name: ownTool!.name }]);
  expect(extended.get('server_tool')).toBe(serverTool);
  expect(extended.get(ownTool!.name)).toBe(ownTool);
  expect(extended.all()).toEqual([serverTool, ...registry.all()]);
  expect(registry.with([])).toBe(registry);
  expect(extended.names(true)).toEqual([serverTool, ...registry.all()].map(({ name }) => name).toSorted());
  const offered = registry.all().filter(({ primaryOnly }) => !primaryOnly);
  expect(extended.names(false)).toEqual(offered.map(({ name }) => name).toSorted());
  expect(registry.permissionsOf(['unknown', 'web_fetch', 'bash'])).toEqual([
    'Execute',
    'FilesystemWrite',
    'NetworkAccess',
  ]);
});

test('a request lists the tools in the order of their names', () => {
  const tools = ['think', 'bash', 'parallel_tasks'].map((name) => registry.get(name)!);
  const specs = registry.specs(tools, 1);
  expect(specs.map(({ name }) => name)).toEqual(['bash', 'parallel_tasks', 'think']);
  const [, tasks] = specs;
  expect(tasks?.description).toContain('At most 1 sub-agent can be started');
  expect(tasks?.inputSchema).toMatchObject({ properties: { tasks: { description: 'One task.' } } });
});

const READ = 'FilesystemRead; concurrent, repeat; every agent';
const WRITE = 'FilesystemWrite; serial, unknown';
const START = '; concurrent, continue; leads only';
const TRAITS: Record<string, string> = {
  read_file: READ,
  list_directory: READ,
  glob: READ,
  grep: READ,
  list_notes: READ,
  read_note: READ,
  semantic_search: 'FilesystemRead, SemanticSearch; concurrent, repeat; every agent',
  write_file: WRITE,
  edit_file: WRITE,
  move_file: WRITE,
  delete_file: WRITE,
  spawn_agent: START,
  delegate_task: START,
  parallel_tasks: START,
  read_report: '; concurrent, repeat; every agent; leads only',
  read_output: '; concurrent, repeat; every agent',
  request_approval: '; concurrent, repeat',
  ask_question: '; concurrent, repeat',
  think: '; concurrent, repeat',
  todo_write: '; serial, repeat',
  todo_read: '; serial, repeat',
  memory: '; serial, repeat',
  bash_jobs: '; serial, repeat',
  task_complete: '; serial, repeat',
  bash: 'Execute, FilesystemWrite; serial, unknown',
  bash_online: 'Execute, FilesystemWrite, NetworkAccess; serial, unknown',
  web_fetch: 'NetworkAccess; concurrent, repeat',
  web_search: 'NetworkAccess; concurrent, repeat',
};

test.for(registry.all())('$name has the expected permissions, call order and recovery after a crash', (tool) => {
  const { name, permissions, order, recovery, baseline, primaryOnly } = tool;
  const agents = [...(baseline ? ['every agent'] : []), ...(primaryOnly ? ['leads only'] : [])];
  expect([permissions.join(', '), `${order}, ${recovery}`, ...agents].join('; ')).toBe(TRAITS[name]);
});

/** Fields that need no description beside their name and values. */
const PLAIN_FIELDS = ['effort', 'operation', 'question', 'content', 'status', 'priority'];

/** Returns the names of fields without a description, including fields in lists and objects. */
function findUndescribedFields({ properties = {} }: JsonSchema): string[] {
  return Object.entries(properties as Record<string, JsonSchema>).flatMap(([name, field]) => [
    ...(field['description'] ? [] : [name]),
    ...findUndescribedFields(field),
    ...findUndescribedFields((field['items'] ?? {}) as JsonSchema),
  ]);
}

test.for(registry.all())('$name and the fields of its arguments have a description', (tool) => {
  expect(tool.describe(3)).toMatch(/^[A-Z].{20,}/);
  expect(findUndescribedFields(getInputSchema(tool)).filter((name) => !PLAIN_FIELDS.includes(name))).toEqual([]);
});

test('the description and arguments of each tool match tool-definitions.json', async () => {
  const definitions = registry.all().map((tool) => {
    return { name: tool.name, description: tool.describe(3), arguments: getInputSchema(tool) };
  });
  await expect(`${JSON.stringify(definitions, null, 2)}\n`).toMatchFileSnapshot('tool-definitions.json');
});

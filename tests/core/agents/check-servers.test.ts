/** What definitions name of MCP servers, held against those of the folder. */
import { expect, test } from 'vitest';
import { checkServers, type KnownServers } from '#core/agents/check-servers.ts';
import { loadFile } from '#core/agents/load.ts';
import type { Dialect } from '#core/agents/places.ts';
import { allTools } from '#core/tools/all-tools.ts';

const known: KnownServers = new Map([
  ['memory', { isUsable: true, tools: ['mcp__memory__open_nodes', 'mcp__memory__read_graph'] }],
  ['quiet', { isUsable: true, tools: null }],
  ['off', { isUsable: false, tools: ['mcp__off__x'] }],
]);

function warningsOf(keys: string, dialect: Dialect = 'triad'): [number, string, string | null][] {
  const text = `---\nname: one\ndescription: d\n${keys}\n---\nText\n`;
  const raw = { path: '/a/one.md', problem: null, text, hash: 'h' };
  const place = { folder: '/a', source: 'user', dialect } as const;
  const file = checkServers(loadFile(raw, place, allTools()), known);
  expect(file).toMatchObject({ ok: true });
  return file.warnings.map(({ line, message, suggestion }) => [line, message, suggestion]);
}

test.for([
  'tools: [mcp__memory__open_nodes, mcp__memory, mcp__memory__*, mcp__memory__open_*]',
  'tools: [mcp__quiet, mcp__quiet__*]',
  'mcp_servers: [memory, quiet]',
  'requires_approval: [mcp__memory__read_graph]',
])('reports no warning for an existing server or tool: %s', (keys) => {
  expect(warningsOf(keys)).toEqual([]);
});

test.for([
  [
    'tools:\n  - grep\n  - mcp__memory__open_node',
    [6, 'tools (item 2) mcp__memory__open_node: the MCP server memory offers no such tool', 'mcp__memory__open_nodes'],
  ],
  [
    'tools: [mcp__memry__read_graph]',
    [
      4,
      'tools (item 1) mcp__memry__read_graph: there is no MCP server memry here: "triad mcp add memry" sets one up',
      'mcp__memory__read_graph',
    ],
  ],
  ['tools: [mcp__memory__drop_*]', [4, expect.stringMatching(/memory offers no such tool$/), null]],
  [
    'tools: [mcp__quiet__hush]',
    [
      4,
      expect.stringMatching(/the MCP server quiet was never asked what it offers: "triad mcp test quiet" does$/),
      null,
    ],
  ],
  [
    'tools: [mcp__off__x]',
    [4, expect.stringMatching(/the MCP server off is not used here: "triad mcp show off"/), null],
  ],
  [
    'mcp_servers: [memry]',
    [4, expect.stringMatching(/^mcp_servers \(item 1\) memry: there is no MCP server/), 'memory'],
  ],
  [
    'requires_approval: [mcp__memory__x]',
    [4, expect.stringMatching(/^requires_approval \(item 1\) .* no such tool/), null],
  ],
] as const)('reports a warning with its line: %s', ([keys, warning]) => {
  expect(warningsOf(keys)).toEqual([warning]);
});

test('an unknown server in a file of another program is left out with a warning', () => {
  const keys = 'tools: Read, mcp__github__search, mcp__memory__read_graph\nmcpServers: [github]';
  const why = 'there is no MCP server github here: "triad mcp add github" sets one up; it is left out';
  expect(warningsOf(keys, 'claude')).toEqual([
    [4, `tools mcp__github__search: ${why}`, null],
    [5, `mcpServers github: ${why}`, null],
  ]);
});

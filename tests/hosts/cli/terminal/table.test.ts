/** Tables at the widths of a phone, a usual terminal and a wide one. */
import { expect, test } from 'vitest';
import stringWidth from 'string-width';
import type { AgentSummary } from '#contract/agent.ts';
import { ZERO_TALLY } from '#domain/tally.ts';
import { usageOf } from '#core/base/usage.ts';
import { table } from '#hosts/cli/terminal/table.ts';
import { truncate } from '#hosts/cli/terminal/truncate.ts';
import { agentTable } from '#hosts/cli/render/agent-table.ts';
import { sessionTable } from '#hosts/cli/render/session-table.ts';
import { conversationId, conversationRow, workflowRow } from '../../support/events.ts';

const session = {
  conversation: conversationRow({
    title: 'Review the 語彙解析器 and everything that it calls, then write down what you found',
  }),
  workflows: [{ ...workflowRow(), subAgents: [], usage: usageOf(ZERO_TALLY) }],
};
const agent: AgentSummary = {
  name: 'code-reviewer',
  role: 'subagent',
  model: 'sonnet',
  tools: ['grep', 'read_file'],
  permissions: null,
  needs: ['FilesystemRead'],
  enabled: true,
  source: 'builtin',
  sourcePath: null,
  description: 'Reads code and\nreports what is wrong with it, most important things first',
};

const FOLDERS = { workspace: '/home/ada/project', home: '/home/ada' };

test.each([40, 80, 200])('no line is wider than %i cells', (width) => {
  for (const lines of [sessionTable([session], width), agentTable([agent, agent], FOLDERS, width)]) {
    for (const line of lines) expect(stringWidth(line)).toBeLessThanOrEqual(width);
  }
});

test('a wide table shows all columns, a medium one fewer, a narrow one stacks; the id is never shortened', () => {
  const [head, row] = sessionTable([session], 200);
  expect(head).toMatch(/^SESSION +UPDATED +WORKFLOWS +SUB-AGENTS +LAST +TOKENS +TITLE$/);
  expect(row).toMatch(
    new RegExp(`^${conversationId}  \\d{4}-.* +1 +1  completed +1,234  Review the .* what you found$`),
  );
  const usual = sessionTable([session], 80);
  expect(usual[0]).toMatch(/^SESSION +LAST +TITLE$/);
  expect(usual[1]).toMatch(new RegExp(`^${conversationId}  completed  Review .*…$`));
  const narrow = sessionTable([session], 40);
  expect(narrow[0]).toBe(conversationId);
  expect(narrow[1]).toMatch(/^ {2}Review the 語彙解析器 .*…$/);
});

test('a pipe receives the table without shortened texts', () => {
  expect(sessionTable([session], Infinity)[1]).toContain('what you found');
  expect(agentTable([{ ...agent, tools: null }], FOLDERS, Infinity)[1]).toContain('Reads code and reports');
});

test('shows the model of an agent with its provider, if it names one', () => {
  const models = [
    { ...agent, provider: 'local', model: 'llama3.2:3b' },
    { ...agent, provider: 'local', model: null },
    { ...agent, model: null },
  ];
  const lines = agentTable(models, FOLDERS, Infinity).slice(1);
  expect(lines.map((line) => / read +(\S.*?\S) +builtin/.exec(line)?.[1])).toEqual([
    'llama3.2:3b at local',
    'default at local',
    "the lead's",
  ]);
});

test('lists permissions and files in short form, in the full width of the terminal', () => {
  const long =
    'Reads every file of a module and reports what is wrong with it, most important things first, with its line';
  const agents: AgentSummary[] = [
    { ...agent, needs: ['Execute', 'FilesystemRead', 'FilesystemWrite', 'NetworkAccess', 'SemanticSearch'] },
    { ...agent, name: 'mine', source: 'user', sourcePath: '/home/ada/.config/triad/agents/mine.md', needs: null },
    {
      ...agent,
      name: 'ours',
      description: long,
      source: 'project' as const,
      sourcePath: '/home/ada/project/.triad/agents/ours.md',
      needs: ['DatabaseWrite' as const],
    },
  ];
  const [head, ...lines] = agentTable(agents, FOLDERS, Infinity);
  expect(head).toMatch(/^NAME +PERMISSIONS +MODEL +SOURCE +WITH +DESCRIPTION +TOOLS$/);
  expect(lines[0]).toMatch(/^code-reviewer {2}read write run net {2}sonnet {2}builtin /);
  expect(lines[1]).toMatch(/^mine +the lead's +sonnet {2}user ~\/\.config\/triad\/agents\/mine\.md {2}/);
  expect(lines[2]).toMatch(/^ours +write +sonnet {2}project \.triad\/agents\/ours\.md {2}/);
  for (const width of [80, 120, 160]) {
    const table = agentTable(agents, FOLDERS, width);
    expect(stringWidth(table[3] ?? ''), String(width)).toBe(width);
    expect(table[3]).toMatch(/^ours +write +sonnet +project .* Reads every f/);
  }
  const whole = agents.map((one) => ({ ...one, chain: ['report-writer', 'report-checker'] }));
  const wide = agentTable(whole, FOLDERS, 120)[2];
  expect(wide, 'a path before the agents that follow').toContain('user ~/.config/triad/a');
  expect(wide).not.toContain('report-writer');
});

test('columns line up, numbers to the right', () => {
  const columns = [{ title: 'A' }, { title: 'N', align: 'right' as const }];
  expect(
    table(
      columns,
      [
        ['世', '1'],
        ['abc', '200'],
      ],
      80,
    ),
  ).toEqual(['A      N', '世     1', 'abc  200']);
});

test('truncate counts cells and keeps characters whole', () => {
  expect(truncate('世界世界', 5)).toBe('世界…');
  expect(truncate('👩‍👩‍👧👩‍👩‍👧', 3)).toBe('👩‍👩‍👧…');
  expect(truncate('short', 5)).toBe('short');
  expect([stringWidth('é'), stringWidth('e\u0301'), stringWidth('世'), stringWidth('👍')]).toEqual([1, 1, 2, 2]);
});

test('spacing marks count as a cell, and combining marks do not', () => {
  // Kana with its half-width voiced mark, Thai with the vowel AM, Devanagari with a vowel sign, Thai with a mark above.
  expect([stringWidth('ｶﾞ'), stringWidth('กำ'), stringWidth('का'), stringWidth('ก็')]).toEqual([2, 2, 2, 1]);
  expect(truncate('ｶﾞｶﾞｶﾞ', 5)).toBe('ｶﾞｶﾞ…');
  expect(
    table(
      [{ title: 'A' }, { title: 'B' }],
      [
        ['ｶﾞ', 'x'],
        ['e\u0301', 'y'],
      ],
      80,
    ),
  ).toEqual(['A   B', 'ｶﾞ  x', 'e\u0301   y']);
});

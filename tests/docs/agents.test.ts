/** The page on agents: its examples are agents without a fault, its tables are the program's, its JSON is what a file gets. */
import { readFileSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { AgentReport, Permission } from '#contract/agent.ts';
import { parseDefinition } from '#core/agents/definition.ts';
import { TomlKeys } from '#core/agents/keys.ts';
import { reportOf } from '#core/agents/load.ts';
import { allTools } from '#core/tools/all-tools.ts';
import { startConfigured } from '../support/settings/configured.ts';
import { folderWith } from '../support/workspace.ts';

const docs = path.resolve(import.meta.dirname, '../../docs');
const page = readFileSync(path.join(docs, 'agents.md'), 'utf8');

/** The reports on the files in a folder of agents, and on the built-in agents. */
async function reportsOn(folder: string | null) {
  const config = await folderWith();
  if (folder !== null) await cp(folder, path.join(config, 'agents'), { recursive: true });
  return (await startConfigured(config)).request('agents.check', {});
}

test('each example is linked on the page and is a valid agent without warnings', async () => {
  const reports = (await reportsOn(path.join(docs, 'examples/agents'))).filter(({ source }) => source === 'user');
  expect(reports.length).toBeGreaterThan(3);
  for (const { file, ok, warnings } of reports) {
    // The reader sets up the server that one of them uses.
    const others = warnings.filter(({ message }) => !message.includes('there is no MCP server memory here'));
    expect({ file, ok, others }).toEqual({ file, ok: true, others: [] });
    const name = path.basename(file);
    expect(page).toContain(`[\`${name}\`](examples/agents/${name})`);
  }
});

test('the table lists exactly the keys of an agent definition', () => {
  const section = page.slice(page.indexOf('## Keys'), page.indexOf('## Patterns'));
  const listed = [...section.matchAll(/^\| `([^`]+)`/gm)].map(([, key]) => key);
  expect(listed.sort()).toEqual([...Object.keys(TomlKeys.shape), 'x-…'].sort());
  for (const permission of Permission.options) expect(section).toContain(`\`${permission}\``);
});

test('the page names each built-in agent', async () => {
  const reports = await reportsOn(null);
  expect(reports.length).toBeGreaterThan(10);
  for (const { name } of reports) expect(page).toContain(`\`${name}\``);
});

test('the JSON report on the page is the real report for such a file', () => {
  const [, json = ''] = /```json\n([\s\S]*?)```/.exec(page) ?? [];
  const [said] = AgentReport.array().parse(JSON.parse(json));
  const text = '---\nname: writer\ndescription: d\npermissions: [DatbaseWrite]\n---\nText';
  const from = { source: 'project', path: said?.file ?? '', tools: allTools() } as const;
  expect(reportOf({ path: from.path, source: 'project', ...parseDefinition(text, from) })).toEqual(said);
});

/** The page on agents: its examples are agents without a fault, its tables are the program's, its JSON is what a file gets. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { AgentReport, Permission } from '#contract/agent.ts';
import { parseDefinition } from '#core/agents/definition.ts';
import { TomlKeys } from '#core/agents/keys.ts';
import { loadPlace, reportOf } from '#core/agents/load.ts';
import { builtinPlaces } from '#core/agents/places.ts';
import { allTools } from '#core/tools/all-tools.ts';

const docs = path.resolve(import.meta.dirname, '../../docs');
const page = readFileSync(path.join(docs, 'agents.md'), 'utf8');
const tools = allTools();

test('each example is linked on the page and is a valid agent without warnings', async () => {
  const folder = path.join(docs, 'examples/agents');
  const files = await loadPlace({ folder, source: 'user', dialect: 'triad' }, tools);
  expect(files.length).toBeGreaterThan(3);
  for (const file of files) {
    expect({ file: file.path, ok: file.ok, warnings: file.warnings }).toEqual({
      file: file.path,
      ok: true,
      warnings: [],
    });
    const name = path.basename(file.path);
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
  const places = await Promise.all(builtinPlaces().map((place) => loadPlace(place, tools)));
  const names = places.flat().map((file) => reportOf(file).name);
  for (const name of names) expect(page).toContain(`\`${name}\``);
});

test('the JSON report on the page is the real report for such a file', () => {
  const [, json = ''] = /```json\n([\s\S]*?)```/.exec(page) ?? [];
  const [said] = AgentReport.array().parse(JSON.parse(json));
  const text = '---\nname: writer\ndescription: d\npermissions: [DatbaseWrite]\n---\nText';
  const from = { source: 'project', path: said?.file ?? '', tools } as const;
  expect(reportOf({ path: from.path, source: 'project', ...parseDefinition(text, from) })).toEqual(said);
});

/** The page on compositions and chains: its example is one, its tables are the program's. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { CompositionKeys } from '#core/agents/compositions/composition.ts';
import { HANDOFF_VARIABLES, PROMPT_VARIABLES } from '#core/agents/variables.ts';
import { startConfigured } from '../support/settings/configured.ts';
import { folderWith } from '../support/workspace.ts';

const page = readFileSync(new URL('../../docs/compositions.md', import.meta.url), 'utf8');
const [, example = ''] = /```toml\n([\s\S]*?)```/.exec(page) ?? [];

test('the example is a valid composition without warnings', async () => {
  const runtime = await startConfigured(await folderWith({ 'compositions/careful.toml': example }));
  expect((await runtime.request('agents.files', {})).at(-1)).toMatchObject({ ok: true, warnings: [], name: 'CAREFUL' });
  expect((await runtime.request('agents.get', { name: 'CAREFUL' })).definition.flow).toMatchObject({
    type: 'judge',
    rounds: 4,
    handoff: { type: 'template' },
  });
});

test('the tables list each key and each variable', () => {
  for (const key of Object.keys(CompositionKeys.shape)) {
    const [section = '', inner = ''] = key.split('.');
    const [, below = ''] = page.split(`| \`[${section}]\``);
    expect(page).toContain(`\`[${section}]\``);
    if (!['template', 'generator_prompt'].includes(inner)) expect(below, key).toContain(`| \`${inner}\``);
    else expect(page).toContain(`\`${inner} = "…"\``);
  }
  const named = (from: string, to: string) => {
    const part = page.slice(page.indexOf(from), page.indexOf(to));
    return [...part.matchAll(/^\| (`[^|]+)\|/gm)].flatMap(([, cell = '']) =>
      [...cell.matchAll(/`(\w+)`/g)].map(([, name]) => name),
    );
  };
  expect(named('| variable  ', '## Variables').sort()).toEqual([...HANDOFF_VARIABLES].sort());
  expect(named('| variable of system', '## Chains').sort()).toEqual([...PROMPT_VARIABLES].sort());
});

test('the page lists the built-in compositions with their real settings', async () => {
  const runtime = await startConfigured(await folderWith());
  const agents = await runtime.request('agents.list', {});
  expect(agents.filter(({ flow }) => flow).length).toBeGreaterThan(4);
  for (const { name, flow } of agents) {
    if (!flow) continue;
    const bound = flow.type === 'hitl' ? '' : `, ${flow.rounds} answers`;
    const coagent = flow.coagent === null ? 'none' : `\`${flow.coagent}\``;
    const cells = [`\`${name}\``, `\`${flow.primary}\``, coagent, `\`${flow.type}\`${bound}`];
    expect(page).toMatch(new RegExp(cells.map((cell) => `\\| ${cell} *`).join('')));
  }
});

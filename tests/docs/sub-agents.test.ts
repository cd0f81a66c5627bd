/** The guide to sub-agents agrees with the program: operations, parts of a prompt, outcomes and limits. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { Outcome } from '#contract/outcome.ts';
import { STATUS_OF } from '#domain/status-of.ts';
import { settingsOf } from '../support/settings/settings-of.ts';

const page = readFileSync(path.resolve(import.meta.dirname, '../../docs/sub-agents.md'), 'utf8');

function readSection(title: string): string {
  return page.split(/^## /m).find((section) => section.startsWith(`${title}\n`)) ?? '';
}

test('names each tool that starts sub-agents and the five rules', () => {
  for (const tool of ['spawn_agent', 'delegate_task', 'parallel_tasks'])
    expect(readSection('Two kinds')).toContain(`\`${tool}\``);
  const rules = [...readSection('The rules').matchAll(/^- \*\*([^*]+?)\.?\*\*/gm)].map(([, rule]) => rule);
  expect(rules).toEqual(
    expect.arrayContaining([
      ...[
        'Nothing starts without a yes',
        'Three in one workflow',
        'One level',
        'Prompt in, report out',
        'Only narrower',
      ],
    ]),
  );
});

test('lists the four parts of a prompt', () => {
  const parts = [...readSection('What a good prompt has').matchAll(/^- \*\*([^*]+)\*\*/gm)].map(([, part]) => part);
  expect(parts).toEqual(['Task', 'Input Data', 'Expected Output Format', 'Constraints']);
});

test('lists each outcome with its status', () => {
  const rows = [...readSection('How a sub-agent can end').matchAll(/^\| `(\w+)` +\| `(\w+)` +\|/gm)];
  expect(Object.fromEntries(rows.map(([, outcome, status]) => [outcome, status]))).toEqual(STATUS_OF);
  expect(rows).toHaveLength(Outcome.options.length);
});

test('states the default limits', () => {
  const { run, workflow } = settingsOf('').limits;
  const section = readSection('Bounds');
  for (const { max_iterations: requests, max_cost_usd: cost } of [run, workflow])
    expect(section).toMatch(new RegExp(`${requests} requests[^.]*\\$${cost}\\.00`));
});

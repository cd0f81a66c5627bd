/** The rules of the page are read as they stand there, and do what the page says. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { Permission } from '#contract/agent.ts';
import { judge } from '#core/approvals/judge.ts';
import { RuleEntry } from '#core/settings/rule-entry.ts';
import { parseRules } from '#core/approvals/rule-files.ts';
import { checkSettings } from '#core/settings/settings.ts';
import { NO_FILES } from '#core/settings/listed-files.ts';
import { actionOf, NOW } from '../core/approvals/support.ts';
import { readPage } from './examples.ts';

const sections = readPage('permissions.md');
const tomlIn = (title: string): string => {
  const block = sections.find((section) => section.title === title)?.blocks.find(({ language }) => language === 'toml');
  if (!block) throw new Error(`There are no rules under "${title}"`);
  return block.content;
};
const [mine, project] = [
  parseRules(tomlIn('Rules'), '/config.toml', 'user'),
  parseRules(tomlIn('Rules of a project'), '/work/.triad/config.toml', 'project'),
];
const rules = [...mine.rules, ...project.rules];
const verdictOn = (parts: Parameters<typeof actionOf>[0]) =>
  judge(actionOf(parts), { rules, faults: [], alwaysAsk: NO_FILES }, [], NOW).effect;
const on = (path: string) => ({ targets: { values: [path], path: true } });

test('the example rules are valid', () => {
  expect([...mine.faults, ...project.faults]).toEqual([]);
  expect([mine.rules.length, project.rules.length]).toEqual([3, 2]);
  expect(checkSettings(tomlIn('Rules')).ok).toBe(true);
});

test('the example rules decide as the page says', () => {
  expect(verdictOn(on('docs/a.md'))).toBe('allow');
  expect(verdictOn({ ...on('docs/a.md'), agent: 'other', scope: 'other' })).toBe('ask');
  expect(verdictOn(on('docs/package.lock'))).toBe('deny');
  expect(verdictOn(on('dist/app.js'))).toBe('deny');
  const read = { tool: 'read_file', permissions: ['FilesystemRead' as const], asks: false };
  expect(verdictOn({ ...read, ...on('customers/a.csv') })).toBe('ask');
  expect(verdictOn({ ...read, ...on('src/a.ts') })).toBe('allow');
  const reviewer = { targets: { values: ['code-reviewer'], path: false }, permissions: [] };
  expect(verdictOn({ tool: 'delegate_task', ...reviewer })).toBe('allow');
  expect(verdictOn({ tool: 'spawn_agent', ...reviewer })).toBe('ask');
});

test('the page names each permission and each key of a rule', () => {
  const page = readFileSync(new URL('../../docs/permissions.md', import.meta.url), 'utf8');
  for (const name of [...Permission.options, ...Object.keys(RuleEntry.shape)]) expect(page).toContain(`\`${name}\``);
});

// Writes the tables of keys and the reference of the command line into the pages of docs/. A test compares them.
import { readFileSync, writeFileSync } from 'node:fs';
import { KEY_WORDS } from '#core/agents/paths/key-words.ts';
import { checkSettings, settingRows } from '#core/settings/settings.ts';
import type { SettingRow } from '#contract/view.ts';
import { commandReference } from './command-reference.ts';

const pageAt = (name: string): URL => new URL(`../docs/${name}.md`, import.meta.url);

/** Returns the current and the generated content of each page, by name. */
export function generatedPages(): Map<string, { is: string; shouldBe: string }> {
  const read = (name: string): string => readFileSync(pageAt(name), 'utf8');
  const [settings, agents, commandLine] = [read('settings'), read('agents'), read('command-line')];
  return new Map([
    ['settings', { is: settings, shouldBe: withSettings(settings) }],
    ['agents', { is: agents, shouldBe: withAgentKeys(agents) }],
    ['command-line', { is: commandLine, shouldBe: withCommands(commandLine) }],
  ]);
}

/** Returns the page with a new table of settings. */
function withSettings(page: string): string {
  const defaults = checkSettings('');
  if (!defaults.ok) throw new Error('The defaults do not fit');
  const lines = page.split('\n');
  const first = lines.findIndex((line) => line.startsWith('| key '));
  const after = lines.findIndex((line, index) => index > first && !line.startsWith('|'));
  return lines.toSpliced(first + 2, after - first - 2, ...settingRows(defaults.value).map(settingLine)).join('\n');
}

function settingLine({ path, kind, description, default: defaultValue, min, max, choices }: SettingRow): string {
  const numbers = max === null ? '' : min === null ? `, up to ${max}` : `, ${min} to ${max}`;
  const what = choices ? choices.map((choice) => `\`${choice}\``).join(' or ') : `${kind}${numbers}`;
  return `| \`${path}\` | ${what} | ${defaultValue === null ? 'not set' : `\`${defaultValue}\``} | ${description} |`;
}

/** Returns the page with a new description of each agent key. The values of a key are written by hand. */
function withAgentKeys(page: string): string {
  return page
    .split('\n')
    .map((line) => {
      const [, key = '', value = ''] = /^\| `(\w+)`\s*\|([^|]*)\|.*\|$/.exec(line) ?? [];
      const words = Object.hasOwn(KEY_WORDS.agents, key) ? KEY_WORDS.agents[key] : undefined;
      return words === undefined ? line : `| \`${key}\` | ${value.trim()} | ${linked(words)} |`;
    })
    .join('\n');
}

/** Returns the page with a new reference after the heading of the commands. */
function withCommands(page: string): string {
  const [introduction] = page.split('\n## Commands\n');
  return `${introduction}\n## Commands\n\n${commandReference()}`;
}

/** Replaces the name of a page, such as `docs/tools.md#web`, by a link. */
function linked(words: string): string {
  return words.replaceAll(/docs\/([\w-]+)\.md(#[\w-]+)?/g, (_, name: string, part = '') => {
    return name === 'agents' ? `[below](${part})` : `[${name}](${name}.md${part})`;
  });
}

if (process.argv[1] === import.meta.filename)
  for (const [name, { shouldBe }] of generatedPages()) writeFileSync(pageAt(name), shouldBe);

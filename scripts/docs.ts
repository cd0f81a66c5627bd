// Writes the tables of keys into the pages of docs/ from what the program says of them; a test holds that they are these.
import { readFileSync, writeFileSync } from 'node:fs';
import { KEY_WORDS } from '#core/agents/paths/key-words.ts';
import { checkSettings, settingRows } from '#core/settings/settings.ts';
import type { SettingRow } from '#contract/view.ts';

const pageAt = (name: string): URL => new URL(`../docs/${name}.md`, import.meta.url);

/** The pages with their tables as they should be, by name. */
export function generatedPages(): Map<string, { is: string; shouldBe: string }> {
  const read = (name: string): string => readFileSync(pageAt(name), 'utf8');
  const [settings, agents] = [read('settings'), read('agents')];
  return new Map([
    ['settings', { is: settings, shouldBe: withSettings(settings) }],
    ['agents', { is: agents, shouldBe: withAgentKeys(agents) }],
  ]);
}

/** The lines of the one table whose first cells are settings. */
function withSettings(page: string): string {
  const usual = checkSettings('');
  if (!usual.ok) throw new Error('The defaults do not fit');
  const lines = page.split('\n');
  const first = lines.findIndex((line) => line.startsWith('| key '));
  const after = lines.findIndex((line, index) => index > first && !line.startsWith('|'));
  return lines.toSpliced(first + 2, after - first - 2, ...settingRows(usual.value).map(settingLine)).join('\n');
}

function settingLine({ path, kind, description, default: usual, min, max, choices }: SettingRow): string {
  const numbers = max === null ? '' : min === null ? `, up to ${max}` : `, ${min} to ${max}`;
  const what = choices ? choices.map((choice) => `\`${choice}\``).join(' or ') : `${kind}${numbers}`;
  return `| \`${path}\` | ${what} | ${usual === null ? 'not set' : `\`${usual}\``} | ${description} |`;
}

/** Of each key what it does; what it may be stands in the page in the words of a person. */
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

/** `docs/tools.md#web` becomes a link. */
function linked(words: string): string {
  return words.replaceAll(/docs\/([\w-]+)\.md(#[\w-]+)?/g, (_, name: string, part = '') => {
    return name === 'agents' ? `[below](${part})` : `[${name}](${name}.md${part})`;
  });
}

if (process.argv[1] === import.meta.filename)
  for (const [name, { shouldBe }] of generatedPages()) writeFileSync(pageAt(name), shouldBe);

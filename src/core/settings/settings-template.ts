/** Files of settings to begin with: every key as a comment, with what it does and what it is by default. */
import type { SettingRow } from '#contract/view.ts';

const HEAD = `# Settings of Triad. What stands here as a comment holds anyway: take away the "#" before a key, and change its value.
# "triad config validate" checks this file, "triad config get --show-origin" says what holds and why.
`;

const PROJECT_HEAD = `# What this project sets for all who work in it; it counts for those who trust it, with "triad trust". It can lower limits,
# never raise them; rules that deny or ask count without trust.
`;

const RULE = `
# [[permissions.rules]]
# effect = "ask"
# tool = "bash"
# pattern = "npm publish*"
`;

const PROVIDER = `
# A provider of yours, here Ollama:
# providers.ollama.type = "openai-chat"
# providers.ollama.base_url = "http://127.0.0.1:11434/v1"
# providers.ollama.defaults.model = "llama3.2:3b"
`;

/** `lists`: paths of what a form has no place for. */
export function settingsTemplate(rows: readonly SettingRow[], lists: readonly string[]): string {
  const more = `\n# Lists and tables stand here too: ${lists.join(', ')}.\n`;
  return `${HEAD}\n${rows.map(commented).join('\n')}${more}${PROVIDER}`;
}

export function projectTemplate(rows: readonly SettingRow[]): string {
  const own = rows.filter(({ path }) => path.startsWith('limits.') || path === 'sessions.project');
  return `${PROJECT_HEAD}\n${own.map(commented).join('\n')}${RULE}`;
}

export const PRICES_TEMPLATE = `# Prices of models, in US dollars per million tokens: for those that the program does not know, and over those that it has.
# "triad config prices" shows all of them. The date is the day on which you read these prices.
version = "${new Date().toISOString().slice(0, 10)}"

# [models."llama3.2:1b"]
# input = 0
# output = 0
# cache_read = 0
# cache_write_5m = 0
# cache_write_1h = 0
# web_search = 0   # per thousand searches that the provider makes itself
`;

function commented(row: SettingRow): string {
  return `# ${row.description}\n# ${row.path} = ${literalOf(row)}\n`;
}

/** Of a key that is not set by default, some value that it may have. */
function literalOf({ default: usual, kind, min, choices, example }: SettingRow): string {
  if (usual !== null) return JSON.stringify(usual);
  if (kind === 'integer' || kind === 'number') return String(Math.max(min ?? 1, 1));
  return kind === 'boolean' ? 'true' : JSON.stringify(choices?.[0] ?? example ?? '…');
}

/** An agent's file as the values of a form: reads its keys, and changes some of them without touching anything else. */
import type { AgentDefinition, AgentValue } from '#contract/agent.ts';
import { MAX_ITERATIONS } from '#contract/limits.ts';
import { TriadError } from '../base/errors.ts';
import type { Entry, ReadFile } from './entries.ts';
import { editToml } from '../settings/edit-toml.ts';
import { editYaml } from './edit-yaml.ts';
import { readMarkdown, splitMarkdown } from './frontmatter.ts';
import { CompositionKeys, SECTIONS } from './compositions/composition.ts';
import { MarkdownKeys, TomlKeys } from './keys.ts';
import { readTomlAgent, writtenKey } from './sections.ts';
import { readToml } from './toml.ts';

export type FormValues = Record<string, AgentValue>;
/** The form's name for the system prompt; in Markdown it is the text below the frontmatter. */
const PROMPT = 'prompt';

/** A composition's keys have their section before them, as in `control_flow.type`. */
export type FileKind = 'markdown' | 'toml' | 'composition';

const SHAPES: Readonly<Record<FileKind, Readonly<Record<string, unknown>>>> = {
  markdown: MarkdownKeys.shape,
  toml: TomlKeys.shape,
  composition: CompositionKeys.shape,
};
const READERS: Readonly<Record<FileKind, (text: string) => ReadFile>> = {
  markdown: readMarkdown,
  toml: readTomlAgent,
  composition: (text) => readToml(text, SECTIONS),
};

/** The keys of a text with their places. */
export function entriesOf(text: string, kind: FileKind): ReadFile {
  return READERS[kind](text);
}

/** Null where the text cannot be read as keys. A value of a kind that no form has is left out. */
export function valuesOf(text: string, kind: FileKind): FormValues | null {
  const read = entriesOf(text, kind);
  if (!read.ok) return null;
  const shape = SHAPES[kind];
  const known = read.entries.flatMap(({ key, value }: Entry): [string, AgentValue][] => {
    const plain = key !== null && Object.hasOwn(shape, key) ? plainOf(value) : undefined;
    return key === null || plain === undefined ? [] : [[key, plain]];
  });
  const values: FormValues = Object.fromEntries(known);
  if (read.body) return { ...values, [PROMPT]: read.body.text };
  const prompt = values[PROMPT];
  return typeof prompt === 'string' ? { ...values, [PROMPT]: prompt.trim() } : values;
}

function plainOf(value: unknown): AgentValue | undefined {
  if (value === null || ['string', 'number', 'boolean'].includes(typeof value)) return value as AgentValue;
  if (typeof value === 'bigint') return Number(value);
  return Array.isArray(value) && value.every((item) => typeof item !== 'object') ? value.map(String) : undefined;
}

/** The form values of a definition that was read from another program's file. */
export function valuesOfDefinition(definition: AgentDefinition): FormValues {
  const { name, description, role, provider = null, model, effort, tools, mcpServers, permissions } = definition;
  const { maxTokens, temperature, maxIterations, doomLoopThreshold, maxMinutes, requiresApproval } = definition;
  const { approvalTimeoutMs, enabled, systemPrompt } = definition;
  const all: FormValues = {
    name,
    description,
    role: role === 'primary' ? role : null,
    provider,
    model,
    effort,
    max_tokens: maxTokens,
    temperature,
    // A file of Triad's own cannot say more.
    max_iterations: maxIterations === null ? null : Math.min(maxIterations, MAX_ITERATIONS),
    doom_loop_threshold: doomLoopThreshold,
    max_minutes: maxMinutes,
    tools,
    mcp_servers: mcpServers,
    permissions,
    requires_approval: requiresApproval.length > 0 ? requiresApproval : null,
    approval_timeout: approvalTimeoutMs === null ? null : approvalTimeoutMs / 1000,
    enabled: enabled ? null : false,
    [PROMPT]: systemPrompt,
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== null));
}

/** The text with some keys changed. Throws `bad_input` where that cannot be done without touching anything else. */
export function editText(text: string, kind: FileKind, changes: Readonly<FormValues>): string {
  if (!valuesOf(text, kind)) throw new TriadError('bad_input', 'The text cannot be read as keys: correct it first');
  let edited = text;
  for (const [key, value] of Object.entries(changes)) {
    if (key !== PROMPT && !Object.hasOwn(SHAPES[kind], key))
      throw new TriadError('bad_input', `${kind === 'composition' ? 'A composition' : 'An agent'} has no key "${key}"`);
    edited = editOne(edited, kind, key, value);
  }
  const after = valuesOf(edited, kind);
  const isWanted = Object.entries(changes).every(([key, value]) => isSame(after?.[key] ?? null, value));
  const isRest = others(edited, kind, changes) === others(text, kind, changes);
  if (after && isWanted && isRest) return edited;
  const names = Object.keys(changes).join(', ');
  throw new TriadError('bad_input', `${names} cannot be changed from the form as it is written: change the text`);
}

/** All that was not to be changed, also keys that no form has. */
function others(text: string, kind: FileKind, changes: Readonly<FormValues>): string {
  const read = entriesOf(text, kind);
  if (!read.ok) return '';
  const rest = read.entries.filter(({ key }) => key === null || !Object.hasOwn(changes, key));
  const body = Object.hasOwn(changes, PROMPT) ? null : read.body?.text;
  return JSON.stringify([rest.map(({ key, value }) => [key, value]), body]);
}

function editOne(text: string, kind: FileKind, key: string, value: AgentValue): string {
  if (kind !== 'markdown') {
    const isText = key === PROMPT || (key.startsWith('handoff.') && String(value).includes('\n'));
    const written = isText && typeof value === 'string' ? `${value.trim()}\n` : value;
    const path = kind === 'toml' ? writtenKey(text, key) : key.split('.');
    return editToml(text, { kind: 'set', path, value: written }) ?? text;
  }
  const file = splitMarkdown(text);
  if (!file) return text;
  const bodyAt = text.length - file.body.length;
  if (key === PROMPT) return `${endingLine(text.slice(0, bodyAt))}${bodyWith(file.body, String(value ?? ''))}`;
  const start = text.indexOf('\n') + 1;
  const old = file.frontmatter === '' ? '' : `${file.frontmatter}\n`;
  const rest = text.slice(start + (text.startsWith(old, start) ? old.length : 0));
  return `${text.slice(0, start)}${endingLine(editYaml(file.frontmatter, key, value))}${rest}`;
}

/** Blank lines above and below stay. */
export function bodyWith(body: string, prompt: string): string {
  const above = /^(?:[ \t]*\n)*/.exec(body)?.[0] ?? '';
  const below = /\s*$/.exec(body.slice(above.length))?.[0];
  return `${above}${prompt.trim()}${below || '\n'}`;
}

function endingLine(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}

/** The order of a list makes no difference; nor do blanks around a text. */
function isSame(a: AgentValue, b: AgentValue): boolean {
  if (Array.isArray(a) && Array.isArray(b)) return new Set(a).symmetricDifference(new Set(b)).size === 0;
  return typeof a === 'string' && typeof b === 'string' ? a.trim() === b.trim() : a === b;
}

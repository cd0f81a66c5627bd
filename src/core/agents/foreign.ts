/** Reads agents in other programs' formats; whatever has no counterpart here becomes a warning, never dropped silently. */
import { basename, extname } from 'node:path';
import {
  type AgentDefinition,
  AgentName,
  Effort,
  type Fault,
  McpServerName,
  type Permission,
} from '#contract/agent.ts';
import type { Phrase } from '#contract/approvals/phrase.ts';
import { phrase } from '#contract/approvals/phrases.ts';
import { MAX_NAME_CHARS, MAX_PROMPT_CHARS, MAX_TEMPERATURE } from '#contract/limits.ts';
import { cutWarnings } from './ceilings.ts';
import { sha256 } from '../base/hash.ts';
import { type DefinitionSource, LEAD, type ParsedDefinition } from './definition.ts';
import { type Entry, fault, inOrder, type Position, START } from './entries.ts';
import { type Restriction, restrictionsOf } from './foreign-permissions.ts';
import { mapTools, splitNames } from './foreign-tools.ts';
import { readMarkdown, splitMarkdown } from './frontmatter.ts';
import type { Dialect } from './places.ts';
import { mentionsIn } from './server-names.ts';
import { MODEL_ALIASES } from './vocabulary.ts';

type Foreign = Exclude<Dialect, 'triad'>;

/** Keys that these formats have; those without a meaning here become warnings. */
const KEYS: readonly string[] = [
  ...['name', 'description', 'tools', 'disallowedTools', 'model', 'effort', 'color', 'colour', 'prompt'],
  ...['permissionMode', 'permission', 'mode', 'temperature', 'top_p', 'disable', 'hidden', 'steps', 'maxSteps'],
  ...['maxTurns', 'skills', 'hooks', 'mcpServers', 'memory', 'background', 'isolation', 'version', 'author'],
  ...['category', 'tags', 'priority', 'options', 'variant', 'reasoningEffort', 'initialPrompt'],
];

export function parseForeign(text: string, dialect: Foreign, from: DefinitionSource): ParsedDefinition {
  const file = splitMarkdown(text);
  if (!file) return failed(null, [fault(START, phrase('no_agent'))]);
  const strict = readMarkdown(text);
  const entries =
    strict.ok && strict.faults.length === 0 ? strict.entries : readLenientFrontmatter(file.frontmatter, KEYS);
  const reading = new Reading(entries);
  const name = nameOf(reading, dialect, from.path ?? '');
  const prompt = file.body.trim() || textOf(reading.take('prompt')?.value);
  const below = { line: file.bodyLine, column: 1 };
  const role = roleOf(reading);
  const hasPrompt = prompt !== '' && !prompt.startsWith('{file:');
  const isLead = name === LEAD && role !== 'primary';
  const faults = [
    ...(hasPrompt ? [] : [fault(below, phrase('no_prompt'))]),
    ...(prompt.length > MAX_PROMPT_CHARS ? [fault(below, phrase('long_prompt', { max: MAX_PROMPT_CHARS }))] : []),
    ...(AgentName.safeParse(name).success ? [] : [fault(START, phrase('no_name'), { key: 'name' })]),
    ...(isLead ? [fault(START, phrase('foreign_lead', { name: LEAD }), { key: 'name' })] : []),
  ];
  if (faults.length > 0) return failed(name, inOrder(faults));
  const description = descriptionOf(reading, prompt);
  const turns = turnsOf(reading);
  const at = { provider: START, model: reading.placeOf('model'), temperature: reading.placeOf('temperature') };
  const [toolsAt, serversAt] = [reading.placeOf('tools'), reading.placeOf('mcpServers')];
  const definition: AgentDefinition = {
    name,
    description,
    role,
    model: modelOf(reading),
    effort: effortOf(reading),
    maxTokens: null,
    temperature: temperatureOf(reading),
    maxIterations: turns?.count ?? null,
    doomLoopThreshold: null,
    maxMinutes: null,
    ...toolsOf(reading, dialect, role),
    mcpServers: serversOf(reading),
    lenient: true,
    approvalTimeoutMs: null,
    reflection: null,
    systemPrompt: prompt,
    enabled: reading.take('disable')?.value !== true,
    lifecycle: 'permanent',
    source: from.source,
    sourcePath: from.path,
    hash: sha256(text),
  };
  const { ceilings } = from;
  const cut = turns && ceilings ? cutWarnings(definition, ceilings, () => turns) : [];
  const servers = (definition.mcpServers ?? []).map((server) => {
    return { key: 'mcpServers', item: null, at: serversAt, server, tool: null };
  });
  const mentions = [...mentionsIn('tools', definition.tools, () => ({ item: null, at: toolsAt })), ...servers];
  const warnings = [...reading.finish(), ...cut].sort((a, b) => a.line - b.line);
  return { ok: true, definition, warnings, at, mentions, links: [] };
}

function failed(name: string | null, errors: Fault[]): ParsedDefinition {
  return { ok: false, name, errors, warnings: [] };
}

/** The keys of a file; each is taken by the code that understands it. */
class Reading {
  readonly #left: Map<string, Entry>;
  readonly #warnings: Fault[] = [];

  constructor(entries: readonly Entry[]) {
    this.#left = new Map(entries.map((entry) => [entry.key ?? '', entry]));
  }

  take(key: string): Entry | undefined {
    const entry = this.#left.get(key);
    this.#left.delete(key);
    return entry;
  }

  /** Of a key that is not taken yet; the file's beginning for one that is not there. */
  placeOf(key: string): Position {
    return this.#left.get(key)?.valueAt ?? START;
  }

  warn(key: string, place: Position, says: Phrase | readonly Phrase[]): void {
    this.#warnings.push(fault(place, says, { key }));
  }

  /** The warnings, with one for each key that was not taken. */
  finish(): Fault[] {
    for (const { key, at } of this.#left.values())
      this.warn(key ?? '', at, phrase('no_counterpart', { key: key ?? '' }));
    return this.#warnings.sort((a, b) => a.line - b.line);
  }
}

/** What is wrong with a value that is left out for it. */
function omitted({ key }: Entry, rule: Phrase): Phrase[] {
  return [phrase('value', { key: key ?? '', item: null }), rule, phrase('omitted')];
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value.trim() : '';
}

/** opencode names an agent by its file; elsewhere the file's name stands in for a name that cannot be one. */
function nameOf(reading: Reading, dialect: Foreign, path: string): string {
  const stem = basename(path, extname(path));
  const entry = reading.take('name');
  const given = dialect === 'opencode' ? '' : textOf(entry?.value);
  if (AgentName.safeParse(given).success) return given;
  const name = (given || stem)
    .replace(/[^\p{L}\p{N} _.-]+/gu, '-')
    .replace(/^[^\p{L}\p{N}]+|[ -]+$/gu, '')
    .slice(0, MAX_NAME_CHARS);
  if (entry && dialect === 'claude') reading.warn('name', entry.valueAt, phrase('name_changed', { name }));
  return name;
}

/** Line ends that were written as `\n` become what they mean. */
function descriptionOf(reading: Reading, prompt: string): string {
  const entry = reading.take('description');
  const given = textOf(entry?.value).replaceAll('\\n', '\n').trim();
  if (given !== '') return given;
  const line = prompt.split('\n').find((one) => /[\p{L}\p{N}]/u.test(one)) ?? prompt;
  const place = entry?.at ?? START;
  reading.warn('description', place, phrase('no_description'));
  return [...line.replace(/^[#\s*>-]+/, '').trim()].slice(0, 200).join('') || 'No description';
}

function roleOf(reading: Reading): AgentDefinition['role'] {
  const entry = reading.take('mode');
  if (!entry || entry.value === 'subagent') return 'subagent';
  if (entry.value === 'primary') return 'primary';
  reading.warn('mode', entry.valueAt, phrase('sub_agent_mode', { mode: String(entry.value) }));
  return 'subagent';
}

function modelOf(reading: Reading): string | null {
  const entry = reading.take('model');
  const model = textOf(entry?.value);
  if (!entry || model === 'inherit' || entry.value === null) return null;
  const id = model.replace(/^anthropic\//i, '');
  if (MODEL_ALIASES.includes(id.toLowerCase())) return id.toLowerCase();
  if (/^claude-[\w.@-]+$/.test(id)) return id;
  const known = MODEL_ALIASES.join(', ');
  reading.warn('model', entry.valueAt, phrase('foreign_model', { model: model || null, known }));
  return null;
}

function effortOf(reading: Reading): AgentDefinition['effort'] {
  const entry = reading.take('effort') ?? reading.take('reasoningEffort');
  if (!entry) return null;
  const effort = Effort.safeParse(entry.value);
  if (effort.success) return effort.data;
  reading.warn(entry.key ?? '', entry.valueAt, omitted(entry, phrase('one_of', { values: Effort.options.join(', ') })));
  return null;
}

function temperatureOf(reading: Reading): number | null {
  const entry = reading.take('temperature');
  if (!entry) return null;
  const { value } = entry;
  if (typeof value === 'number' && value >= 0 && value <= MAX_TEMPERATURE) return value;
  const range = phrase('number_in', { min: 0, max: MAX_TEMPERATURE });
  reading.warn('temperature', entry.valueAt, omitted(entry, range));
  return null;
}

function turnsOf(reading: Reading): { count: number; key: string; at: Position } | null {
  const entry = reading.take('maxTurns') ?? reading.take('maxSteps') ?? reading.take('steps');
  if (!entry) return null;
  const turns = entry.value;
  if (typeof turns === 'number' && Number.isInteger(turns) && turns >= 1)
    return { count: turns, key: entry.key ?? '', at: entry.valueAt };
  reading.warn(entry.key ?? '', entry.valueAt, omitted(entry, phrase('whole')));
  return null;
}

/** Names of servers; one that is defined in the file itself is not started, and said. */
function serversOf(reading: Reading): string[] | null {
  const entry = reading.take('mcpServers');
  if (!entry || !Array.isArray(entry.value)) {
    if (entry) reading.warn('mcpServers', entry.valueAt, omitted(entry, phrase('foreign_servers')));
    return null;
  }
  const names = entry.value.filter((one) => McpServerName.safeParse(one).success).map(String);
  if (names.length < entry.value.length) reading.warn('mcpServers', entry.valueAt, phrase('servers_within'));
  return names;
}

function toolsOf(
  reading: Reading,
  dialect: Foreign,
  role: AgentDefinition['role'],
): Pick<AgentDefinition, 'tools' | 'permissions' | 'requiresApproval'> {
  const entry = reading.take('tools');
  const narrowed: Restriction[] = restrictionsOf(dialect, {
    tools: entry?.value,
    disallowed: reading.take('disallowedTools'),
    mode: reading.take('permissionMode'),
    permission: reading.take('permission'),
    at: entry?.valueAt ?? START,
  });
  for (const { warning } of narrowed) if (warning) reading.warn(warning.key, warning.at, warning.says);
  const readOnly: Permission[] = ['FilesystemRead', 'SemanticSearch'];
  const permissions = narrowed.some(({ noWrites }) => noWrites) ? readOnly : null;
  // Where it may write, all of its permissions are its lead's: the web cannot be taken out of them, but is always asked about.
  const isWebAsked = permissions === null && narrowed.some(({ noWeb }) => noWeb);
  const requiresApproval = [
    ...(narrowed.some(({ asks }) => asks) ? ['FilesystemWrite'] : []),
    ...(isWebAsked ? ['NetworkAccess'] : []),
  ];
  const value = entry?.value;
  const names = typeof value === 'string' ? splitNames(value) : Array.isArray(value) ? value.map(String) : null;
  if (!entry || !names) return { tools: null, permissions, requiresApproval };
  const { tools, unknown, leads } = mapTools(names, dialect);
  if (unknown.length > 0) reading.warn('tools', entry.valueAt, phrase('foreign_tools', { names: unknown.join(', ') }));
  if (leads.length > 0 && role !== 'primary')
    reading.warn('tools', entry.valueAt, phrase('foreign_leads', { names: leads.join(', ') }));
  const starting = leads.length > 0 && role === 'primary' ? ['spawn_agent', 'delegate_task', 'parallel_tasks'] : [];
  return { tools: tools && [...tools, ...starting], permissions, requiresApproval };
}

/** Reads frontmatter that is not valid YAML, which other tools often write. `keys`: only these begin a value, so that a line such as "Context: …" stays part of a description. Of repeated keys the first counts. */
function readLenientFrontmatter(frontmatter: string, keys: readonly string[]): Entry[] {
  const found: { key: string; line: number; column: number; lines: string[] }[] = [];
  for (const [index, line] of frontmatter.split('\n').entries()) {
    const [head, key = ''] = /^([A-Za-z][\w-]*):(?=\s|$)/.exec(line) ?? [];
    const begins = head !== undefined && keys.includes(key) && found.every((one) => one.key !== key);
    if (begins) {
      const rest = line.slice(head.length);
      const value = rest.trimStart();
      // Frontmatter begins on the file's second line.
      found.push({ key, line: index + 2, column: line.length - value.length + 1, lines: [value] });
    } else found.at(-1)?.lines.push(line);
  }
  return found.map(({ key, line, column, lines }): Entry => {
    const value = parseLenientValue(lines);
    const valueAt = value === null ? { line, column: 1 } : { line, column };
    const items = Array.isArray(value) ? value.map(() => valueAt) : [];
    return { key, at: { line, column: 1 }, value, valueAt, items };
  });
}

function parseLenientValue(lines: readonly string[]): unknown {
  const [first = '', ...rest] = lines;
  const more = rest.filter((line) => line.trim() !== '');
  if (first === '' && more.length > 0 && more.every((line) => /^\s*- /.test(line)))
    return more.map((line) => unquoted(line.replace(/^\s*- /, '')));
  const marked = /^[|>][+-]?\d?$/.test(first.trim()) ? rest : lines;
  const text = unquoted(marked.map((line) => line.trimEnd()).join('\n'));
  if (text === '') return null;
  if (/^\[[^\]]*\]$/.test(text))
    return text
      .slice(1, -1)
      .split(',')
      .map(unquoted)
      .filter((item) => item !== '');
  if (text === 'true' || text === 'false') return text === 'true';
  return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
}

function unquoted(text: string): string {
  const trimmed = text.trim();
  return /^(["'])([\s\S]*)\1$/.exec(trimmed)?.[2] ?? trimmed;
}

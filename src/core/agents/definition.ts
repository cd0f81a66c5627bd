/** An agent's own file, Markdown or TOML, parsed strictly: every fault with its place and the nearest valid key. */
import type { z } from 'zod';
import type { AgentDefinition, Fault, Reflection } from '#contract/agent.ts';
import { phrase } from '#contract/approvals/phrases.ts';
import { DEFAULT_REFLECTION_RETRIES, MAX_PROMPT_CHARS } from '#contract/limits.ts';
import { sha256 } from '../base/hash.ts';
import { nearest } from '../base/nearest.ts';
import { type Ceilings, cutWarnings } from './ceilings.ts';
import {
  type Body,
  type Entry,
  fault,
  laterPlace,
  inOrder,
  type Position,
  START,
  withSyntaxErrors,
} from './entries.ts';
import { readMarkdown } from './frontmatter.ts';
import { type AgentKeys, checkKeys, MarkdownKeys, type FindPosition, TomlKeys } from './keys.ts';
import { contractFaults, contractsOf, idleNext, linksIn } from './contract-keys.ts';
import type { Link } from './links/link.ts';
import { mentionsIn, type ServerMention } from './server-names.ts';
import { readTomlAgent } from './sections.ts';
import { PROMPT_VARIABLES, unknownVariables } from './variables.ts';
import { type KnownTool, modelFault, nameFaults, permissionWarnings, unneededPermissions } from './vocabulary.ts';

export interface DefinitionSource {
  source: AgentDefinition['source'];
  /** Path of the file; null for a text that is in no file. */
  path: string | null;
  tools: readonly KnownTool[];
  /** Left out where nobody is told what would be cut. */
  ceilings?: Ceilings | undefined;
}

export type ParsedDefinition =
  /** `at`: where it says these; the beginning where it does not. */
  | {
      ok: true;
      definition: AgentDefinition;
      warnings: Fault[];
      at: Record<'provider' | 'model' | 'temperature', Position>;
      /** What it names of MCP servers. */
      mentions: ServerMention[];
      /** What it names of other agents. */
      links: Link[];
      /** The names of those that follow it, once its links are looked up. */
      chain?: string[];
    }
  /** `name`: what the file says it is, where it says so. `names`: to check with other files and the settings. */
  | { ok: false; name: string | null; errors: Fault[]; warnings: Fault[]; names?: FoundNames };

/** The names in a file with faults. */
export interface FoundNames {
  provider?: string | undefined;
  model?: string | undefined;
  at: Record<'provider' | 'model', Position>;
  links: Link[];
}

/** Name of the agent that leads where no other is named. */
export const LEAD = 'lead';

/** More than any agent has, with all that begin with `x-`. */
const MAX_KEYS = 500;

/** The path's ending tells the format. */
export function parseDefinition(text: string, from: DefinitionSource): ParsedDefinition {
  const isToml = from.path?.endsWith('.toml') ?? false;
  const read = isToml ? readTomlAgent(text) : readMarkdown(text);
  const part = read.ok ? read : read.rest;
  if (!part) return { ok: false, name: null, errors: read.ok ? [] : read.errors, warnings: [] };
  const { entries, body } = part;
  if (entries.length > MAX_KEYS) {
    const errors = [fault(START, phrase('many_keys', { max: MAX_KEYS }))];
    return { ok: false, name: null, errors, warnings: [] };
  }
  const schema = isToml ? TomlKeys : MarkdownKeys;
  const { values, validValues, raw, findPosition, ...checked } = checkKeys<typeof MarkdownKeys | typeof TomlKeys>(
    schema,
    entries,
  );
  const faults = [
    ...part.faults,
    ...checked.unknown.flatMap((entry) => unknownKey(entry, schema)),
    ...bodyFaults(body),
    ...checked.faults,
    ...namesIn(validValues, { tools: raw['tools'], requires_approval: raw['requires_approval'] }, from, findPosition),
    ...promptFaults(body ?? promptIn(entries), isToml, text),
  ];
  const errors = inOrder(read.ok ? faults : withSyntaxErrors(read, faults));
  const findPlace = (key: string): Position => findPosition([key]) ?? START;
  if (errors.length > 0 || values === null) {
    const name = typeof raw['name'] === 'string' && raw['name'] !== '' ? raw['name'] : null;
    return { ok: false, name, errors, warnings: [], names: findNames(validValues, findPosition) };
  }
  const prompt = 'prompt' in values ? String(values.prompt) : (body?.text ?? '');
  const warnings = [
    ...unneededPermissions(
      values.permissions ?? [],
      from.tools,
      (index) => findPosition(['permissions', index]) ?? START,
    ),
    ...permissionWarnings(values, from.tools, (index) => findPosition(['tools', index]) ?? START),
    ...idleReflection(values, findPosition),
    ...idleNext(values, findPosition),
  ];
  const definition = { ...definitionOf(values, prompt, text, from), ...readExtra(entries) };
  const cut = from.ceilings
    ? cutWarnings(definition, from.ceilings, (limit) => {
        const key = limit === 'maxTokens' ? 'max_tokens' : 'max_iterations';
        return { key, at: findPosition([key]) ?? START };
      })
    : [];
  const at = { provider: findPlace('provider'), model: findPlace('model'), temperature: findPlace('temperature') };
  return {
    ok: true,
    definition,
    warnings: [...warnings, ...cut],
    at,
    mentions: serversIn(values, findPosition),
    links: linksIn(values, findPosition),
  };
}

function findNames(values: Partial<AgentKeys>, findPosition: FindPosition): FoundNames {
  const { provider, model } = values;
  const at = { provider: findPosition(['provider']) ?? START, model: findPosition(['model']) ?? START };
  return { provider, model, at, links: linksIn(values, findPosition) };
}

function definitionOf(values: AgentKeys, systemPrompt: string, text: string, from: DefinitionSource): AgentDefinition {
  return {
    name: values.name,
    description: values.description,
    role: values.role,
    ...(values.provider === undefined ? {} : { provider: values.provider }),
    model: values.model ?? null,
    effort: values.effort ?? null,
    maxTokens: values.max_tokens ?? null,
    temperature: values.temperature ?? null,
    maxIterations: values.max_iterations ?? null,
    doomLoopThreshold: values.doom_loop_threshold ?? null,
    maxMinutes: values.max_minutes ?? null,
    tools: values.tools ?? null,
    mcpServers: values.mcp_servers ?? null,
    permissions: values.permissions ?? null,
    requiresApproval: values.requires_approval,
    approvalTimeoutMs: values.approval_timeout === undefined ? null : values.approval_timeout * 1000,
    reflection: reflectionOf(values),
    ...contractsOf(values),
    systemPrompt,
    enabled: values.enabled,
    lifecycle: 'permanent',
    source: from.source,
    sourcePath: from.path,
    hash: sha256(text),
  };
}

/** Returns the keys that begin with `x-` as JSON: a date becomes a text. */
function readExtra(entries: readonly Entry[]): Pick<AgentDefinition, 'extra'> {
  const extraKeys = entries.flatMap(({ key, value }) => (key?.startsWith('x-') ? [[key, value] as const] : []));
  if (extraKeys.length === 0) return {};
  return { extra: JSON.parse(JSON.stringify(Object.fromEntries(extraKeys))) as Record<string, unknown> };
}

function serversIn(values: AgentKeys, findPosition: FindPosition): ServerMention[] {
  const at = (key: string) => (item: number) => ({ item, at: findPosition([key, item]) ?? START });
  const servers = (values.mcp_servers ?? []).map((server, item) => {
    return { key: 'mcp_servers', server, tool: null, ...at('mcp_servers')(item) };
  });
  const tools = mentionsIn('tools', values.tools, at('tools'));
  return [...tools, ...servers, ...mentionsIn('requires_approval', values.requires_approval, at('requires_approval'))];
}

/** Null where it is not switched on. A list of criteria becomes one text. */
function reflectionOf(values: AgentKeys): Reflection | null {
  const { enable_reflection: isOn, max_retries: most, reflection_criteria: wanted } = values;
  if (!isOn) return null;
  const criteria = Array.isArray(wanted) ? wanted.map((one) => `- ${one}`).join('\n') : (wanted ?? null);
  return { criteria, maxRetries: most ?? DEFAULT_REFLECTION_RETRIES };
}

/** Keys that change nothing while reflection is off. */
function idleReflection(values: AgentKeys, findPosition: FindPosition): Fault[] {
  if (values.enable_reflection) return [];
  return (['max_retries', 'reflection_criteria'] as const).flatMap((key) => {
    if (values[key] === undefined) return [];
    return [fault(findPosition([key]) ?? START, phrase('idle_reflection', { key }), { key })];
  });
}

function unknownKey({ key, at }: Entry, schema: z.ZodObject): Fault[] {
  if (key === null) return [fault(at, phrase('key_no_text'))];
  if (key.startsWith('x-')) return [];
  return [fault(at, phrase('unknown_key', { key }), { key, suggestion: nearest(key, Object.keys(schema.shape)) })];
}

function bodyFaults(body: Body | null): Fault[] {
  if (body?.text === '') return [fault(body, phrase('empty_prompt'))];
  if (body && body.text.length > MAX_PROMPT_CHARS)
    return [fault(body, phrase('long_prompt', { max: MAX_PROMPT_CHARS }))];
  return [];
}

/** Of TOML, where it is a key like the others. */
function promptIn(entries: readonly Entry[]): Body | null {
  const found = entries.find(({ key }) => key === 'prompt');
  if (typeof found?.value !== 'string') return null;
  return Object.assign(
    laterPlace(() => found.valueAt),
    { text: found.value },
  );
}

function promptFaults(body: Body | null, isToml: boolean, source: string): Fault[] {
  if (!body) return [];
  return unknownVariables(body.text, PROMPT_VARIABLES, {
    key: isToml ? 'prompt' : null,
    source,
    at: body,
  });
}

/**
 * Checks names of models and tools, and keys that only a lead may have. `values`: without faults. `lists`: unchecked, so
 * that one wrong item does not hide the others.
 */
function namesIn(
  values: Partial<AgentKeys>,
  lists: Readonly<Record<'tools' | 'requires_approval', unknown>>,
  { source, tools }: DefinitionSource,
  findPosition: FindPosition,
): Fault[] {
  const { name, role, provider, model } = values;
  const [wanted, asking] = [readTexts(lists.tools), readTexts(lists.requires_approval)];
  const at = (key: string) => (index: number) => findPosition([key, index]) ?? START;
  const misplaced = role === 'subagent' ? tools.filter((tool) => tool.primaryOnly && wanted.includes(tool.name)) : [];
  // Names of another provider have no form of their own.
  const unknown =
    model === undefined || provider !== undefined ? null : modelFault(model, findPosition(['model']) ?? START);
  const faults = [
    ...(unknown === null ? [] : [unknown]),
    ...contractFaults(values, findPosition, source === 'builtin'),
    ...nameFaults('tools', wanted, tools, at('tools')),
    ...nameFaults('requires_approval', asking, tools, at('requires_approval')),
    ...misplaced.map(({ name: tool, startsAgents }) => {
      const item = wanted.indexOf(tool);
      const says = phrase('leads_tool', { key: 'tools', item, name: tool, starts: startsAgents !== undefined });
      return fault(at('tools')(item), says, { key: 'tools' });
    }),
  ];
  if (name !== LEAD || role !== 'subagent') return faults;
  return [...faults, fault(findPosition(['name']) ?? START, phrase('lead_name', { name }), { key: 'name' })];
}

/** Returns the items of a list; an empty text for an item that is no text. */
function readTexts(list: unknown): string[] {
  return Array.isArray(list) ? list.map((item) => (typeof item === 'string' ? item.trim() : '')) : [];
}

/** From files to agents: a file that does not fit is reported and left out, and never stops the others. */
import { setImmediate as turn } from 'node:timers/promises';
import type { AgentDefinition, AgentReport, Fault } from '#contract/agent.ts';
import { phrase } from '#contract/approvals/phrases.ts';
import type { Ceilings } from './ceilings.ts';
import { parseComposition, type ParsedComposition } from './compositions/composition.ts';
import { type DefinitionSource, parseDefinition, type ParsedDefinition } from './definition.ts';
import { fault, inOrder, type Position, START, type RawFile } from './entries.ts';
import { parseForeign } from './foreign.ts';
import type { ModelRules } from '../model/model-rules.ts';
import type { AgentPlace, Dialect } from './places.ts';
import { readPlace } from './read-place.ts';
import type { KnownTool } from './vocabulary.ts';

interface From {
  path: string;
  source: AgentReport['source'];
}

/** An agent's file, or a composition's with its agents found. */
export type LoadedFile = From & ParsedDefinition;
/** A file as it was read alone. */
export type UnlinkedFile = From & (ParsedDefinition | ParsedComposition);
export type FineFile = UnlinkedFile & { ok: true };

/** The parsed files of a place, sorted by path. With `ceilings`, warnings tell what they cut. */
export async function loadPlace(
  place: AgentPlace,
  tools: readonly KnownTool[],
  ceilings?: Ceilings,
): Promise<UnlinkedFile[]> {
  return firstOfEachName(await loadFiles(await readPlace(place), (file) => loadFile(file, place, tools, ceilings)));
}

/** How long files are parsed before others get a turn, in milliseconds: a schema or a nested map can take a good part of a second. */
const TURN_MS = 20;

/** Parsed in the same order, with turns for others between them. */
export async function loadFiles(
  files: readonly RawFile[],
  parse: (file: RawFile) => UnlinkedFile,
): Promise<UnlinkedFile[]> {
  const loaded: UnlinkedFile[] = [];
  let begun = performance.now();
  for (const file of files) {
    loaded.push(parse(file));
    if (performance.now() - begun < TURN_MS) continue;
    await turn();
    begun = performance.now();
  }
  return loaded;
}

export function loadFile(
  file: RawFile,
  place: AgentPlace,
  tools: readonly KnownTool[],
  ceilings?: Ceilings,
): UnlinkedFile {
  const { path } = file;
  const { source } = place;
  if (file.problem === null) return { path, source, ...parseText(file.text, path, place, tools, ceilings) };
  const error = fault(file.at ?? START, file.says);
  const rest = file.rest === undefined ? null : parseText(file.rest, path, place, tools);
  if (rest === null) return { path, source, ok: false, name: null, errors: [error], warnings: [] };
  if (!rest.ok) return { path, source, ...rest, errors: inOrder([error, ...rest.errors]) };
  const { name } = 'composition' in rest ? rest.composition : rest.definition;
  return { path, source, ok: false, name, errors: [error], warnings: [] };
}

function parseText(
  text: string,
  path: string,
  { source, dialect, compositions }: AgentPlace,
  tools: readonly KnownTool[],
  ceilings?: Ceilings,
): ParsedDefinition | ParsedComposition {
  const from: DefinitionSource = { source, path, tools, ceilings };
  if (compositions) return parseComposition(text, { source, path });
  return dialect === 'triad' ? parseDefinition(text, from) : parseForeign(text, dialect, from);
}

/**
 * With what is known here and now against its model and its temperature, which the file alone does not tell. The files of
 * other programs, and those that come with this one, were not written for this endpoint: their agents get the lead's model
 * instead.
 */
export function checkHere(file: UnlinkedFile, dialect: Dialect, rules: HereRules): UnlinkedFile {
  if (!file.ok) return addModelFaults(file, rules);
  if ('composition' in file) return file;
  const { definition, at } = file;
  const { provider, model } = definition;
  const missing = providerFault(provider, at.provider, rules);
  if (missing) return refused(file, missing);
  const cold = definition.temperature === null ? null : rules.temperatureFault(provider, model);
  const warm = cold === null ? file : withWarning(file, fault(at.temperature, cold, { key: 'temperature' }));
  const mute = provider === undefined || model !== null ? null : rules.modelMissing(provider);
  const warned = mute === null ? warm : withWarning(warm, fault(at.provider, mute, { key: 'provider' }));
  const found = model === null ? null : rules.faultOf(model, provider);
  if (found === null) return warned;
  const isLeads = found.kind !== 'unchecked' && (dialect !== 'triad' || file.source === 'builtin');
  const says = [
    phrase('value', { key: 'model', item: null }),
    found.says,
    ...(isLeads ? [phrase('leads_is_used')] : []),
  ];
  const one = fault(at.model, says, { key: 'model', suggestion: found.suggestion });
  if (isLeads) return { ...withWarning(warned, one), definition: { ...definition, model: null } };
  if (found.kind !== 'refused') return withWarning(warned, one);
  return refused(warned, one);
}

function providerFault(provider: string | undefined, at: Position, rules: HereRules): Fault | null {
  const missing = provider === undefined ? null : rules.providerFault(provider);
  return missing && fault(at, [phrase('value', { key: 'provider', item: null }), missing], { key: 'provider' });
}

/** Adds the faults of the provider and the model to a file with other faults. */
function addModelFaults(file: UnlinkedFile & { ok: false }, rules: HereRules): UnlinkedFile {
  if (!file.names) return file;
  const { provider, model, at } = file.names;
  const missing = providerFault(provider, at.provider, rules);
  const found = missing === null && model !== undefined ? rules.faultOf(model, provider) : null;
  const says = found?.kind === 'refused' ? [phrase('value', { key: 'model', item: null }), found.says] : [];
  const refused =
    found && says.length > 0 ? [fault(at.model, says, { key: 'model', suggestion: found.suggestion })] : [];
  return { ...file, errors: inOrder([...file.errors, ...(missing ? [missing] : []), ...refused]) };
}

export type HereRules = Pick<ModelRules, 'faultOf' | 'temperatureFault' | 'providerFault' | 'modelMissing'>;

function refused({ path, source, definition, warnings }: Agent, error: Fault): UnlinkedFile {
  return { path, source, ok: false, name: definition.name, errors: [error], warnings };
}

type Agent = Extract<UnlinkedFile, { definition: AgentDefinition }>;

function withWarning<T extends { warnings: Fault[] }>(file: T, warning: Fault): T {
  return { ...file, warnings: [...file.warnings, warning] };
}

/** Two files of one place with one name: the first by path stays, the other is a fault. */
export function firstOfEachName(loaded: readonly UnlinkedFile[]): UnlinkedFile[] {
  const first = new Map<string, string>();
  return loaded.map((file) => {
    const name = nameOf(file) ?? '';
    const other = first.get(name);
    if (other === undefined) {
      if (file.ok) first.set(name, file.path);
      return file;
    }
    const { path, source, warnings } = file;
    const error = fault(START, phrase('name_taken', { name, path: other }), { key: 'name' });
    return { path, source, ok: false, name, errors: [error, ...(file.ok ? [] : file.errors)], warnings };
  });
}

export function definitionsOf(files: readonly UnlinkedFile[]): AgentDefinition[] {
  return files.flatMap((file) => (file.ok && !('composition' in file) ? [file.definition] : []));
}

/** The name that the file gives its agent; null where it has none. */
export function nameOf(file: UnlinkedFile): string | null {
  if (!file.ok) return file.name;
  return 'composition' in file ? file.composition.name : file.definition.name;
}

export function reportOf(file: UnlinkedFile): AgentReport {
  const { path, source, ok, warnings } = file;
  const linked = file.ok && 'definition' in file ? file : null;
  const { chain = [], flow } = { chain: linked?.chain, flow: linked?.definition.flow };
  return {
    file: path,
    name: nameOf(file),
    source,
    ok,
    errors: file.ok ? [] : file.errors,
    warnings,
    ...(chain.length > 0 ? { chain } : {}),
    ...(flow ? { flow } : {}),
  };
}

/** One fault as a person reads it: `path:line:column: message (did you mean …?)`. */
export function describeFault(path: string, { line, column, message, suggestion }: Fault): string {
  return `${path}:${line}:${column}: ${message}${suggestion === null ? '' : ` (did you mean \`${suggestion}\`?)`}`;
}

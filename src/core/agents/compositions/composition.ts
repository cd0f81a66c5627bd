/** A composition's file, TOML, parsed strictly: an agent made of a primary, perhaps a coagent, and how the two take turns. */
import { z } from 'zod';
import type { AgentReport, Fault } from '#contract/agent.ts';
import { phrase } from '#contract/approvals/phrases.ts';
import type { Phrase } from '#contract/approvals/phrase.ts';
import { ControlFlow, type FlowDefinition } from '#contract/flows/control-flow.ts';
import { DEFAULT_FLOW_ROUNDS, MAX_FLOW_ROUNDS, MAX_PROMPT_CHARS } from '#contract/limits.ts';
import { sha256 } from '../../base/hash.ts';
import { nearest } from '../../base/nearest.ts';
import { type Entry, fault, inOrder, type Position, START, withSyntaxErrors } from '../entries.ts';
import type { FoundNames } from '../definition.ts';
import { defaultHandoff } from './handoffs.ts';
import { checkKeys, keys, oneOf, rule, whole, word } from '../keys.ts';
import type { Link } from '../links/link.ts';
import { readToml } from '../toml.ts';
import { HANDOFF_VARIABLES, unknownVariables, variablesIn } from '../variables.ts';

/** What a file composes, before its agents are looked up. */
export interface Composition {
  name: string;
  description: string;
  /** Its agents as the file names them. */
  flow: FlowDefinition;
  source: AgentReport['source'];
  path: string | null;
  /** SHA-256 of the text, in hex. */
  hash: string;
}

export type ParsedComposition =
  | { ok: true; composition: Composition; links: Link[]; warnings: Fault[]; at: (key: string) => Position }
  | { ok: false; name: string | null; errors: Fault[]; warnings: Fault[]; names?: FoundNames };

/** The key that bounds each control flow; a `hitl` has no bound. */
const ROUNDS_KEY = {
  loop: 'max_iterations',
  judge: 'max_rounds',
  smart: 'max_rounds',
  chat: 'max_turns',
} as const;
const BOUNDS = ['max_iterations', 'max_rounds', 'max_turns'] as const;
const rounds = whole(MAX_FLOW_ROUNDS).optional();
const text = z
  .string({ error: rule('be_text') })
  .trim()
  .min(1, rule('not_empty'))
  .max(MAX_PROMPT_CHARS, rule('longer', { max: MAX_PROMPT_CHARS }))
  .optional();
const HANDOFF_TYPES = ['static', 'template', 'generated'] as const;

/** By section and key. `template` and `generator_prompt` are `text` by the names of their types. */
export const CompositionKeys = z.object({
  'agent.name': keys.name,
  'agent.description': keys.description,
  'composition.primary': word,
  'composition.coagent': word.optional(),
  'control_flow.type': oneOf(ControlFlow.options),
  'control_flow.max_iterations': rounds,
  'control_flow.max_rounds': rounds,
  'control_flow.max_turns': rounds,
  'handoff.type': oneOf(HANDOFF_TYPES).optional(),
  'handoff.text': text,
  'handoff.template': text,
  'handoff.generator_prompt': text,
});
type Values = z.infer<typeof CompositionKeys>;
type Key = keyof Values;

const KEYS = Object.keys(CompositionKeys.shape);
export const SECTIONS: readonly string[] = [...new Set(KEYS.map((key) => key.split('.')[0] ?? ''))];

export function parseComposition(
  source: string,
  from: { source: AgentReport['source']; path: string | null },
): ParsedComposition {
  const read = readToml(source, SECTIONS);
  const part = read.ok ? read : read.rest;
  if (!part) return { ok: false, name: null, errors: read.ok ? [] : read.errors, warnings: [] };
  const { values, validValues, raw, findPosition, ...checked } = checkKeys(CompositionKeys, part.entries);
  const at = (key: string): Position => findPosition([key]) ?? START;
  const hasKey = (key: Key): boolean => Object.hasOwn(raw, key);
  const faults = [
    ...checked.unknown.map(unknownKey),
    ...checked.faults,
    ...flowFaults(validValues, hasKey, at),
    ...variableFaults(validValues, at, source),
  ];
  const errors = inOrder(read.ok ? faults : withSyntaxErrors(read, faults));
  if (errors.length > 0 || values === null) {
    const name = typeof raw['agent.name'] === 'string' && raw['agent.name'] !== '' ? raw['agent.name'] : null;
    const names = { at: { provider: START, model: START }, links: linksIn(validValues, at) };
    return { ok: false, name, errors, warnings: [], names };
  }
  const composition = {
    name: values['agent.name'],
    description: values['agent.description'],
    flow: flowOf(values),
    source: from.source,
    path: from.path,
    hash: sha256(source),
  };
  return { ok: true, composition, links: linksIn(values, at), warnings: idleVariables(values, at), at };
}

function variableFaults(values: Partial<Values>, at: (key: Key) => Position, source: string): Fault[] {
  const key = findTextKey(values);
  if (key === undefined || getHandoffType(values) !== 'template') return [];
  return unknownVariables(values[key] ?? '', HANDOFF_VARIABLES, { key, source, at: at(key) });
}

/** Variables that nobody replaces. */
function idleVariables(values: Values, at: (key: Key) => Position): Fault[] {
  const key = findTextKey(values);
  const type = getHandoffType(values);
  if (key === undefined || type === 'template') return [];
  const [name] = variablesIn(values[key] ?? '').filter((one) => HANDOFF_VARIABLES.some((known) => known === one));
  if (name === undefined) return [];
  return [fault(at(key), phrase('idle_variable', { key, name, type }), { key })];
}

function getHandoffType(values: Partial<Values>): (typeof HANDOFF_TYPES)[number] {
  const implied = {
    'handoff.text': 'static',
    'handoff.template': 'template',
    'handoff.generator_prompt': 'generated',
  } as const;
  return values['handoff.type'] ?? implied[findTextKey(values) ?? 'handoff.text'];
}

function flowOf(values: Values): FlowDefinition {
  const type = values['control_flow.type'];
  const coagent = values['composition.coagent'] ?? null;
  const key = type === 'hitl' ? null : (`control_flow.${ROUNDS_KEY[type]}` as const);
  const said = findTextKey(values);
  return {
    type,
    rounds: (key === null ? undefined : values[key]) ?? DEFAULT_FLOW_ROUNDS[type],
    primary: values['composition.primary'],
    coagent,
    handoff:
      said === undefined
        ? defaultHandoff(type, coagent !== null)
        : { type: getHandoffType(values), text: values[said] ?? '' },
  };
}

type TextKey = 'handoff.text' | 'handoff.template' | 'handoff.generator_prompt';
const TEXT_KEYS: readonly TextKey[] = ['handoff.text', 'handoff.template', 'handoff.generator_prompt'];

function findTextKey(values: Partial<Values>): TextKey | undefined {
  return TEXT_KEYS.find((key) => values[key] !== undefined);
}

function linksIn(values: Partial<Values>, at: (key: string) => Position): Link[] {
  return (['primary', 'coagent'] as const).flatMap((use): Link[] => {
    const key = `composition.${use}`;
    const wanted = values[`composition.${use}`];
    return wanted === undefined ? [] : [{ use, wanted, key, item: null, at: at(key) }];
  });
}

type HasKey = (key: Key) => boolean;

/** Returns the faults of keys that exclude each other. `hasKey`: true for a key of the file, also with a fault. */
function flowFaults(values: Partial<Values>, hasKey: HasKey, at: (key: Key) => Position): Fault[] {
  const type = values['control_flow.type'];
  if (type === undefined) return handoffFaults(values, hasKey, at);
  const hasCoagent = hasKey('composition.coagent');
  const faults: Fault[] = [];
  const add = (key: Key, says: Phrase, suggestion: string | null = null): void => {
    faults.push(fault(at(key), says, { key, suggestion }));
  };
  if (type === 'hitl' && hasCoagent) add('composition.coagent', phrase('hitl_coagent'));
  if (type !== 'hitl' && type !== 'loop' && !hasCoagent) add('control_flow.type', phrase('needs_coagent', { type }));
  for (const bound of BOUNDS) {
    const key = `control_flow.${bound}` as const;
    if (!hasKey(key) || (type !== 'hitl' && ROUNDS_KEY[type] === bound)) continue;
    if (type === 'hitl') add(key, phrase('hitl_bound', { key }));
    else add(key, phrase('no_bound', { key, type }), ROUNDS_KEY[type]);
  }
  return [...faults, ...handoffFaults(values, hasKey, at)];
}

function handoffFaults(values: Partial<Values>, hasKey: HasKey, at: (key: Key) => Position): Fault[] {
  const said = TEXT_KEYS.filter(hasKey);
  const [first, second] = said;
  const type = values['handoff.type'];
  if (second !== undefined)
    return [fault(at(second), phrase('said_twice', { key: second, other: first! }), { key: second })];
  if (type !== undefined && first === undefined)
    return [fault(at('handoff.type'), phrase('handoff_text'), { key: 'handoff.type' })];
  const fitting = { 'handoff.text': type, 'handoff.template': 'template', 'handoff.generator_prompt': 'generated' };
  if (first !== undefined && type !== undefined && fitting[first] !== type)
    return [fault(at(first), phrase('handoff_type', { key: first, type }), { key: first, suggestion: 'text' })];
  if (values['control_flow.type'] === 'hitl' && first !== undefined)
    return [fault(at(first), phrase('hitl_handoff', { key: first }), { key: first })];
  return [];
}

function unknownKey({ key, at }: Entry): Fault {
  const name = key ?? '';
  const [section = '', inner] = name.split('.');
  if (SECTIONS.includes(section)) {
    if (inner === undefined) return fault(at, phrase('no_section', { section }), { key: name });
    const own = KEYS.filter((one) => one.startsWith(`${section}.`)).map((one) => one.slice(section.length + 1));
    return fault(at, phrase('unknown_in_section', { key: inner, section }), {
      key: name,
      suggestion: nearest(inner, own),
    });
  }
  const home = KEYS.find((one) => one.endsWith(`.${name}`));
  if (home !== undefined) {
    const [where = ''] = home.split('.');
    return fault(at, phrase('other_section', { key: name, section: where }), { key: name, suggestion: home });
  }
  return fault(at, phrase('unknown_section', { key: name }), { key: name, suggestion: nearest(name, SECTIONS) });
}

/** Variables of prompts, written `{{name}}` or `{{ name }}`; `\\{{name}}` stands for itself. */
import type { Fault } from '#contract/agent.ts';
import { phrase } from '#contract/approvals/phrases.ts';
import { nearest } from '../base/nearest.ts';
import { fault, type Position } from './entries.ts';

/** Of what a coagent is told, where its composition's handoff has the type `template`. */
export const HANDOFF_VARIABLES = [
  ...(['user_request', 'task_description', 'account', 'answer', 'todo_state', 'changes'] as const),
  ...(['round', 'max_rounds', 'feedback', 'agent', 'coagent'] as const),
] as const;
export type HandoffVariable = (typeof HANDOFF_VARIABLES)[number];

/** Of the system prompts of Triad's own agents. */
export const PROMPT_VARIABLES = ['max_sub_agents', 'folder', 'date', 'platform', 'agent'] as const;
export type PromptVariable = (typeof PROMPT_VARIABLES)[number];

const VARIABLE = /(\\?)\{\{[ \t]*(\w+)[ \t]*\}\}/g;

/** Once: what stands in a value is never a variable. An unknown one stays as it is. */
export function rendered(text: string, values: Readonly<Record<string, string>>): string {
  return text.replaceAll(VARIABLE, (whole, escape: string, name: string) => {
    if (escape !== '') return whole.slice(1);
    return Object.hasOwn(values, name) ? (values[name] ?? whole) : whole;
  });
}

/** The names of the variables in a text, in order. */
export function variablesIn(text: string): string[] {
  return [...text.matchAll(VARIABLE)].flatMap(([, escape, name]) =>
    escape === '' && name !== undefined ? [name] : [],
  );
}

/**
 * A fault for each variable of a key's text that is none of the known. `source`: the file, in which the text begins in
 * the line of `at`; `key`: null for the text of the file; how it is quoted there makes no difference.
 */
export function unknownVariables(
  text: string,
  known: readonly string[],
  { key, source, at }: { key: string | null; source: string; at: Position },
): Fault[] {
  const unknown = variablesIn(text).filter((name) => !known.includes(name));
  if (unknown.length === 0) return [];
  const lines = source.split('\n');
  const found = lines.slice(at.line - 1).flatMap((line, index) => {
    return [...line.matchAll(VARIABLE)].flatMap(({ 1: escape, 2: name = '', index: column }) => {
      if (escape !== '' || known.includes(name) || (index === 0 && column + 1 < at.column)) return [];
      return [{ line: at.line + index, column: column + 1 }];
    });
  });
  return unknown.map((name, index) => {
    const suggestion = wrapped(nearest(name, known));
    return fault(found[index] ?? at, phrase('unknown_variable', { key, name }), { key, suggestion });
  });
}

function wrapped(name: string | null): string | null {
  return name === null ? null : `{{${name}}}`;
}

const PLATFORMS: Readonly<Record<string, string>> = { darwin: 'macOS', linux: 'Linux', win32: 'Windows' };

/** What a system prompt's variables stand for, now. */
export function promptValues({
  agent,
  folder,
  maxSubAgents,
}: {
  agent: string;
  folder: string;
  maxSubAgents: number;
}): Record<PromptVariable, string> {
  const now = new Date();
  const two = (value: number): string => String(value).padStart(2, '0');
  return {
    max_sub_agents: String(maxSubAgents),
    folder,
    date: `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}`,
    platform: PLATFORMS[process.platform] ?? process.platform,
    agent,
  };
}

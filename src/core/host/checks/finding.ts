/** What is wrong in the configuration: where, what, and what to do about it. */
import type { Fault } from '#contract/agent.ts';
import { partsOf } from '#core/settings/dotted-path.ts';
import { positionFinder } from '#core/base/toml-tree.ts';
import type { FileProblem } from '#core/settings/toml-file.ts';

export interface Finding {
  file: string;
  /** Both from 1. */
  line: number;
  column: number;
  /** A warning keeps nothing from working. */
  level: 'error' | 'warning';
  /** Dotted path; null where the file as a whole is meant. */
  key: string | null;
  /** One sentence, without file and key's place. */
  what: string;
  /** What to do: an order without a full stop. */
  todo: string;
}

/** Of settings and prices. */
export function problemFinding(file: string, { line, column, key, message, suggestion }: FileProblem): Finding {
  const what = key === null ? message : `${key} ${message}`;
  return { file, line, column, level: 'error', key, what, todo: remedyOf(message, suggestion) };
}

/** Of an agent's file. */
export function faultFinding(file: string, fault: Fault, level: Finding['level']): Finding {
  const { line, column, key, message, suggestion } = fault;
  return { file, line, column, level, key, what: message, todo: remedyOf(message, suggestion) };
}

/** A finding about a key of a TOML text. */
export function keyFinder(file: string, text: string) {
  const findPosition = positionFinder(text);
  return (path: string, what: string, todo: string, level: Finding['level'] = 'warning'): Finding => {
    return { file, ...findPosition(partsOf(path) ?? []), level, key: path, what: `${path} ${what}`, todo };
  };
}

function remedyOf(message: string, suggestion: string | null): string {
  if (suggestion !== null) return `write ${suggestion}`;
  if (/\bis missing\b/.test(message)) return 'add it';
  if (/^is not (?:a setting|a price)|^unknown (?:key|section)/.test(message)) return 'take it out';
  return 'correct it';
}

/** TOML files of agents and compositions: the values of the keys, and where they stand. */
import { parse, TomlError } from 'smol-toml';
import type { Fault } from '#contract/agent.ts';
import { phrase } from '#contract/approvals/phrases.ts';
import { nodeFinder } from '../base/toml-tree.ts';
import { type Entry, fault, type ReadFile, START } from './entries.ts';

/** `tables`: those whose keys are read as `table.key`. */
export function readToml(text: string, tables: readonly string[] = []): ReadFile {
  const source = text.replace(/^\uFEFF/, '');
  const { errors, read, emptied } = readPastErrors(source);
  const keys = read && { entries: entriesIn(read.values, read.source, tables), body: null, faults: [] };
  if (errors.length === 0 && keys) return { ok: true, ...keys };
  return { ok: false, errors, rest: keys && { ...keys, emptied } };
}

type TomlTable = Record<string, unknown>;

/** The readable part of a TOML text, with its syntax errors. */
interface ReadableToml {
  errors: Fault[];
  /** Null if the text cannot be parsed without its wrong lines either. */
  read: { values: TomlTable; source: string } | null;
  /** Numbers of the lines without their values, from 1. */
  emptied: ReadonlySet<number>;
}

/** Maximum number of syntax errors of one file: each one needs another parse. */
const MAX_ERRORS = 20;
const KEY = /^\s*[\w."'-]+\s*=/;

/**
 * Reads past lines with a wrong value, and past keys that are there again. A line that is still wrong without its value
 * ends the reading: the cause may be a line above it.
 */
function readPastErrors(source: string): ReadableToml {
  const lines = source.split('\n');
  const emptied = new Set<number>();
  const errors: Fault[] = [];
  for (;;) {
    const text = lines.join('\n');
    const parsed = parseToml(text);
    if ('values' in parsed) return { errors, read: { values: parsed.values, source: text }, emptied };
    const { line, error, isTwice } = parsed;
    errors.push(error);
    const [head] = KEY.exec(lines[line - 1] ?? '') ?? [];
    if (head === undefined || emptied.has(line) || errors.length === MAX_ERRORS)
      return { errors: errors.slice(0, Math.max(emptied.size, 1)), read: null, emptied };
    lines[line - 1] = isTwice ? '' : `${head} ""`;
    emptied.add(line);
  }
}

function parseToml(source: string): { values: TomlTable } | { line: number; error: Fault; isTwice: boolean } {
  try {
    return { values: parse(source) };
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const why = error.message.split('\n')[0]?.replace(/^Invalid TOML document: /, '') ?? '';
    return { line: error.line, error: fault(error, phrase('bad_toml', { why })), isTwice: /redefine/.test(why) };
  }
}

function entriesIn(values: TomlTable, source: string, tables: readonly string[]): Entry[] {
  const findNode = nodeFinder(source);
  return flattened(values, tables).map(({ path, value }): Entry => {
    return {
      key: path.join('.'),
      value,
      get at() {
        return findNode(path) ?? START;
      },
      get valueAt() {
        return findNode(path)?.valuePosition ?? START;
      },
      get items() {
        return Array.isArray(value) ? value.map((_, index) => findNode([...path, String(index)]) ?? START) : [];
      },
    };
  });
}

/** The keys of these tables by two parts, all others by one. */
function flattened(values: TomlTable, tables: readonly string[]): { path: string[]; value: unknown }[] {
  return Object.entries(values).flatMap(([key, value]) => {
    if (!tables.includes(key) || !isTable(value)) return [{ path: [key], value }];
    return Object.entries(value).map(([inner, one]) => ({ path: [key, inner], value: one }));
  });
}

function isTable(value: unknown): value is TomlTable {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

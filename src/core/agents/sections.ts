/** An agent in TOML may have its keys in sections: they are read as the plain keys that they stand for. */
import type { Fault } from '#contract/agent.ts';
import { phrase } from '#contract/approvals/phrases.ts';
import { nearest } from '../base/nearest.ts';
import { type Entry, fault, type ReadFile, type ReadKeys } from './entries.ts';
import { readToml } from './toml.ts';

/** The plain key of each key of a section. */
const PLAIN: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  agent: { name: 'name', description: 'description', role: 'role' },
  model: {
    provider: 'provider',
    model: 'model',
    temperature: 'temperature',
    max_tokens: 'max_tokens',
    effort: 'effort',
  },
  tools: { enabled: 'tools' },
  react: { max_iterations: 'max_iterations', doom_loop_threshold: 'doom_loop_threshold' },
  prompt: { system: 'prompt' },
};
const SECTIONS = Object.keys(PLAIN);

/** The entries of a file with or without sections, by plain key; all other keys as they are. */
export function readTomlAgent(text: string): ReadFile {
  const read = readToml(text, SECTIONS);
  if (read.ok) return { ok: true, ...withPlainKeys(read.entries) };
  return { ...read, rest: read.rest && { ...read.rest, ...withPlainKeys(read.rest.entries) } };
}

/** Leaves out unknown keys of sections, and duplicate keys. */
function withPlainKeys(all: readonly Entry[]): ReadKeys {
  const entries: Entry[] = [];
  const faults: Fault[] = [];
  const known = new Set<string | null>();
  for (const entry of all) {
    const plain = plainOf(entry);
    if (plain === null) faults.push(sectionFault(entry));
    else if (known.has(plain)) {
      const says = phrase('said_above', { key: entry.key ?? '', above: plain });
      faults.push(fault(entry.at, says, { key: plain }));
    } else {
      if (entry.key === 'prompt.system' && typeof entry.value === 'object' && entry.value !== null)
        faults.push(fault(entry.valueAt, phrase('prompt_text'), { key: 'prompt' }));
      known.add(plain);
      entries.push(plain === entry.key ? entry : renamed(entry, plain));
    }
  }
  return { entries, body: null, faults };
}

/** Where a plain key stands in this text, or would: in its section where the text has sections. */
export function writtenKey(text: string, key: string): string[] {
  const read = readToml(text, SECTIONS);
  const isSectioned = read.ok && read.entries.some((entry) => plainOf(entry) !== entry.key);
  const isPlain = read.ok && read.entries.some((entry) => entry.key === key);
  if (!isSectioned || isPlain) return [key];
  for (const [section, keys] of Object.entries(PLAIN))
    for (const [inner, plain] of Object.entries(keys)) if (plain === key) return [section, inner];
  return [key];
}

/** Null for a key that its section does not have. */
function plainOf({ key }: Entry): string | null {
  const [section = '', inner] = (key ?? '').split('.');
  const keys = inner === undefined ? undefined : PLAIN[section];
  if (inner === undefined || keys === undefined) return key;
  return Object.hasOwn(keys, inner) ? (keys[inner] ?? null) : null;
}

function sectionFault({ key, at }: Entry): Fault {
  const [section = '', inner = ''] = (key ?? '').split('.');
  const suggestion = nearest(inner, Object.keys(PLAIN[section] ?? {}));
  return fault(at, phrase('unknown_in_section', { key: inner, section }), { key, suggestion });
}

/** With the places that are only looked up when asked for. */
function renamed(entry: Entry, key: string): Entry {
  return {
    key,
    value: entry.value,
    get at() {
      return entry.at;
    },
    get valueAt() {
      return entry.valueAt;
    },
    get items() {
      return entry.items;
    },
  };
}

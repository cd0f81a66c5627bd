/** An agent's file: Markdown with YAML frontmatter, parsed strictly, every fault with its place and the nearest valid key. */
import { isMap, isScalar, isSeq, LineCounter, type Node, parseDocument, type Pair, type YAMLMap } from 'yaml';
import { z } from 'zod';
import { type AgentDefinition, AgentName, Effort } from '#contract/agent.ts';
import { MAX_ITERATIONS, MAX_NAME_CHARS, MAX_PROMPT_CHARS } from '#contract/limits.ts';
import { sha256 } from '../hash.ts';
import { nearest } from '../nearest.ts';

export interface DefinitionError {
  /** Both from 1, in the file. */
  line: number;
  column: number;
  /** Null where the fault is not one key's. */
  key: string | null;
  message: string;
  /** The nearest valid key or value. */
  suggestion: string | null;
}

export type ParsedDefinition =
  { ok: true; definition: AgentDefinition } | { ok: false; errors: DefinitionError[] };

const word = z.string({ error: 'must be text' }).trim().min(1, 'must not be empty');
const oneOf = <const T extends readonly string[]>(values: T) =>
  z.enum(values, { error: `must be one of ${values.join(', ')}` });
const whole = (max: number) =>
  z
    .int({ error: `must be a whole number from 1 to ${max}` })
    .min(1, `must be at least 1`)
    .max(max, `must be at most ${max}`);

/** The keys of the frontmatter; an absent optional one leaves the choice to the parent or the settings. */
const keys = {
  name: z
    .string({ error: 'must be text' })
    .refine(
      (name) => AgentName.safeParse(name).success,
      `must have 1 to ${MAX_NAME_CHARS} letters, digits, spaces, "_", "." or "-", and begin with a letter or digit`,
    ),
  description: word,
  role: oneOf(['primary', 'subagent']).default('subagent'),
  model: word.optional(),
  effort: oneOf(Effort.options).optional(),
  max_tokens: whole(1_000_000).optional(),
  max_iterations: whole(MAX_ITERATIONS).optional(),
  tools: z.array(word, { error: 'must be a list of tool names, such as [read_file, grep]' }).optional(),
  enabled: z.boolean({ error: 'must be true or false' }).default(true),
} satisfies Record<string, z.ZodType>;
const Frontmatter = z.object(keys);
const REQUIRED: readonly string[] = ['name', 'description'];

/** Values that an enumeration allows, for suggestions. */
const CHOICES: Readonly<Record<string, readonly string[]>> = {
  role: ['primary', 'subagent'],
  effort: Effort.options,
};

export function parseDefinition(
  text: string,
  from: { source: AgentDefinition['source']; path: string | null },
): ParsedDefinition {
  const file = split(text);
  if (!file) {
    const message = 'the file must begin with frontmatter: a line `---`, the keys, and another line `---`';
    return { ok: false, errors: [{ line: 1, column: 1, key: null, message, suggestion: null }] };
  }
  const { values, errors } = readFrontmatter(file.frontmatter);
  const prompt = file.body.trim();
  const atBody = { line: file.bodyLine, column: 1, key: null, suggestion: null };
  if (prompt === '')
    errors.push({
      ...atBody,
      message: 'the text below the frontmatter is the system prompt and must not be empty',
    });
  if (prompt.length > MAX_PROMPT_CHARS)
    errors.push({ ...atBody, message: `the system prompt is longer than ${MAX_PROMPT_CHARS} characters` });
  if (errors.length > 0 || !values)
    return { ok: false, errors: errors.sort((a, b) => a.line - b.line || a.column - b.column) };
  return {
    ok: true,
    definition: {
      name: values.name,
      description: values.description,
      role: values.role,
      model: values.model ?? null,
      effort: values.effort ?? null,
      maxTokens: values.max_tokens ?? null,
      maxIterations: values.max_iterations ?? null,
      tools: values.tools ?? null,
      systemPrompt: prompt,
      enabled: values.enabled,
      lifecycle: 'permanent',
      source: from.source,
      sourcePath: from.path,
      hash: sha256(text),
    },
  };
}

/** The frontmatter keeps the file's lines: its first line is line 2. */
function split(text: string): { frontmatter: string; body: string; bodyLine: number } | null {
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/);
  if (lines[0]?.trimEnd() !== '---') return null;
  const end = lines.findIndex((line, index) => index > 0 && line.trimEnd() === '---');
  if (end < 0) return null;
  return {
    frontmatter: lines.slice(1, end).join('\n'),
    body: lines.slice(end + 1).join('\n'),
    bodyLine: Math.min(end + 2, lines.length),
  };
}

type Values = z.infer<typeof Frontmatter>;
interface Place {
  line: number;
  column: number;
}

function readFrontmatter(text: string): { values: Values | null; errors: DefinitionError[] } {
  const counter = new LineCounter();
  const document = parseDocument(text, { lineCounter: counter, prettyErrors: false, uniqueKeys: true });
  const at = (offset: number): Place => {
    const { line, col } = counter.linePos(offset);
    return { line: Math.max(line, 1) + 1, column: Math.max(col, 1) };
  };
  const syntax = document.errors[0];
  if (syntax?.code === 'DUPLICATE_KEY') {
    const key = /^[\w.-]*/.exec(text.slice(syntax.pos[0]))?.[0] || null;
    return onlyError(at(syntax.pos[0]), `the key ${key ?? ''} stands here a second time`, key);
  }
  if (syntax) return onlyError(at(syntax.pos[0]), `the frontmatter is not valid YAML: ${syntax.message}`);
  if (document.contents !== null && !isMap(document.contents)) {
    return onlyError({ line: 2, column: 1 }, 'the frontmatter must be keys with values');
  }
  const { raw, places, errors } = readKeys(document.contents, at);
  const result = Frontmatter.safeParse(raw);
  if (result.success) return { values: result.data, errors };
  return {
    values: null,
    errors: [...errors, ...result.error.issues.map((issue) => errorOf(issue, raw, places))],
  };
}

function onlyError(
  place: Place,
  message: string,
  key: string | null = null,
): { values: null; errors: DefinitionError[] } {
  return { values: null, errors: [{ ...place, key, message, suggestion: null }] };
}

/** The known keys with their values and the places of those; an error for each other key. */
function readKeys(map: YAMLMap<Node, Node | null> | null, at: (offset: number) => Place) {
  const errors: DefinitionError[] = [];
  const raw: Record<string, unknown> = {};
  const places = new Map<string, Place>();
  for (const pair of map?.items ?? []) {
    const key = keyOf(pair);
    const place = at(pair.key.range?.[0] ?? 0);
    if (key !== null && Object.hasOwn(keys, key)) {
      raw[key] = plainValue(pair.value);
      // An empty value has its place behind the colon, where nothing is to be seen.
      places.set(key, raw[key] === null ? place : at(pair.value?.range?.[0] ?? 0));
      for (const [index, item] of isSeq<Node>(pair.value) ? pair.value.items.entries() : []) {
        places.set(`${key}.${index}`, at(item.range?.[0] ?? 0));
      }
    } else if (key === null) {
      errors.push({ ...place, key, message: 'a key must be plain text', suggestion: null });
    } else if (!key.startsWith('x-')) {
      errors.push({
        ...place,
        key,
        message: `unknown key ${key}`,
        suggestion: nearest(key, Object.keys(keys)),
      });
    }
  }
  return { raw, places, errors };
}

function errorOf(
  issue: z.core.$ZodIssue,
  raw: Readonly<Record<string, unknown>>,
  places: ReadonlyMap<string, Place>,
): DefinitionError {
  const key = String(issue.path[0]);
  const place = places.get(issue.path.join('.')) ?? places.get(key);
  if (!place) return { line: 1, column: 1, key, message: `${key} is missing`, suggestion: null };
  const value = raw[key];
  const suggestion = typeof value === 'string' ? nearest(value, CHOICES[key] ?? []) : null;
  const item = issue.path.length > 1 ? ` (item ${Number(issue.path[1]) + 1})` : '';
  const empty = value === null && !REQUIRED.includes(key) ? ', or be left out' : '';
  return { ...place, key, message: `${key}${item} ${issue.message}${empty}`, suggestion };
}

function keyOf(pair: Pair<Node, Node | null>): string | null {
  return isScalar(pair.key) ? String(pair.key.value) : null;
}

/** Scalars and lists of scalars; what is nested or an alias comes as an object, which no key takes. */
function plainValue(node: Node | null): unknown {
  if (node === null) return null;
  if (isScalar(node)) return node.value;
  return isSeq(node) ? node.items.map((item) => (isScalar(item) ? item.value : {})) : {};
}

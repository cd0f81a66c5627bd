/** The vocabulary of scripts: which request is answered with which blocks, and what goes wrong on the way. */
import type { Seen } from './request.ts';

export type Block =
  | { type: 'text'; text: string; deltas?: number; delayMs?: number }
  | { type: 'thinking'; text: string; signature?: string; deltas?: number; delayMs?: number }
  | { type: 'redacted_thinking'; data: string }
  /** `raw` replaces the JSON of `input`, to send text that is none or is cut off. */
  | {
      type: 'tool_use';
      name: string;
      input: unknown;
      id?: string;
      deltas?: number;
      delayMs?: number;
      raw?: string;
    }
  /** A call that the provider makes itself, its arguments streamed like a call's. */
  | { type: 'server_tool_use'; id: string; name: string; input: unknown }
  /** A result that the provider has found itself: sent whole, as it stands here. */
  | { type: 'web_search_tool_result'; tool_use_id: string; content: unknown }
  /** A text of which each word is from somewhere. */
  | { type: 'cited'; text: string; citation: object }
  /** A block of a type that the client does not know. */
  | { type: 'unknown'; name: string };

interface UsageScript {
  input?: number;
  cacheRead?: number;
  cacheWrite5m?: number;
  cacheWrite1h?: number;
  output?: number;
  thinking?: number;
  searches?: number;
}

/** Events are counted from 1, the start of the message. */
export interface ReplyOptions {
  /** Default: `tool_use` with a call among the blocks, else `end_turn`. */
  stopReason?: string;
  usage?: UsageScript;
  /** Silence before anything is sent, in milliseconds. */
  firstTokenMs?: number;
  /** Time between deltas, in milliseconds; blocks may have their own. */
  deltaMs?: number;
  /** Answer with this status and an error instead of a stream. */
  status?: number;
  error?: { type: string; message: string };
  headers?: Record<string, string>;
  /** Send this text instead of events or of the error's JSON. */
  body?: string;
  /** Break the connection after so many events. */
  cutAfter?: number;
  /** End the response in good order, but after so many events. */
  endAfter?: number;
  /** Fall silent after so many events (0: before the headers) until the client goes away. */
  hangAfter?: number;
  /** Wait for the promise after so many events (`after` 0: before the headers). */
  hold?: { after?: number; until: () => Promise<unknown> };
  /** An error event after so many events; the stream ends with it. */
  errorEvent?: { after: number; type: string; message: string };
  /** Text that is no event of the API, put in after so many events. */
  garbage?: { after: number; text: string };
  /** How many requests this answers; without it, any number. */
  times?: number;
  /** Whether `expectDone` complains when it was never used. */
  required?: boolean;
  /** Name in records and complaints. */
  name?: string;
}

export interface Match {
  system?: RegExp;
  prompt?: RegExp;
  asked?: RegExp;
  lastUser?: RegExp;
  model?: RegExp;
  turn?: number;
  step?: number;
  /** Of a lead: it is offered the tools that start others, or would be, were there a slot and somebody to say yes. */
  leads?: boolean;
  /** All of these are offered. */
  tools?: string[];
  /** None of these is offered. */
  without?: string[];
  where?: (seen: Seen) => boolean;
}

export type Blocks = Block[] | ((seen: Seen) => Block[]);

export interface Rule {
  name: string;
  match: Match | null;
  blocks: Blocks;
  options: ReplyOptions;
  used: number;
}

/** Rules answer what they match, the first one with uses left; steps answer the rest, each once, in order. */
export class Script {
  readonly rules: Rule[] = [];
  readonly steps: Rule[] = [];

  on(match: Match): { reply(blocks: Blocks, options?: ReplyOptions): Script } {
    return {
      reply: (blocks, options = {}) => {
        const name = options.name ?? `rule ${this.rules.length + 1} ${describeMatch(match)}`;
        this.rules.push({ name, match, blocks, options, used: 0 });
        return this;
      },
    };
  }

  /** The next of the steps; required, used once. */
  step(blocks: Blocks, options: ReplyOptions = {}): this {
    const name = options.name ?? `step ${this.steps.length + 1}`;
    this.steps.push({
      name,
      match: null,
      blocks,
      options: { times: 1, required: true, ...options },
      used: 0,
    });
    return this;
  }

  /** The rule or step that answers a request, counted as used; null where nothing matches. */
  take(seen: Seen): Rule | null {
    const rule =
      this.rules.find((candidate) => hasUsesLeft(candidate) && matches(candidate.match ?? {}, seen)) ??
      this.steps.find(hasUsesLeft) ??
      null;
    if (rule) rule.used += 1;
    return rule;
  }

  unused(): string[] {
    return [...this.rules, ...this.steps]
      .filter((rule) => rule.options.required && rule.used === 0)
      .map((rule) => rule.name);
  }
}

function hasUsesLeft(rule: Rule): boolean {
  return rule.used < (rule.options.times ?? Infinity);
}

function matches(match: Match, seen: Seen): boolean {
  return (
    (match.system?.test(seen.system) ?? true) &&
    (match.prompt?.test(seen.prompt) ?? true) &&
    (match.asked?.test(seen.asked) ?? true) &&
    (match.lastUser?.test(seen.lastUser) ?? true) &&
    (match.model?.test(seen.body.model) ?? true) &&
    (match.turn === undefined || match.turn === seen.turn) &&
    (match.step === undefined || match.step === seen.step) &&
    (match.leads === undefined || match.leads === isLead(seen)) &&
    (match.tools ?? []).every((tool) => seen.tools.includes(tool)) &&
    !(match.without ?? []).some((tool) => seen.tools.includes(tool)) &&
    (match.where?.(seen) ?? true)
  );
}

function isLead({ tools, system }: Seen): boolean {
  return tools.includes('spawn_agent') || system.startsWith('You are the lead agent of Triad');
}

function describeMatch(match: Match): string {
  const words = Object.entries(match).map(
    ([key, value]) => `${key}: ${value instanceof RegExp ? value.source : String(value)}`,
  );
  return `(${words.join(', ')})`;
}

export function text(words: string, options: { deltas?: number; delayMs?: number } = {}): Block {
  return { type: 'text', text: words, ...options };
}

export function thinking(
  words: string,
  options: { signature?: string; deltas?: number; delayMs?: number } = {},
): Block {
  return { type: 'thinking', text: words, ...options };
}

export function toolUse(
  name: string,
  input: unknown,
  options: { id?: string; deltas?: number; delayMs?: number; raw?: string } = {},
): Block {
  return { type: 'tool_use', name, input, ...options };
}

/** A search that the provider makes itself, with what it gives: pages, or the code of an error. */
export function providerSearch(query: string, found: { title: string; url: string }[] | string, id: string): Block[] {
  const content =
    typeof found === 'string'
      ? { type: 'web_search_tool_result_error', error_code: found }
      : found.map((one) => ({
          type: 'web_search_result',
          encrypted_content: `c2VjcmV0 ${id}`,
          page_age: null,
          ...one,
        }));
  return [
    { type: 'server_tool_use', id, name: 'web_search', input: { query } },
    { type: 'web_search_tool_result', tool_use_id: id, content },
  ];
}

/** Rules as plain data, such as a JSON file has; regular expressions are strings. */
export interface ScriptData {
  rules?: { match: Record<string, unknown>; blocks: Block[]; options?: ReplyOptions }[];
  steps?: { blocks: Block[]; options?: ReplyOptions }[];
}

const EXPRESSIONS = new Set(['system', 'prompt', 'asked', 'lastUser', 'model']);

export function scriptFromData(data: ScriptData): Script {
  const script = new Script();
  for (const { match, blocks, options } of data.rules ?? []) {
    const entries = Object.entries(match).map(([key, value]) => [
      key,
      EXPRESSIONS.has(key) ? new RegExp(String(value)) : value,
    ]);
    script.on(Object.fromEntries(entries) as Match).reply(blocks, options);
  }
  for (const { blocks, options } of data.steps ?? []) script.step(blocks, options);
  return script;
}

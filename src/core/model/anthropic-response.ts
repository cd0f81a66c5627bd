/** Assembles one streamed response: raw wire events in, the program's model events out, in order of parts. */
import type { Part, StopReason } from '#contract/message.ts';
import { type ModelEvent, NO_USAGE } from './model.ts';
import { DRAIN_MS, type Reader } from './streamed.ts';
import { type Origin, signatureOf } from './thinking.ts';
import { argumentsIn, argumentText, impossibleCount, shown, textOf, valueAt } from './wire-values.ts';

/**
 * What is read of a wire event; all of it is optional because compatible servers leave things out. Nobody has checked it:
 * what is `unknown` here goes through `textOf` or a check of its own.
 */
export interface RawEvent {
  type: string;
  index?: number;
  message?: { id?: unknown; usage?: RawUsage | null };
  content_block?: RawBlock;
  delta?: RawDelta;
  usage?: RawUsage | null;
}

interface RawBlock {
  type: string;
  text?: unknown;
  thinking?: unknown;
  signature?: unknown;
  data?: unknown;
  id?: unknown;
  name?: unknown;
  input?: unknown;
}

interface RawDelta {
  type?: string;
  text?: unknown;
  thinking?: unknown;
  signature?: unknown;
  partial_json?: unknown;
  citation?: unknown;
  stop_reason?: string | null;
}

interface RawUsage {
  input_tokens?: number | null;
  cache_read_input_tokens?: number | null;
  cache_creation_input_tokens?: number | null;
  cache_creation?: {
    ephemeral_5m_input_tokens?: number | null;
    ephemeral_1h_input_tokens?: number | null;
  } | null;
  output_tokens?: number | null;
  output_tokens_details?: { thinking_tokens?: number | null } | null;
  server_tool_use?: { web_search_requests?: number | null } | null;
}

/** A block on its way; `text` holds its words, or a call's arguments as JSON text; `raw` how it began. */
interface Block {
  part: number;
  kind: 'text' | 'thinking' | 'redacted_thinking' | 'tool' | 'server';
  raw: RawBlock;
  citations: Citations;
  text: string;
  signature: string;
  data: string;
  id: string;
  name: string;
  input: unknown;
  closed: boolean;
}

type Citations = NonNullable<Extract<Part, { type: 'text' }>['citations']>;

const STOP_REASONS: Readonly<Record<string, StopReason>> = {
  end_turn: 'end_turn',
  tool_use: 'tool_use',
  max_tokens: 'max_tokens',
  stop_sequence: 'stop_sequence',
  pause_turn: 'pause_turn',
  refusal: 'refusal',
  model_context_window_exceeded: 'context_exceeded',
};

/** Where in a usage its counts are. */
const COUNTS: readonly (readonly string[])[] = [
  ['input_tokens'],
  ['cache_read_input_tokens'],
  ['cache_creation_input_tokens'],
  ['cache_creation', 'ephemeral_5m_input_tokens'],
  ['cache_creation', 'ephemeral_1h_input_tokens'],
  ['output_tokens'],
  ['output_tokens_details', 'thinking_tokens'],
  ['server_tool_use', 'web_search_requests'],
];

const KINDS: Readonly<Record<string, Block['kind']>> = {
  text: 'text',
  thinking: 'thinking',
  redacted_thinking: 'redacted_thinking',
  tool_use: 'tool',
  server_tool_use: 'server',
};

/** Undefined for a type that is not known; results of what the provider does itself are kept, whatever it was. */
function kindOf(type: string): Block['kind'] | undefined {
  if (Object.hasOwn(KINDS, type)) return KINDS[type];
  return String(type).endsWith('_tool_result') ? 'server' : undefined;
}

/** Reads one response; make a new one for each attempt. */
export class ResponseReader implements Reader<RawEvent> {
  /** Whether the provider said that the response is whole. */
  ended = false;
  /** The reason for which it ended, where that is none of those that are known: it then gives no `end`. */
  unknownStop: string | null = null;
  /** Whether the response has begun. */
  begun = false;
  readonly #origin: Origin;
  #usage = NO_USAGE;
  #blocks: Block[] = [];
  #byIndex = new Map<number, Block>();
  #emitted = 0;
  #stop: string | null = null;

  constructor(origin: Origin) {
    this.#origin = origin;
  }

  get patienceMs(): number | null {
    return this.ended ? DRAIN_MS : null;
  }

  /** The events that follow from one wire event; unknown types, blocks and deltas give none. */
  read(event: RawEvent): ModelEvent[] {
    // What comes after the end is not part of it.
    if (this.ended) return [];
    switch (event.type) {
      case 'message_start':
        this.begun = true;
        return [{ type: 'start', responseId: textOf(event.message?.id) }, ...this.#count(event.message?.usage)];
      case 'content_block_start':
        return this.#open(event.index ?? this.#blocks.length, event.content_block);
      case 'content_block_delta':
        return this.#append(this.#blockAt(event.index), event.delta);
      case 'content_block_stop': {
        const block = this.#blockAt(event.index);
        if (block) block.closed = true;
        return this.#flush();
      }
      case 'message_delta':
        this.#stop = event.delta?.stop_reason ?? this.#stop;
        return [...this.#flush(), ...this.#count(event.usage)];
      case 'message_stop':
        return this.#end();
      default:
        return [];
    }
  }

  /** The newest one where a server leaves the index out. */
  #blockAt(index: number | undefined): Block | undefined {
    return index === undefined ? this.#blocks.at(-1) : this.#byIndex.get(index);
  }

  #open(index: number, raw: RawBlock | undefined): ModelEvent[] {
    const kind = raw && kindOf(raw.type);
    if (!raw || !kind) return [];
    const block: Block = {
      part: this.#blocks.length,
      kind,
      raw,
      citations: [],
      text: '',
      signature: textOf(raw.signature),
      data: textOf(raw.data),
      id: textOf(raw.id),
      name: textOf(raw.name),
      input: raw.input ?? {},
      closed: false,
    };
    this.#blocks.push(block);
    this.#byIndex.set(index, block);
    return [...this.#flush(), ...this.#begun(block), ...this.#write(block, textOf(raw.text ?? raw.thinking))];
  }

  /** The name of a call is told before its arguments come. */
  #begun({ part, kind, id, name }: Block): ModelEvent[] {
    return isCall(kind, id) ? [{ type: 'delta', part, kind: 'tool', text: '', toolCallId: id, name }] : [];
  }

  #append(block: Block | undefined, delta: RawDelta | undefined): ModelEvent[] {
    if (!block || !delta) return [];
    if (delta.type === 'signature_delta') block.signature += textOf(delta.signature);
    if (delta.type === 'text_delta' && block.kind === 'text') return this.#write(block, textOf(delta.text));
    if (delta.type === 'thinking_delta' && block.kind === 'thinking') return this.#write(block, textOf(delta.thinking));
    if (delta.type === 'input_json_delta' && isCall(block.kind, block.id))
      return this.#write(block, argumentText(delta.partial_json));
    if (delta.type === 'citations_delta' && isCitation(delta.citation)) block.citations.push(delta.citation);
    return [];
  }

  #write(block: Block, text: string): ModelEvent[] {
    if (text === '' || block.kind === 'redacted_thinking') return [];
    block.text += text;
    const { part, kind } = block;
    return kind === 'tool' || kind === 'server'
      ? [{ type: 'delta', part, kind: 'tool', text, toolCallId: block.id, name: block.name }]
      : [{ type: 'delta', part, kind, text }];
  }

  /** Parts that are complete and whose turn it is; a call without arguments waits until it is known not to be cut off. */
  #flush(): ModelEvent[] {
    const events: ModelEvent[] = [];
    for (let block = this.#blocks[this.#emitted]; block?.closed; block = this.#blocks[this.#emitted]) {
      const last = this.#emitted === this.#blocks.length - 1;
      if (last && this.#stop === null && !this.ended && mayBeCut(block)) break;
      events.push({
        type: 'part',
        part: block.part,
        value: partOf(block, { origin: this.#origin, cut: last && this.#stop === 'max_tokens' }),
      });
      this.#emitted += 1;
    }
    return events;
  }

  #end(): ModelEvent[] {
    this.ended = true;
    for (const block of this.#blocks) block.closed = true;
    const parts = this.#flush();
    const calls = this.#blocks.some((block) => block.kind === 'tool');
    // Some servers leave it out.
    const stop = this.#stop || (calls ? 'tool_use' : 'end_turn');
    const stopReason = Object.hasOwn(STOP_REASONS, stop) ? STOP_REASONS[stop] : undefined;
    if (stopReason) return [...parts, { type: 'end', stopReason }];
    this.unknownStop = shown(stop);
    return parts;
  }

  /** Counts are cumulative; what an event leaves out stays as it was, and only the first one splits cache writes. */
  #count(raw: RawUsage | null | undefined): ModelEvent[] {
    if (!raw || COUNTS.every((path) => valueAt(raw, path) === undefined)) return [];
    const count = impossibleCount(raw, COUNTS);
    if (count !== null) return [{ type: 'miscount', count }];
    const usage = this.#usage;
    const written1h = raw.cache_creation?.ephemeral_1h_input_tokens ?? usage.cacheWrite1hTokens;
    const writtenNow = usage.cacheWrite5mTokens + usage.cacheWrite1hTokens;
    const split = raw.cache_creation ? (raw.cache_creation.ephemeral_5m_input_tokens ?? 0) + written1h : writtenNow;
    const written = raw.cache_creation_input_tokens ?? split;
    const searches = raw.server_tool_use?.web_search_requests ?? usage.webSearches;
    this.#usage = {
      // Servers exist that tell it at the beginning alone, and nothing at the end.
      inputTokens: raw.input_tokens || usage.inputTokens,
      cacheReadTokens: raw.cache_read_input_tokens ?? usage.cacheReadTokens,
      cacheWrite5mTokens: Math.max(0, written - written1h),
      cacheWrite1hTokens: written1h,
      outputTokens: raw.output_tokens ?? usage.outputTokens,
      thinkingTokens: raw.output_tokens_details?.thinking_tokens ?? usage.thinkingTokens,
      ...(searches !== undefined && { webSearches: searches }),
    };
    return [{ type: 'usage', usage: this.#usage }];
  }
}

/** Of what the provider does itself the calls are written like others; results come whole. */
function isCall(kind: Block['kind'], id: string): boolean {
  return kind === 'tool' || (kind === 'server' && id !== '');
}

function isCitation(value: unknown): value is Citations[number] {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}

function mayBeCut(block: Block): boolean {
  return block.kind === 'tool' && block.text === '' && isEmpty(block.input);
}

function isEmpty(input: unknown): boolean {
  return typeof input !== 'object' || input === null || Object.keys(input).length === 0;
}

function partOf(block: Block, { origin, cut }: { origin: Origin; cut: boolean }): Part {
  switch (block.kind) {
    case 'text':
      return { type: 'text', text: block.text, ...(block.citations.length > 0 && { citations: block.citations }) };
    case 'thinking':
      return {
        type: 'thinking',
        text: block.text,
        signature: block.signature === '' ? null : signatureOf(origin, block.signature),
      };
    case 'redacted_thinking':
      return { type: 'redacted_thinking', data: signatureOf(origin, block.data) };
    case 'tool':
      return { type: 'tool_use', id: block.id, name: block.name, ...argumentsOf(block, cut) };
    case 'server':
      return {
        type: 'server',
        block: { ...block.raw, ...(block.text !== '' && { input: argumentsOf(block, cut).input }) },
      };
  }
}

/** Arguments as JSON; text that is none, or that the limit of tokens cut off, is kept as it came. */
function argumentsOf(block: Block, cut: boolean): { input: unknown; malformed?: string } {
  if (block.text === '') return cut && isEmpty(block.input) ? { input: {}, malformed: '' } : { input: block.input };
  return argumentsIn(block.text);
}

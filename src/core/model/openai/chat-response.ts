/** Assembles one streamed response of Chat Completions. */
import type { StopReason } from '#contract/message.ts';
import type { ModelEvent } from '../model.ts';
import { DRAIN_MS, type Reader } from '../streamed.ts';
import { argumentText, shown, textOf, valueAt } from '../wire-values.ts';
import { type Block, Blocks } from './blocks.ts';
import type { ReaderPorts } from './reader-ports.ts';
import { signatureOf } from '../thinking.ts';
import { CHAT_COUNTS, usageEvents } from './usage.ts';

/** What is read of a chunk: servers differ in all of it, and nobody has checked it. */
export interface RawChunk {
  id?: unknown;
  choices?: RawChoice[] | null;
  usage?: unknown;
}

interface RawChoice {
  index?: unknown;
  delta?: RawDelta | null;
  /** Of servers that send a message where a delta should be. */
  message?: RawDelta | null;
  finish_reason?: unknown;
}

interface RawDelta {
  content?: unknown;
  refusal?: unknown;
  reasoning_content?: unknown;
  reasoning?: unknown;
  tool_calls?: (RawCall | null)[] | null;
  function_call?: RawCall['function'];
}

interface RawCall {
  index?: unknown;
  id?: unknown;
  function?: { name?: unknown; arguments?: unknown } | null;
}

/** How long the count of tokens may follow the end of the words, in milliseconds. */
const COUNT_MS = 2000;

const STOP_REASONS: Readonly<Record<string, StopReason>> = {
  stop: 'end_turn',
  eos: 'end_turn',
  tool_calls: 'end_turn',
  function_call: 'end_turn',
  length: 'max_tokens',
  model_length: 'context_exceeded',
  content_filter: 'refusal',
};
/** The server gave up: another attempt may come whole. */
const FAILED: ReadonlySet<string> = new Set(['error', 'abort', 'insufficient_system_resource']);

/** Reads one response; make a new one for each attempt. */
export class ChatReader implements Reader<RawChunk> {
  begun = false;
  ended = false;
  unknownStop: string | null = null;
  readonly #ports: ReaderPorts;
  readonly #blocks = new Blocks();
  readonly #byIndex = new Map<unknown, Block>();
  readonly #byId = new Map<string, Block>();
  #stop: string | null = null;
  #counted = false;
  #refused = false;

  constructor(ports: ReaderPorts) {
    this.#ports = ports;
  }

  get patienceMs(): number | null {
    return this.#stop === null ? null : this.#counted ? DRAIN_MS : COUNT_MS;
  }

  read(chunk: RawChunk): ModelEvent[] {
    if (typeof chunk !== 'object' || chunk === null || this.ended) return [];
    const choices = Array.isArray(chunk.choices) ? chunk.choices : [];
    if (choices.length === 0 && chunk.usage === undefined && chunk.id === undefined) return [];
    const start: ModelEvent[] = this.begun ? [] : [{ type: 'start', responseId: textOf(chunk.id) }];
    this.begun = true;
    const isOver = this.#stop !== null;
    const words = choices.flatMap((choice) => this.#take(choice));
    const usage = usageEvents(chunk.usage, CHAT_COUNTS);
    this.#counted = this.#stop !== null && (this.#counted || usage.length > 0);
    return [...start, ...words, ...usage, ...(isOver && this.#counted ? this.rest() : [])];
  }

  /** The whole count of tokens comes with the end of the words, after it, or never; what comes before it is a part. */
  rest(): ModelEvent[] {
    if (this.#stop === null || this.ended) return [];
    this.ended = true;
    const { hasCalls } = this.#blocks;
    const known = Object.hasOwn(STOP_REASONS, this.#stop) ? STOP_REASONS[this.#stop] : undefined;
    if (known === undefined) {
      this.unknownStop = shown(this.#stop);
      return [];
    }
    const stopReason = known !== 'end_turn' ? known : hasCalls ? 'tool_use' : this.#refused ? 'refusal' : known;
    return [{ type: 'end', stopReason }];
  }

  /** Of several answers the first one counts; what comes after its end is not part of it. */
  #take(choice: RawChoice | null): ModelEvent[] {
    if (!choice || Number(choice.index ?? 0) !== 0 || this.#stop !== null) return [];
    const delta = choice.delta ?? choice.message ?? {};
    const calls = delta.function_call ? [{ index: 0, function: delta.function_call }] : delta.tool_calls;
    const events = [...this.#words(delta), ...(Array.isArray(calls) ? calls : []).flatMap((call) => this.#call(call))];
    const stop = choice.finish_reason;
    if (typeof stop !== 'string' || stop === '') return events;
    if (FAILED.has(stop)) throw this.#ports.fail({ code: stop });
    this.#stop = stop;
    return [...events, ...this.#blocks.end(stop === 'length')];
  }

  #words(delta: RawDelta): ModelEvent[] {
    // Some send the same words under both names.
    const field = textOf(delta.reasoning_content) === '' ? 'reasoning' : 'reasoning_content';
    const refusal = textOf(delta.refusal);
    this.#refused ||= refusal !== '';
    return [
      ...this.#write('thinking', textOf(delta[field]), signatureOf(this.#ports.origin, field)),
      ...this.#write('text', contentOf(delta.content)),
      ...this.#write('text', refusal),
    ];
  }

  #write(kind: 'text' | 'thinking', text: string, signature: string | null = null): ModelEvent[] {
    if (text === '') return [];
    const { last } = this.#blocks;
    const [block, begun] = last?.kind === kind ? ([last, []] as const) : this.#blocks.open(kind);
    block.signature = signature;
    return [...begun, ...this.#blocks.write(block, text)];
  }

  /** A piece of a call; servers leave out its index, or its id, or give the same to several. */
  #call(raw: RawCall | null): ModelEvent[] {
    if (!raw) return [];
    const [id, name] = [textOf(raw.id), textOf(raw.function?.name)];
    const pieces = argumentText(raw.function?.arguments);
    const known = this.#known(raw, { id, name, pieces });
    if (known) return this.#blocks.write(known, isRepeated(known, pieces) ? '' : pieces);
    const [block, begun] = this.#blocks.open('tool', { id, name: this.#ports.nameBack(name) });
    this.#byIndex.set(raw.index, block);
    if (id !== '') this.#byId.set(id, block);
    return [...begun, ...this.#blocks.write(block, pieces)];
  }

  /** The call that it goes on with; undefined where it begins one. */
  #known({ index }: RawCall, { id, name, pieces }: { id: string; name: string; pieces: string }): Block | undefined {
    const hasIndex = index !== undefined && index !== null;
    const before = hasIndex ? this.#byIndex.get(index) : this.#lastCall();
    const ofId = before?.id === id ? before : this.#byId.get(id);
    if (name === '') return ofId ?? before;
    // A name begins a call, but for servers that say it, or the whole call, again and again.
    if (ofId) {
      const isSame = ofId.name === this.#ports.nameBack(name) && (!hasIndex || ofId === before);
      return isSame && (!isWhole(ofId.text) || pieces === '' || isRepeated(ofId, pieces)) ? ofId : undefined;
    }
    return before && id === '' && hasIndex && !isWhole(before.text) ? before : undefined;
  }

  #lastCall(): Block | undefined {
    const { last } = this.#blocks;
    return last?.kind === 'tool' ? last : undefined;
  }
}

function contentOf(content: unknown): string {
  if (!Array.isArray(content)) return textOf(content);
  return content.map((part) => textOf(valueAt(part, ['text']))).join('');
}

function isWhole(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** A server that sends a whole call again means the same one. */
function isRepeated({ text }: Block, pieces: string): boolean {
  return pieces !== '' && text === pieces && isWhole(text);
}

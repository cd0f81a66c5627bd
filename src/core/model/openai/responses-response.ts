/** Assembles one streamed response of the Responses API. */
import type { StopReason } from '#contract/message.ts';
import type { ModelEvent } from '../model.ts';
import { DRAIN_MS, type Reader } from '../streamed.ts';
import { argumentText, shown, textOf, valueAt } from '../wire-values.ts';
import { type Block, Blocks } from './blocks.ts';
import type { ReaderPorts } from './reader-ports.ts';
import { signatureOf } from '../thinking.ts';
import { RESPONSES_COUNTS, usageEvents } from './usage.ts';

/** What is read of an event: servers leave things out, and nobody has checked it. */
export interface RawEvent {
  type?: unknown;
  sequence_number?: unknown;
  output_index?: unknown;
  item_id?: unknown;
  item?: RawItem | null;
  delta?: unknown;
  response?: RawResponse | null;
  summary_index?: unknown;
}

interface RawItem {
  type?: unknown;
  id?: unknown;
  call_id?: unknown;
  name?: unknown;
  arguments?: unknown;
  content?: unknown;
  summary?: unknown;
  encrypted_content?: unknown;
  status?: unknown;
}

interface RawResponse {
  id?: unknown;
  status?: unknown;
  output?: unknown;
  usage?: unknown;
  error?: unknown;
  incomplete_details?: { reason?: unknown } | null;
}

const KINDS: Readonly<Record<string, Block['kind']>> = {
  message: 'text',
  reasoning: 'thinking',
  function_call: 'tool',
};

/** What the words of an event are part of. */
const WORDS: Readonly<Record<string, Block['kind']>> = {
  'response.output_text.delta': 'text',
  'response.refusal.delta': 'text',
  'response.reasoning_summary_text.delta': 'thinking',
  'response.reasoning_text.delta': 'thinking',
  'response.function_call_arguments.delta': 'tool',
};

const INCOMPLETE: Readonly<Record<string, StopReason>> = {
  max_output_tokens: 'max_tokens',
  content_filter: 'refusal',
};

/** Between the parts of a summary. */
const PARAGRAPH = '\n\n';

/** Reads one response; make a new one for each attempt. */
export class ResponsesReader implements Reader<RawEvent> {
  begun = false;
  ended = false;
  unknownStop: string | null = null;
  readonly #ports: ReaderPorts;
  readonly #blocks = new Blocks();
  readonly #byIndex = new Map<number, Block>();
  /** The index of an item by its id and by that of its call. */
  readonly #indices = new Map<string, number>();
  #responseId: string | null = null;
  #sequence = 0;
  #refused = false;

  constructor(ports: ReaderPorts) {
    this.#ports = ports;
  }

  get patienceMs(): number | null {
    return this.ended ? DRAIN_MS : null;
  }

  /** The events that follow from one of the API; unknown ones give none, and one that comes twice counts once. */
  read(raw: RawEvent): ModelEvent[] {
    const sequence = Number(raw?.sequence_number ?? 0);
    if (typeof raw !== 'object' || raw === null || this.ended || (sequence > 0 && sequence === this.#sequence))
      return [];
    this.#sequence = sequence;
    const type = textOf(raw.type);
    const kind = Object.hasOwn(WORDS, type) ? WORDS[type]! : null;
    const index = this.#indexOf(raw, kind);
    switch (type) {
      case 'response.created':
      case 'response.in_progress':
        return this.#begin(raw.response);
      case 'response.output_item.added':
        return this.#open(index, raw.item)[1];
      case 'response.output_item.done':
        return this.#close(index, raw.item);
      case 'response.reasoning_summary_part.added':
        return Number(raw.summary_index ?? 0) > 0 ? this.#write('thinking', index, PARAGRAPH) : [];
      case 'response.completed':
      case 'response.incomplete':
        return this.#end(raw.response, type);
      case 'response.failed':
      case 'response.cancelled':
        throw this.#ports.fail(raw.response?.error ?? { code: type });
      case 'error':
        throw this.#ports.fail(raw);
      default:
        if (type === 'response.refusal.delta') this.#refused = true;
        return kind === null ? [] : this.#write(kind, index, textOf(raw.delta));
    }
  }

  /** Servers exist that leave the index out, or give the same to several calls: then ids tell, or what came last. */
  #indexOf({ output_index: given, item, item_id: id }: RawEvent, words: Block['kind'] | null): number {
    const ids = [...idsOf(item), textOf(id)].filter((one) => one !== '');
    const there = typeof given === 'number' ? this.#byIndex.get(given) : undefined;
    const isOther = there?.closed && textOf(item?.call_id) !== '' && item?.call_id !== there.id;
    const free = Math.max(-1, ...this.#byIndex.keys()) + 1;
    const newest = words !== null && this.#blocks.last?.kind === words ? free - 1 : free;
    const index = typeof given === 'number' && !isOther ? given : (this.#known(ids) ?? newest);
    for (const one of ids) if (!this.#indices.has(one)) this.#indices.set(one, index);
    return index;
  }

  #known(ids: readonly string[]): number | undefined {
    return ids.map((id) => this.#indices.get(id)).find((index) => index !== undefined);
  }

  #begin(response: RawResponse | null | undefined): ModelEvent[] {
    if (this.#responseId !== null) return [];
    this.begun = true;
    this.#responseId = textOf(response?.id);
    return [{ type: 'start', responseId: this.#responseId }];
  }

  #open(index: number, item: RawItem | null | undefined): [Block | null, ModelEvent[]] {
    const type = textOf(item?.type);
    const known = this.#byIndex.get(index);
    if (known || !Object.hasOwn(KINDS, type)) return [known ?? null, []];
    const name = this.#ports.nameBack(textOf(item?.name));
    return this.#add(index, KINDS[type]!, { id: textOf(item?.call_id) || textOf(item?.id), name });
  }

  #add(index: number, kind: Block['kind'], call?: { id: string; name: string }): [Block, ModelEvent[]] {
    const start = this.#begin(null);
    const [block, begun] = this.#blocks.open(kind, call);
    this.#byIndex.set(index, block);
    return [block, [...start, ...begun]];
  }

  /** Words whose item was not announced begin it, but for a call, whose name nobody knows yet. */
  #write(kind: Block['kind'], index: number, text: string): ModelEvent[] {
    const known = this.#byIndex.get(index);
    if (text === '' || (!known && kind === 'tool') || (known && known.kind !== kind)) return [];
    const [block, begun] = known ? [known, []] : this.#add(index, kind);
    return [...begun, ...this.#blocks.write(block, text)];
  }

  /** The item as a whole: it has what was not streamed. */
  #close(index: number, item: RawItem | null | undefined): ModelEvent[] {
    const [block, begun] = this.#open(index, item);
    if (!block || block.closed) return begun;
    const whole = wordsOf(item);
    const missing = whole.startsWith(block.text) ? whole.slice(block.text.length) : '';
    const rest = this.#blocks.write(block, missing);
    block.signature = this.#signatureOf(item);
    if (isRefusal(item)) this.#refused = true;
    // What the limit has cut off stays open.
    block.closed = item?.status !== 'incomplete';
    return [...begun, ...rest, ...this.#blocks.flush()];
  }

  /** Only what is encrypted can go back, because nothing is kept there. */
  #signatureOf(item: RawItem | null | undefined): string | null {
    if (item?.type !== 'reasoning' || textOf(item.encrypted_content) === '') return null;
    const { status: _, ...sent } = item;
    return signatureOf(this.#ports.origin, JSON.stringify(sent));
  }

  #end(response: RawResponse | null | undefined, type: string): ModelEvent[] {
    const start = this.#begin(response);
    const isCut = type === 'response.incomplete' || response?.status === 'incomplete';
    if (response?.status === 'failed') throw this.#ports.fail(response.error ?? { code: 'failed' });
    const output = Array.isArray(response?.output) ? (response.output as (RawItem | null)[]) : [];
    // What is cut off in the middle was not done, and stays open.
    // Where some items were not streamed, the others have another index here.
    const items = isCut ? [] : output.flatMap((item, at) => this.#close(this.#known(idsOf(item)) ?? at, item));
    const usage = usageEvents(response?.usage, RESPONSES_COUNTS);
    this.ended = true;
    const reason = textOf(response?.incomplete_details?.reason);
    const parts = this.#blocks.end(isCut && reason === 'max_output_tokens');
    return [...start, ...items, ...parts, ...usage, ...this.#stop(isCut ? reason : null)];
  }

  #stop(cut: string | null): ModelEvent[] {
    const whole = this.#blocks.hasCalls ? 'tool_use' : this.#refused ? 'refusal' : 'end_turn';
    const stopReason = cut === null ? whole : Object.hasOwn(INCOMPLETE, cut) ? INCOMPLETE[cut] : undefined;
    if (stopReason !== undefined) return [{ type: 'end', stopReason }];
    this.unknownStop = shown(cut || 'incomplete');
    return [];
  }
}

const idsOf = (item: RawItem | null | undefined): string[] => [textOf(item?.call_id), textOf(item?.id)];

/** Words of an item, or its arguments as JSON text. */
function wordsOf(item: RawItem | null | undefined): string {
  if (item?.type === 'function_call') return argumentText(item.arguments);
  if (item?.type === 'message') return textsIn(item.content).join('');
  const summary = textsIn(item?.summary);
  return summary.length > 0 ? summary.join(PARAGRAPH) : textsIn(item?.content).join('');
}

function textsIn(list: unknown): string[] {
  if (!Array.isArray(list)) return typeof list === 'string' ? [list] : [];
  return list.map((part) => textOf(valueAt(part, ['text']) ?? valueAt(part, ['refusal'])));
}

function isRefusal(item: RawItem | null | undefined): boolean {
  const content: unknown[] = Array.isArray(item?.content) ? item.content : [];
  return content.some((part) => valueAt(part, ['type']) === 'refusal');
}

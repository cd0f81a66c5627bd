/** The parts of a response on their way: words and calls grow, and come out as parts in the order in which they began. */
import type { Part } from '#contract/message.ts';
import { newId } from '../../base/ids.ts';
import type { ModelEvent } from '../model.ts';
import { argumentsIn } from '../wire-values.ts';

export interface Block {
  readonly part: number;
  readonly kind: 'text' | 'thinking' | 'tool';
  /** Words, or a call's arguments as JSON text. */
  text: string;
  id: string;
  name: string;
  signature: string | null;
  closed: boolean;
}

export class Blocks {
  readonly #all: Block[] = [];
  #emitted = 0;

  get last(): Block | undefined {
    return this.#all.at(-1);
  }

  get hasCalls(): boolean {
    return this.#all.some(({ kind }) => kind === 'tool');
  }

  /** The name of a call is told before its arguments come; a call without an id gets one. */
  open(kind: Block['kind'], call: { id: string; name: string } = { id: '', name: '' }): [Block, ModelEvent[]] {
    const id = kind === 'tool' ? call.id || `call_${newId()}` : '';
    const block: Block = {
      part: this.#all.length,
      kind,
      text: '',
      id,
      name: call.name,
      signature: null,
      closed: false,
    };
    this.#all.push(block);
    return [block, kind === 'tool' ? [deltaOf(block, '')] : []];
  }

  write(block: Block, text: string): ModelEvent[] {
    if (text === '' || block.closed) return [];
    block.text += text;
    return [deltaOf(block, text)];
  }

  /** Parts that are complete and whose turn it is. */
  flush(): ModelEvent[] {
    const events: ModelEvent[] = [];
    for (let block = this.#all[this.#emitted]; block?.closed; block = this.#all[this.#emitted]) {
      events.push({ type: 'part', part: block.part, value: partOf(block, false) });
      this.#emitted += 1;
    }
    return events;
  }

  /** All the rest. `cut`: the limit of tokens has cut off the last one. */
  end(cut: boolean): ModelEvent[] {
    const rest = this.#all.slice(this.#emitted);
    this.#emitted = this.#all.length;
    return rest.map((block) => {
      const isCut = cut && block === this.last && !block.closed;
      block.closed = true;
      return { type: 'part', part: block.part, value: partOf(block, isCut) };
    });
  }
}

function deltaOf({ part, kind, id, name }: Block, text: string): ModelEvent {
  return kind === 'tool'
    ? { type: 'delta', part, kind, text, toolCallId: id, name }
    : { type: 'delta', part, kind, text };
}

function partOf({ kind, text, id, name, signature }: Block, cut: boolean): Part {
  if (kind === 'text') return { type: 'text', text };
  if (kind === 'thinking') return { type: 'thinking', text, signature };
  const empty = cut ? { input: {}, malformed: '' } : { input: {} };
  return { type: 'tool_use', id, name, ...(text.trim() === '' ? empty : argumentsIn(text)) };
}

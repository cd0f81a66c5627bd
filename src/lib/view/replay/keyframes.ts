/** The view of a workflow after any number of its events, from views that are kept along the way. */
import type { DurableEvent } from '#contract/event.ts';
import type { ConversationRow } from '#contract/view.ts';
import { ZERO_TALLY } from '#domain/tally.ts';
import { fromSnapshot, reduce, type View } from '../reduce.ts';

/** So many events are applied at most for a view that is not the next one. */
const EVERY = 100;

export class Keyframes {
  readonly events: DurableEvent[] = [];
  readonly #every: number;
  /** Views after none, `every`, twice as many… events. */
  readonly #kept: View[];
  #last: { count: number; view: View };

  /** `start`: before the first event. */
  constructor(start: View, every = EVERY) {
    this.#every = every;
    this.#kept = [start];
    this.#last = { count: 0, view: start };
  }

  /** Adds the events that follow, in order. */
  add(events: readonly DurableEvent[]): void {
    let { view } = this.#at(this.events.length);
    for (let from = 0; from < events.length;) {
      const some = events.slice(from, from + this.#every - (this.events.length % this.#every));
      from += some.length;
      this.events.push(...some);
      view = reduce(view, some);
      if (this.events.length % this.#every === 0) this.#kept.push(view);
    }
    this.#last = { count: this.events.length, view };
  }

  /** After the first `count` events. */
  at(count: number): View {
    this.#last = this.#at(Math.max(0, Math.min(this.events.length, count)));
    return this.#last.view;
  }

  #at(count: number): { count: number; view: View } {
    const place = Math.floor(count / this.#every);
    const kept = this.#kept[place];
    const isNear = this.#last.count <= count && this.#last.count >= place * this.#every;
    const from = isNear || !kept ? this.#last : { count: place * this.#every, view: kept };
    return { count, view: reduce(from.view, this.events.slice(from.count, count)) };
  }
}

/** What is known before the first event of a workflow: the conversation, as if nothing was said in it. */
export function viewBefore(conversation: ConversationRow): View {
  const lists = { workflows: [], runs: [], calls: [], approvals: [], open: [] };
  return fromSnapshot({
    seq: 0,
    more: false,
    entries: {},
    ...lists,
    conversation: { ...conversation, lastSeq: 0, usage: ZERO_TALLY },
  });
}

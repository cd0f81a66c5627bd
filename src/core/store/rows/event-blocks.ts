/** Packs events into rows: events of one commit share rows, because each row costs the engine more than its content. */
import type { DurableEvent } from '#contract/event.ts';
import type { Database } from '../database.ts';
import type { Row } from '../store.ts';

/** Most events of one row, so that a range of events is a bounded range of rows. */
const BLOCK_EVENTS = 32;
/** Characters at which a row is full. */
const BLOCK_CHARS = 64 * 1024;
/** Rows read in one step when looking for the newest event. */
const STEP = 1000;

/** Rows of events in the order of their numbers, each with its text. */
export function blocksOf(events: readonly DurableEvent[], jsonOf: (event: DurableEvent) => string): Row[] {
  const blocks: { id: [string, number]; last: number; texts: string[]; chars: number }[] = [];
  const open = new Map<string, (typeof blocks)[number]>();
  for (const event of events) {
    const { conversationId, seq } = event;
    const text = jsonOf(event);
    let block = open.get(conversationId);
    const full = !block || block.texts.length === BLOCK_EVENTS || block.chars > BLOCK_CHARS;
    if (!block || full || block.last !== seq - 1) {
      block = { id: [conversationId, seq], last: seq, texts: [], chars: 0 };
      open.set(conversationId, block);
      blocks.push(block);
    }
    block.last = seq;
    block.texts.push(text);
    block.chars += text.length;
  }
  return blocks.map(({ id, last, texts }) => ({ id, last, json: `[${texts.join(',')}]` }));
}

const RANGE = 'FROM event:[$conversationId, $first]..=[$conversationId, $to]';

/** Events `from` to `to` (inclusive) of a conversation, with hashes in place of envelopes. */
export async function eventsBetween(
  database: Database,
  conversationId: string,
  from: number,
  to: number,
): Promise<DurableEvent[]> {
  const values = { conversationId, first: from - BLOCK_EVENTS + 1, to };
  const [found] = (await database.query(`SELECT VALUE json ${RANGE}`, values)) as [string[]];
  return found
    .flatMap((json) => JSON.parse(json) as DurableEvent | DurableEvent[])
    .filter(({ seq }) => seq >= from && seq <= to);
}

/** Number of the newest event, 0 if there is none. `known`: an existing event number to start from, or 0. */
export async function newestEvent(database: Database, conversationId: string, known: number): Promise<number> {
  let newest = known;
  for (;;) {
    const values = { conversationId, first: newest - BLOCK_EVENTS + 1, to: newest + STEP };
    const [found] = (await database.query(`SELECT VALUE last ?? record::id(id)[1] ${RANGE}`, values)) as [number[]];
    const last = found.at(-1) ?? 0;
    if (last <= newest) return newest;
    newest = last;
  }
}

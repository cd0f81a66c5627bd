/** Packs events into rows: events of one flush share rows, because each row costs the engine more than its content. */
import type { DurableEvent } from '#contract/event.ts';
import type { Database } from '../database.ts';
import { type Dense, readDense } from './dense.ts';
import { frameOf, textOf } from './frame.ts';
import type { Row } from '../store.ts';

/** Most events of one row: more than a workflow with three sub-agents has. Bounds the rows before a range of events. */
const BLOCK_EVENTS = 128;
/** Characters at which a row is full. */
const BLOCK_CHARS = 64 * 1024;
/** Rows read in one step when looking for the newest event. */
const STEP = 1000;

/** Rows of events in the order of their numbers, each with its text. */
export function blocksOf(events: readonly { event: DurableEvent; json: string }[]): Row[] {
  const blocks: { id: [string, number]; last: number; texts: string[]; chars: number }[] = [];
  const open = new Map<string, (typeof blocks)[number]>();
  for (const { event, json: text } of events) {
    const { conversationId, seq } = event;
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
  return blocks.map(({ id, last, texts }) => ({ id, last, text: frameOf(`[${texts.join(',')}]`) }));
}

const RANGE = 'FROM event:[$conversationId, $first]..=[$conversationId, $to]';

/**
 * Events `from` to `to` (inclusive) of a conversation, with hashes in place of envelopes, and those that are missing
 * among them. `newest`: the number of its last event.
 */
export function eventsBetween(
  database: Database,
  conversationId: string,
  range: { from: number; to: number; newest: () => Promise<number> },
): Promise<Dense<DurableEvent>> {
  const read = async (first: number, last: number): Promise<DurableEvent[]> => {
    const found = await readRange(database, { conversationId, first: first - BLOCK_EVENTS, to: last });
    // The rows before may lie in a block that cannot be read, and end the range before it begins.
    const events = found.length > 0 ? found : await readRange(database, { conversationId, first, to: last });
    return events.filter(({ seq }) => seq >= first && seq <= last);
  };
  return readDense(read, ({ seq }) => seq, range);
}

async function readRange(
  database: Database,
  values: { conversationId: string; first: number; to: number },
): Promise<DurableEvent[]> {
  const [found] = (await database.query(`SELECT VALUE text ${RANGE}`, values)) as [unknown[]];
  return found.flatMap(eventsOf);
}

/** None where the row is not what was written: its numbers are then missing. */
function eventsOf(stored: unknown): DurableEvent[] {
  try {
    return (JSON.parse(textOf(stored)) as DurableEvent[]).filter(({ seq }) => seq > 0);
  } catch {
    return [];
  }
}

/** Number of the newest event, 0 if there is none. `known`: an existing event number to start from, or 0. */
export async function newestEvent(database: Database, conversationId: string, known: number): Promise<number> {
  let newest = known;
  for (;;) {
    const values = { conversationId, first: newest - BLOCK_EVENTS, to: newest + STEP };
    const [found] = (await database.query(`SELECT VALUE last ${RANGE}`, values)) as [number[]];
    const last = found.at(-1) ?? 0;
    if (last <= newest) return newest;
    newest = last;
  }
}

/** Compares a conversation in the archive with the store: the number and the content of each event. */
import type { ArchiveCheck } from '#contract/history/archive-methods.ts';
import { type NumberRange, Ranges } from '../rows/ranges.ts';
import { readMembers } from './archive-file.ts';
import { conversationFile } from './archive-folder.ts';
import { parseLines } from './archive-lines.ts';
import type { ArchivedStore } from './archived-store.ts';

/** Archived events compared at once. */
const STEP = 200;

/** `isWorking`: events after the last archived event are not reported as missing. */
export async function compareArchive(
  folder: string,
  store: ArchivedStore,
  conversationId: string,
  isWorking: boolean,
): Promise<ArchiveCheck> {
  const file = conversationFile(folder, conversationId);
  const [archived, lacking, different] = [new Ranges(), new Ranges(), new Ranges()];
  let damagedParts = 0;
  let batch = new Map<number, string>();
  const compare = async (): Promise<void> => {
    if (batch.size === 0) return;
    const numbers = [...batch.keys()];
    const { events } = await store.storedEvents(conversationId, Math.min(...numbers), Math.max(...numbers));
    const storedTexts = new Map(events.map(({ seq, text }) => [seq, text]));
    for (const [seq, text] of batch) {
      archived.add(seq);
      if (!storedTexts.has(seq)) lacking.add(seq);
      else if (storedTexts.get(seq) !== text) different.add(seq);
    }
    batch = new Map();
  };
  for await (const { member, damage } of readMembers(file)) {
    if (damage) damagedParts += 1;
    for (const line of member ? parseLines(member.text) : []) {
      if (!line.event) continue;
      batch.set(line.event.seq, line.text);
      if (batch.size >= STEP) await compare();
    }
  }
  await compare();
  const last = isWorking ? archived.last : await store.lastSeq(conversationId);
  return {
    events: archived.size,
    notArchived: await findStored(store, conversationId, archived.gaps(1, last)),
    notStored: lacking.all,
    different: different.all,
    damagedParts,
    file,
  };
}

/** Returns the events of the gaps that the store has: the archive can be written again with these only. */
async function findStored(
  store: ArchivedStore,
  conversationId: string,
  gaps: readonly NumberRange[],
): Promise<NumberRange[]> {
  const stored = new Ranges();
  for (const { from, to } of gaps)
    for (let start = from; start <= to; start += STEP) {
      const { events } = await store.storedEvents(conversationId, start, Math.min(to, start + STEP - 1));
      for (const { seq } of events) stored.add(seq);
    }
  return stored.all;
}

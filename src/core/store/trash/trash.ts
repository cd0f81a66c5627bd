/** The trash: hides a conversation at once, restores it unchanged, or starts its permanent deletion. */
import type { Database } from '../database.ts';
import type { ConversationRow } from '#contract/view.ts';
import { readIndexed, removeFromSegments } from '../lists/list-segments.ts';
import { applyTotals, countEntries, type TotalChanges } from '../lists/totals.ts';
import { Reader } from '../rows/reader.ts';
import { sortKeyOfInstant } from '../rows/row-codec.ts';
import type { Row } from '../store.ts';

/** The workflows of a conversation, as a scan of their index. */
const WORKFLOWS =
  "SELECT VALUE record::id(id) FROM workflow WITH INDEX newest_of_conversation WHERE conversationId = $id AND place > ''";

/** False: not found, or already in the trash. */
export async function moveToTrash(database: Database, id: string, at: string): Promise<boolean> {
  const change = 'listed = false, trashed = $trashed, deletedAt = $deletedAt';
  const values = { trashed: sortKeyOfInstant(at), deletedAt: at };
  return changeListing(database, id, { listed: true, change, values });
}

/** False: it is not in the trash. */
export async function restoreFromTrash(database: Database, id: string): Promise<boolean> {
  const change = 'listed = true, trashed = NONE, deletedAt = NONE';
  return changeListing(database, id, { listed: false, change, values: {} });
}

/** Changes the conversation and its workflows in one transaction, if its state is `listed`. False: it is not. */
async function changeListing(
  database: Database,
  id: string,
  { listed, change, values }: { listed: boolean; change: string; values: Row },
): Promise<boolean> {
  const conversation = database.record('conversation', id);
  if ((await listedOf(database, id)) !== listed) return false;
  const ids = await listedWorkflows(database, id);
  // Workflows that are not indexed yet follow their conversation when they are.
  const indexed = [...(await readIndexed(database, ids)).values()].filter(({ isListed }) => isListed === listed);
  const counts: TotalChanges = new Map();
  for (const { entries } of indexed) countEntries(counts, entries, listed ? -1 : 1);
  const [removed, counted] = [await removeFromSegments(database, indexed), applyTotals(counts, database)];
  await database.transaction(
    `UPDATE $conversation SET ${change} RETURN NONE;
    UPDATE $workflows SET listed = ${!listed} RETURN NONE;
    UPDATE $indexed SET listed = ${!listed}, segment = NONE, waits ${listed ? '-=' : '+='} 'list' RETURN NONE;
    ${removed.sql}
    ${counted.sql}`,
    {
      ...values,
      ...removed.values,
      ...counted.values,
      conversation,
      indexed: indexed.map((one) => database.record('workflow_index', one.id)),
      workflows: ids.map((one) => database.record('workflow', one)),
    },
  );
  return true;
}

/** Those that lists show where it is not in the trash: what a fork took over is in none. */
async function listedWorkflows(database: Database, id: string): Promise<string[]> {
  const row = await new Reader(database).row<ConversationRow>('conversation', id);
  const [ids] = (await database.query(WORKFLOWS, { id })) as [string[]];
  const last = row?.from?.last ?? '';
  return ids.filter((one) => one > last);
}

async function listedOf(database: Database, id: string): Promise<boolean | null> {
  const values = { conversation: database.record('conversation', id) };
  const [listed] = await database.query('SELECT VALUE listed FROM ONLY $conversation', values);
  return typeof listed === 'boolean' ? listed : null;
}

/** At most `count` conversations that were moved to the trash before the instant. */
export async function deletedBefore(database: Database, at: string, count: number): Promise<string[]> {
  const sql =
    'SELECT VALUE record::id(id) FROM conversation WITH INDEX trash WHERE listed = false AND trashed > $place LIMIT $count';
  const [ids] = (await database.query(sql, { place: sortKeyOfInstant(at), count })) as [string[]];
  return ids;
}

/** Deletes the conversation's row and queues the rest for `purgeSome`. False: it is not in the trash. */
export async function startPurge(database: Database, id: string, lastSeq: number): Promise<boolean> {
  if ((await listedOf(database, id)) !== false) return false;
  const values = {
    conversation: database.record('conversation', id),
    purge: [{ id, lastSeq }],
  };
  await database.transaction(
    `INSERT INTO purge $purge RETURN NONE;
    DELETE $conversation RETURN NONE;
    UPDATE meta:journal SET conversations -= 1 RETURN NONE;`,
    values,
  );
  return true;
}

/** Deletes the rows of purged conversations, one bounded step at a time, so that nothing waits for it. */
import type { Database } from '../database.ts';
import { selectIndexed } from '../rows/readable-rows.ts';
import { deleteNotesOf } from '../memory.ts';
import { eraseRuns } from '../search/segment-writer.ts';

/** Rows of one step. */
const STEP = 500;

interface Job {
  id: { id: string };
  lastSeq: number;
}

/**
 * One step: the parts of a run, a workflow without them, or some events. Each step starts from what is still
 * stored, so a crash between two does no harm. Returns false if nothing is left.
 */
export async function purgeSome(database: Database): Promise<boolean> {
  const [[job]] = (await database.query('SELECT * FROM purge LIMIT 1')) as [Job[]];
  if (!job) return false;
  const id = job.id.id;
  const workflowId = await newestWorkflow(database, id);
  if (workflowId === undefined) await purgeEvents(database, id, Number(job.lastSeq));
  else await purgeWorkflow(database, workflowId);
  return true;
}

/** Whether a conversation is not deleted to its end. */
export async function purgePending(database: Database): Promise<boolean> {
  const [jobs] = (await database.query('SELECT VALUE id FROM purge LIMIT 1')) as [unknown[]];
  return jobs.length > 0;
}

/** The newest workflow of a conversation; undefined for none. */
async function newestWorkflow(database: Database, conversationId: string): Promise<string | undefined> {
  const sql =
    "SELECT VALUE record::id(id) FROM workflow WITH INDEX newest_of_conversation WHERE conversationId = $conversationId AND place > '' LIMIT 1";
  const [[id]] = (await database.query(sql, { conversationId })) as [string[]];
  return id;
}

export async function runIdsOf(database: Database, workflowId: string): Promise<string[]> {
  const select = { columns: 'VALUE record::id(id)', table: 'run', index: 'by_workflow' };
  return selectIndexed<string>(database, { ...select, where: 'workflowId = $workflowId' }, { workflowId });
}

/** One step of deleting a workflow; its own row goes last. */
async function purgeWorkflow(database: Database, workflowId: string): Promise<void> {
  const runIds = await runIdsOf(database, workflowId);
  if (await eraseRuns(database, workflowId, runIds)) return;
  await deleteNotesOf(database, runIds);
  for (const runId of runIds) if (await deleteOfRun(database, runId)) return;
  await database.transaction(
    `DELETE approval WHERE workflowId = $workflowId RETURN NONE;
    DELETE sub_agent_execution WHERE workflow_id = $workflowId RETURN NONE;
    DELETE run WHERE workflowId = $workflowId RETURN NONE;
    DELETE index_queue:[$workflowId, NONE]..[$workflowId, ..] RETURN NONE;
    DELETE $index RETURN NONE;
    DELETE open_message WHERE workflowId = $workflowId RETURN NONE;
    DELETE envelope:[$workflowId, NONE]..[$workflowId, ..] RETURN NONE;
    UPDATE meta:journal SET workflows -= 1 RETURN NONE;
    DELETE $workflow RETURN NONE;`,
    {
      workflowId,
      workflow: database.record('workflow', workflowId),
      index: database.record('workflow_index', workflowId),
    },
  );
}

/** Deletes some rows of a run; returns true if there may be more. */
async function deleteOfRun(database: Database, runId: string): Promise<boolean> {
  const sql = `SELECT VALUE id FROM run_part:[$runId, NONE]..[$runId, ..] LIMIT ${STEP}`;
  const [records] = (await database.query(sql, { runId })) as [unknown[]];
  if (records.length === 0) return false;
  await database.transaction('DELETE $records RETURN NONE;', { records });
  return true;
}

/** Deletes events from the last one down; the purge is done with the first. */
async function purgeEvents(database: Database, id: string, lastSeq: number): Promise<void> {
  const from = Math.max(1, lastSeq - STEP + 1);
  const values = { id, from, to: lastSeq, job: database.record('purge', id), left: from - 1 };
  const after = from === 1 ? 'DELETE $job RETURN NONE;' : 'UPDATE $job SET lastSeq = $left RETURN NONE;';
  await database.transaction(`DELETE event:[$id, $from]..=[$id, $to] RETURN NONE; ${after}`, values);
}

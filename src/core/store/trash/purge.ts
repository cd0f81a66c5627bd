/** Deletes the rows of purged conversations, one bounded step at a time, so that nothing waits for it. */
import type { Database } from '../database.ts';
import { deleteNotesOf } from '../memory.ts';
import { eraseRuns } from '../search/segment-writer.ts';

/** Rows of one step. */
const STEP = 500;

interface Job {
  id: { id: string };
  lastSeq: number;
}

/**
 * One step: the entries or calls of a run, a workflow without them, or some events. Each step starts from what is still
 * stored, so a crash between two does no harm. Returns false if nothing is left.
 */
export async function purgeSome(database: Database): Promise<boolean> {
  const [[job]] = (await database.query('SELECT * FROM purge LIMIT 1')) as [Job[]];
  if (!job) return false;
  const id = job.id.id;
  const [workflowId] = await workflowIdsOf(database, id, 1);
  if (workflowId === undefined) await purgeEvents(database, id, Number(job.lastSeq));
  else {
    const runIds = await runIdsOf(database, workflowId);
    if (await eraseRuns(database, workflowId, runIds)) return true;
    await deleteNotesOf(database, runIds);
    await deleteSome(database, workflowId, DELETE_OF_PURGE);
  }
  return true;
}

/** The newest workflows of a conversation. */
export async function workflowIdsOf(database: Database, conversationId: string, count: number): Promise<string[]> {
  const sql =
    "SELECT VALUE record::id(id) FROM workflow WITH INDEX newest_of_conversation WHERE conversationId = $conversationId AND place > '' LIMIT $count";
  const [ids] = (await database.query(sql, { conversationId, count })) as [string[]];
  return ids;
}

export async function runIdsOf(database: Database, workflowId: string): Promise<string[]> {
  const sql = 'SELECT VALUE record::id(id) FROM run WITH INDEX by_workflow WHERE workflowId = $workflowId';
  const [ids] = (await database.query(sql, { workflowId })) as [string[]];
  return ids;
}

const DELETE_OF_PURGE = `DELETE index_queue:[$workflowId, NONE]..[$workflowId, ..] RETURN NONE;
DELETE $index RETURN NONE;
DELETE $executions RETURN NONE;
DELETE open_message WHERE workflowId = $workflowId RETURN NONE;
DELETE envelope:[$workflowId, NONE]..[$workflowId, ..] RETURN NONE;`;

/** One step of deleting a workflow's rows; `more`: statements to add to the last step. Returns false after the last. */
export async function deleteSome(database: Database, workflowId: string, more = ''): Promise<boolean> {
  const runs = await runIdsOf(database, workflowId);
  for (const runId of runs) if (await deleteOfRun(database, runId)) return true;
  await database.transaction(
    `DELETE approval WHERE workflowId = $workflowId RETURN NONE;
    DELETE model_request:[$workflowId, NONE]..[$workflowId, ..] RETURN NONE;
    DELETE sub_agent_execution WHERE workflow_id = $workflowId RETURN NONE;
    DELETE run WHERE workflowId = $workflowId RETURN NONE;
    ${more}
    DELETE $workflow RETURN NONE;`,
    {
      workflowId,
      workflow: database.record('workflow', workflowId),
      index: database.record('workflow_index', workflowId),
      executions: runs.map((run) => database.record('execution_index', run)),
    },
  );
  return false;
}

/** Deletes some rows of a run; returns true if there may be more. */
async function deleteOfRun(database: Database, runId: string): Promise<boolean> {
  for (const table of ['run_part', 'message', 'tool_call']) {
    const sql = `SELECT VALUE id FROM ${table}:[$runId, NONE]..[$runId, ..] LIMIT ${STEP}`;
    const [records] = (await database.query(sql, { runId })) as [unknown[]];
    if (records.length === 0) continue;
    await database.transaction('DELETE $records RETURN NONE;', { records });
    return true;
  }
  return false;
}

/** Deletes events from the last one down; the purge is done with the first. */
async function purgeEvents(database: Database, id: string, lastSeq: number): Promise<void> {
  const from = Math.max(1, lastSeq - STEP + 1);
  const values = { id, from, to: lastSeq, job: database.record('purge', id), left: from - 1 };
  const after = from === 1 ? 'DELETE $job RETURN NONE;' : 'UPDATE $job SET lastSeq = $left RETURN NONE;';
  await database.transaction(`DELETE event:[$id, $from]..=[$id, $to] RETURN NONE; ${after}`, values);
}

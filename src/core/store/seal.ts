/**
 * The seal of a workflow that has ended: how many rows its events are in, and their digest. It stands in the index row,
 * which is written behind the log, so a workflow that has just ended has none yet, as have those from before schema 9.
 */
import { createHash } from 'node:crypto';
import type { WorkflowRow } from '#contract/view.ts';
import type { Database } from './database.ts';
import { type Bind, queryEach } from './rows/query-each.ts';

type Place = Pick<WorkflowRow, 'id' | 'conversationId' | 'firstSeq' | 'lastSeq'>;

/** The seals of these workflows as their events are now; null where they cannot be read. */
export async function sealsOf(database: Database, workflows: readonly Place[]): Promise<(string | null)[]> {
  try {
    const found = await queryEach(database, workflows, (workflow, bind) => [eventsOf(workflow, bind)]);
    return workflows.map(({ lastSeq }, at) => sealOf(lastSeq, (found[at] as [unknown[]])[0]));
  } catch {
    if (workflows.length === 1) return [null];
    return (await Promise.all(workflows.map((one) => sealsOf(database, [one])))).flat();
  }
}

/** Whether the events are stored as they were when the seal was made; null where there is none for this end. */
export async function isAsSealed(database: Database, workflow: Place): Promise<boolean | null> {
  const index = database.record('workflow_index', workflow.id);
  const [found] = await queryEach(database, [workflow], (one, bind) => [
    `SELECT VALUE seal FROM ONLY ${bind(index)}`,
    eventsOf(one, bind),
  ]);
  const [seal, rows] = found as [string | null | undefined, unknown[]];
  return seal?.startsWith(`${workflow.lastSeq} `) ? seal === sealOf(workflow.lastSeq, rows) : null;
}

function eventsOf({ conversationId, firstSeq, lastSeq }: Place, bind: Bind): string {
  const conversation = bind(conversationId);
  return `SELECT VALUE text ?? json FROM event:[${conversation}, ${bind(firstSeq)}]..=[${conversation}, ${bind(lastSeq)}]`;
}

function sealOf(lastSeq: number, rows: readonly unknown[]): string {
  const digest = createHash('sha256');
  for (const row of rows) {
    const bytes = typeof row === 'string' ? Buffer.from(row) : Buffer.from(row as ArrayBuffer);
    digest.update(`${bytes.length}:`).update(bytes);
  }
  return `${lastSeq} ${rows.length} ${digest.digest('base64url')}`;
}

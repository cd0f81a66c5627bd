/**
 * The seal of a workflow that has ended: how many rows its events are in, and their digest. It stands in the index row,
 * which is written behind the log, so a workflow that has just ended has none yet, as have those from before schema 9.
 */
import { createHash } from 'node:crypto';
import type { WorkflowRow } from '#contract/view.ts';
import type { Database } from './database.ts';

type Place = Pick<WorkflowRow, 'id' | 'conversationId' | 'firstSeq' | 'lastSeq'>;

/** The seals of these workflows as their events are now; null where they cannot be read. */
export async function sealsOf(database: Database, workflows: readonly Place[]): Promise<(string | null)[]> {
  if (workflows.length === 0) return [];
  try {
    const { sql, values } = statements(workflows);
    const found = (await database.query(sql, values)) as unknown[][];
    return workflows.map(({ lastSeq }, at) => sealOf(lastSeq, found[at] ?? []));
  } catch {
    if (workflows.length === 1) return [null];
    return (await Promise.all(workflows.map((one) => sealsOf(database, [one])))).flat();
  }
}

/** Whether the events are stored as they were when the seal was made; null where there is none for this end. */
export async function isAsSealed(database: Database, workflow: Place): Promise<boolean | null> {
  const { sql, values } = statements([workflow]);
  const index = database.record('workflow_index', workflow.id);
  const [seal, rows] = (await database.query(`SELECT VALUE seal FROM ONLY $index; ${sql}`, { ...values, index })) as [
    string | null | undefined,
    unknown[],
  ];
  return seal?.startsWith(`${workflow.lastSeq} `) ? seal === sealOf(workflow.lastSeq, rows) : null;
}

function statements(workflows: readonly Place[]): { sql: string; values: Record<string, unknown> } {
  const sql = workflows.map((_, at) => `SELECT VALUE text ?? json FROM event:[$c${at}, $f${at}]..=[$c${at}, $l${at}];`);
  const values = workflows.flatMap(({ conversationId, firstSeq, lastSeq }, at): [string, unknown][] => [
    [`c${at}`, conversationId],
    [`f${at}`, firstSeq],
    [`l${at}`, lastSeq],
  ]);
  return { sql: sql.join('\n'), values: Object.fromEntries(values) };
}

function sealOf(lastSeq: number, rows: readonly unknown[]): string {
  const digest = createHash('sha256');
  for (const row of rows) {
    const bytes = typeof row === 'string' ? Buffer.from(row) : Buffer.from(row as ArrayBuffer);
    digest.update(`${bytes.length}:`).update(bytes);
  }
  return `${lastSeq} ${rows.length} ${digest.digest('base64url')}`;
}

/** What parts of runs hold, for tests that look into the database, or take a row out of it. */
import type { Database } from '#core/store/database.ts';
import { frameOf, textOf } from '#core/store/rows/frame.ts';
import { type Kind, KINDS } from '#core/store/rows/run-parts.ts';
import type { Row } from '#core/store/store.ts';

interface Stored {
  id: { id: [run: string, first: number] };
  text: unknown;
}

async function partsIn(database: Database): Promise<{ id: unknown; run: string; lines: Row[][] }[]> {
  const [found] = (await database.query('SELECT * FROM run_part')) as [Stored[]];
  return found.map(({ id, text }) => ({
    id,
    run: id.id[0],
    lines: textOf(text)
      .split('\n')
      .map((line) => JSON.parse(line) as Row[]),
  }));
}

function nameOf(row: Row): string {
  const { toolCallId, requestId, entry } = row as { toolCallId?: string; requestId?: string; entry?: { n: number } };
  return String(toolCallId ?? requestId ?? entry?.n);
}

/** The rows of all runs by kind, as they count, in the order of their keys: in which part each is depends on the time. */
export async function rowsInParts(database: Database): Promise<Record<Kind, Record<string, Row>>> {
  const kinds = KINDS.map((): Record<string, Row> => ({}));
  for (const { run, lines } of await partsIn(database))
    for (const [at, rows] of lines.entries()) for (const row of rows) kinds[at]![`${run} ${nameOf(row)}`] = row;
  return Object.fromEntries(KINDS.map((kind, at) => [kind, kinds[at]])) as Record<Kind, Record<string, Row>>;
}

/** Takes one row out of the part in which it is; returns what puts it back. */
export async function loseRow(
  database: Database,
  { kind, run, name }: { kind: Kind; run: string; name: string | number },
): Promise<() => Promise<void>> {
  const line = KINDS.indexOf(kind);
  const part = (await partsIn(database)).findLast(
    (one) => one.run === run && one.lines[line]?.some((row) => nameOf(row) === String(name)),
  );
  if (!part) throw new Error(`no part has ${kind} ${name} of ${run}`);
  const write = (lines: readonly Row[][]) =>
    database.transaction('UPDATE $id SET text = $text RETURN NONE;', {
      id: part.id,
      text: frameOf(lines.map((rows) => JSON.stringify(rows)).join('\n')),
    });
  await write(part.lines.map((rows, at) => (at === line ? rows.filter((row) => nameOf(row) !== String(name)) : rows)));
  return () => write(part.lines);
}

/** Takes the last message or result out of the newest part. */
export async function loseLastEntry(database: Database): Promise<void> {
  const part = (await partsIn(database)).at(-1);
  const entry = part?.lines[KINDS.indexOf('message')]?.at(-1);
  if (!part || !entry) throw new Error('no part has an entry');
  await loseRow(database, { kind: 'message', run: part.run, name: nameOf(entry) });
}

/**
 * A process of its own that works on stores in folders: `seed FOLDER` (or `seed-few`) fills a new one, `lose FOLDER` takes the
 * newest entry away, `lose-rows FOLDER` every conversation's own row, `read FOLDER…` prints a line for
 * each: what its readers give, as one hash, and what the check of every conversation says is missing, or the error.
 */
import { hash } from 'node:crypto';
import { writeSync } from 'node:fs';
import type { Missing } from '#contract/missing.ts';
import { countsOf } from '#contract/missing-text.ts';
import { errorInfo, TriadError } from '#core/base/errors.ts';
import { checkConversation } from '#core/store/check.ts';
import type { Store } from '#core/store/store.ts';
import { connect, openStore } from '#core/store/surreal.ts';
import { Seeder } from '../../../bench/seed.ts';

const [task = '', ...folders] = process.argv.slice(2);

/** Everything that a person could look at. */
async function everything(store: Store): Promise<unknown[]> {
  const found: unknown[] = [];
  const { items: conversations } = await store.conversations({ limit: 200 });
  for (const { id } of conversations) found.push(id, await store.events(id, 1, 1e6));
  const { items: workflows } = await store.workflows({ limit: 200 });
  for (const workflow of workflows) {
    const runs = await store.runsOf([workflow.id]);
    found.push(workflow, runs, await store.approvalsOf([workflow.id]), await store.requestsOf(workflow.id));
    for (const { id } of runs) found.push(await store.entriesOf(id), await store.callsOf([id]));
    found.push(await store.executionsOf(runs.map(({ id }) => id)));
  }
  return found;
}

async function missingIn(store: Store): Promise<Missing[]> {
  const missing: Missing[] = [];
  for (const id of await store.conversationIds()) missing.push(...(await checkConversation(store, id)).missing);
  return missing;
}

async function lose(folder: string): Promise<void> {
  const database = await connect(`rocksdb://${folder}`, { timeoutMs: 10_000 });
  const table = task === 'lose' ? 'message' : 'conversation';
  const [ids] = (await database.query(`SELECT VALUE id FROM ${table}`)) as [unknown[]];
  await database.transaction('DELETE $some RETURN NONE;', { some: task === 'lose' ? ids.slice(-1) : ids });
  await database.close();
}

for (const folder of folders) {
  if (task.startsWith('lose')) {
    await lose(folder);
    continue;
  }
  let line: Record<string, unknown> = {};
  try {
    const store = await openStore({ url: `rocksdb://${folder}` });
    if (task.startsWith('seed')) {
      const seeder = new Seeder(store, '/home/ada');
      const few = task === 'seed-few';
      await seeder.workflows(few ? 3 : 30, 10);
      if (!few) await seeder.long(600);
      await store.settled();
      await store.close();
    } else {
      const missing = await missingIn(store);
      line = { missing, counts: countsOf(missing) };
      line['hash'] = hash('sha256', JSON.stringify(await everything(store)));
    }
  } catch (error) {
    line['error'] = errorInfo(error).message;
    line['detail'] = error instanceof TriadError ? error.detail : null;
  }
  writeSync(1, `${JSON.stringify(line)}\n`);
}
process.exit(0);

/**
 * A process of its own that works on stores in folders. `seed FOLDER` (or `seed-few`, `seed-many`, `seed-long`) fills a
 * new one, `seed-archived` with an archive beside it. `lose FOLDER` takes the newest entry away, `lose-rows FOLDER` every conversation's own row. `lists FOLDER…`
 * prints what the lists have. `read FOLDER…` prints a line for each: what its readers give, as one hash, and what the
 * check of every conversation says is missing, or the error.
 */
import { hash, randomBytes } from 'node:crypto';
import { writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Missing } from '#contract/missing.ts';
import { countsOf } from '#contract/missing-text.ts';
import { errorInfo, TriadError } from '#core/base/errors.ts';
import { checkConversation } from '#core/store/check.ts';
import type { Store } from '#core/store/store.ts';
import { connect, openStore } from '#core/store/surreal.ts';
import { loseLastEntry } from '../../../support/run-parts.ts';
import { Seeder } from '../../../bench/seed.ts';

const [task = '', ...folders] = process.argv.slice(2);

/** Workflows, how many of them in a conversation, and whether there is a long one besides. */
const SEEDS: Readonly<Record<string, readonly [number, number, boolean]>> = {
  'seed-few': [3, 10, false],
  'seed-archived': [3, 10, false],
  'seed-many': [60, 1, false],
  'seed-long': [400, 400, false],
};

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

/** What `lose-…` takes away, by its task; `lose` takes one entry. */
const LOSSES: Readonly<Record<string, string>> = {
  'lose-rows': 'DELETE conversation RETURN NONE;',
};

async function lose(folder: string): Promise<void> {
  const database = await connect(`rocksdb://${folder}`, { timeoutMs: 10_000 });
  const loss = LOSSES[task];
  if (loss === undefined) await loseLastEntry(database);
  else await database.transaction(loss);
  await database.close();
}

for (const folder of folders) {
  if (task.startsWith('lose')) {
    await lose(folder);
    continue;
  }
  let line: Record<string, unknown> = {};
  try {
    const archive = task === 'seed-archived' ? join(folder, '..', 'archive') : undefined;
    const store = await openStore({ url: `rocksdb://${folder}`, archive });
    if (task.startsWith('seed')) {
      const seeder = new Seeder(store, '/home/ada');
      const [workflows, inEach, long] = SEEDS[task] ?? [30, 10, true];
      await seeder.workflows(workflows, inEach);
      // What no compression makes small lies in files of its own.
      if (long) await seeder.long(600, randomBytes(20_000).toString('hex'));
      await store.settled();
      await store.close();
    } else if (task === 'lists') {
      const [conversations, workflows] = await Promise.all([
        store.conversations({ limit: 200 }),
        store.workflows({ limit: 200 }),
      ]);
      const listed = { conversations: conversations.items.length, workflows: workflows.items.length };
      line = { listed, unlisted: await store.unlisted() };
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

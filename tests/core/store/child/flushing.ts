/**
 * A process of its own that commits a history, flushes now and then, and kills itself at a moment of a commit or flush:
 * `flushing.ts STORE SCHEMA {"plans": …, "moment": …, "nth": …, "seed": …}`. Prints how many events are committed, each time.
 */
import { writeSync } from 'node:fs';
// oxlint-disable-next-line no-restricted-imports -- its queries are what it dies in
import { Surreal } from 'surrealdb';
import { apply } from '#core/store/apply.ts';
import { openStore } from '#core/store/surreal.ts';
import { Random } from '../../../soak/random.ts';
import { conversation, eventsOf, type Plan } from '../random-history.ts';

export interface Death {
  plans: Plan[];
  moment: 'committed' | 'before' | 'during' | 'flushed';
  /** Of the commits, or of the flushes; counted from 0. */
  nth: number;
  seed: string;
}

const [folder = '', schemaDir = '', json = '{}'] = process.argv.slice(2);
const { plans, moment, nth, seed } = JSON.parse(json) as Death;
const random = new Random(seed);
const die = () => process.kill(process.pid, 'SIGKILL');
let seen = 0;

type Query = (this: Surreal, sql: string, values?: Record<string, unknown>) => { responses: () => Promise<unknown> };
// oxlint-disable-next-line typescript/unbound-method -- it is called as it was
const query: Query = Surreal.prototype.query;
const dying: Query = function dying(sql, values = {}) {
  const isCommit = 'event' in values;
  const isFlush = !isCommit && ('workflow' in values || 'run_part' in values);
  const isIt = (moment === 'committed' ? isCommit : isFlush) && seen++ === nth;
  if (isIt && moment === 'before') die();
  const asked = query.call(this, sql, values);
  if (!isIt) return asked;
  const responses = asked.responses.bind(asked);
  asked.responses = async () => {
    const done = responses();
    if (moment === 'during') setTimeout(die, random.next());
    const found = await done;
    die();
    return found;
  };
  return asked;
};
Object.assign(Surreal.prototype, { query: dying });

const store = await openStore({ url: `rocksdb://${folder}`, schemaDir });
await store.commit([], [conversation]);
const events = eventsOf(plans);
let flushing: Promise<unknown> = Promise.resolve();
for (let from = 0; from < events.length;) {
  const some = events.slice(from, from + random.between(1, 6));
  await store.commit(some, some.flatMap(apply));
  from += some.length;
  writeSync(1, `${from}\n`);
  // Others read beside the commits: each read flushes.
  if (random.chance(0.4)) flushing = store.conversations({ limit: 1 });
}
await flushing;
await store.conversations({ limit: 1 });
// It did not come to that moment.
process.exit(0);

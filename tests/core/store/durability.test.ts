/** What was acknowledged is there after a kill, in a new process. */
import { setTimeout as sleep } from 'node:timers/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { newId } from '#core/base/ids.ts';
import { openStore } from '#core/store/surreal.ts';
import { startChild } from './child/run.ts';
import { variations } from '../../support/samples.ts';
import { testFolder } from './support.ts';

test('acknowledged events survive several kills in a row', async () => {
  const folder = join(await testFolder(), 'store');
  const conversations: { id: string; said: number }[] = [];
  for (const ms of variations([50, 5, 300])) {
    const id = newId();
    const writer = startChild('store.ts', ['write', folder, id]);
    await writer.line();
    await sleep(ms);
    writer.process.kill('SIGKILL');
    await writer.ended;
    conversations.push({ id, said: Number(writer.lines.at(-1)) });
  }
  // Another process than those that wrote.
  const store = await openStore({ url: `rocksdb://${folder}` });
  for (const { id, said } of conversations) {
    const lastSeq = await store.lastSeq(id);
    const seqs = (await store.events(id, 1, 1e6)).map(({ seq }) => seq);
    const entries = (await store.entriesOf(id)).map(({ n }) => n);
    // One more may be there: stored, and killed before it was said.
    expect(lastSeq).toBeGreaterThanOrEqual(said);
    expect(lastSeq).toBeLessThanOrEqual(said + 1);
    expect(seqs).toEqual(Array.from({ length: lastSeq }, (_, index) => index + 1));
    expect(entries).toEqual(seqs);
  }
  await store.close();
});

/** What was acknowledged is there after a kill, in a new process. */
import { setTimeout as sleep } from 'node:timers/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { newId } from '#core/base/ids.ts';
import { startChild } from './child/run.ts';
import { variations } from '../../support/samples.ts';
import { testFolder } from './support.ts';

interface Stored {
  lastSeq: number;
  seqs: number[];
  /** Numbers of the entries. */
  entries: number[];
}

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
  const reader = startChild('store.ts', ['read', folder, conversations.map(({ id }) => id).join()]);
  await reader.ended;
  expect(reader.lines).toHaveLength(conversations.length);
  for (const [index, { said }] of conversations.entries()) {
    const { lastSeq, seqs, entries } = JSON.parse(reader.lines[index]!) as Stored;
    // One more may be there: stored, and killed before it was said.
    expect(lastSeq).toBeGreaterThanOrEqual(said);
    expect(lastSeq).toBeLessThanOrEqual(said + 1);
    expect(seqs).toEqual(Array.from({ length: lastSeq }, (_, index) => index + 1));
    expect(entries).toEqual(seqs);
  }
});

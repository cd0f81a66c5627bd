/** Faults of the disk: one clear message, nothing of what was shown is lost, and it goes on when the cause is gone. */
import { cp, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { newId } from '#core/base/ids.ts';
import { startFakeModel } from '../../support/fake-model/server.ts';
import { threeChildren } from '../../support/fake-model/scenarios.ts';
import { folderWith } from '../../support/workspace.ts';
import { startChild } from './child/run.ts';
import { testFolder } from './support.ts';
import { fullTest } from '../../support/samples.ts';

const isRoot = process.getuid?.() === 0;

/** Only root may mount, and not in every container. */
async function smallDisk(size: string): Promise<string | null> {
  const disk = await testFolder();
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', disk]).status !== 0) return null;
  onTestFinished(() => void spawnSync('umount', ['-l', disk]));
  return disk;
}
async function answerOf(task: string, folder: string, id = newId()): Promise<unknown> {
  const child = startChild('store.ts', [task, folder, id]);
  const line = await child.line();
  await child.ended;
  expect(child.lines).toHaveLength(1);
  return line === 'opened' ? line : JSON.parse(line);
}

const QUERY_FAILURES = 'tests/core/store/opening/opening.test.ts › a failed query reports a full disk or damaged files';

test.runIf(isRoot)(
  'waits on a real full disk, continues when there is space, and rejects a start on a full or read-only disk',
  { timeout: 120_000 },
  async ({ skip }) => {
    const disk = await smallDisk('64m');
    if (!disk) return skip('no file system can be mounted here');
    const [data, ballast] = [join(disk, 'store'), join(disk, 'ballast')];
    const fill = async () => {
      for (const block of [1 << 20, 1 << 12])
        for (;;) {
          try {
            await writeFile(ballast, Buffer.alloc(block), { flag: 'a' });
          } catch {
            break;
          }
        }
    };
    let filled: Promise<void> | null = null;
    const script = threeChildren({ reply: { hold: { after: 0, until: () => (filled ??= fill()) } } });
    const model = await startFakeModel(script);
    onTestFinished(() => model.close());
    const folder = await folderWith({ 'README.md': '# A workspace\n' });
    const child = startChild('full.ts', [data, model.url, folder]);
    const { message, seq, conversationId } = JSON.parse(await child.line()) as {
      message: string;
      seq: number;
      conversationId: string;
    };
    expect(message).toBe(
      `The disk of ${data} is full (0 MB left): free some space. Running work then continues by itself; new messages must be sent again`,
    );
    expect(seq).toBeGreaterThan(0);
    await rm(ballast);
    expect(JSON.parse(await child.line())).toEqual({ outcome: 'completed' });
    await child.ended;

    const unwritable = (words: RegExp) => ({
      code: 'store_unwritable',
      message: expect.stringMatching(words) as string,
    });
    await fill();
    expect(await answerOf('open', data)).toEqual(unwritable(/is full: free some space/));
    await rm(ballast);
    spawnSync('mount', ['-o', 'remount,ro', disk]);
    expect(await answerOf('open', data)).toEqual(unwritable(/is read-only: make it writable, or set TRIAD_HOME/));
    spawnSync('mount', ['-o', 'remount,rw', disk]);
    const { seqs } = (await answerOf('read', data, conversationId)) as { seqs: number[] };
    expect(seqs).toEqual(Array.from({ length: seqs.length }, (_, n) => n + 1));
    expect(seqs.length).toBeGreaterThanOrEqual(seq);
    const { workflows } = (await answerOf('look', data)) as { workflows: unknown[] };
    expect(workflows).toMatchObject([{ outcome: 'completed', subAgentCount: 3 }]);
  },
);

fullTest([
  QUERY_FAILURES,
  'tests/core/store/opening/opening.test.ts › rejects a damaged store folder and suggests a restore',
])('reports truncated or overwritten store files as damage', { timeout: 120_000 }, async () => {
  const base = await testFolder();
  const [folder, id] = [join(base, 'store'), newId()];
  const writer = startChild('store.ts', ['write', folder, id]);
  for (let line = 0; line < 5; line += 1) await writer.line();
  writer.process.kill('SIGKILL');
  await writer.ended;
  // The next start puts into files what was only in the journal.
  const whole = await answerOf('read', folder, id);
  const names = await readdir(folder);
  const damaged = {
    code: 'store_failed',
    message: expect.stringMatching(/is damaged: there is no backup of it/) as string,
  };
  // All of a kind at once: a table that was merged into another may stay behind when the process ends before it is removed.
  const tables = names.filter((name) => name.endsWith('.sst'));
  const manifests = names.filter((name) => name.startsWith('MANIFEST'));
  const faults: [string[], (path: string) => Promise<void>][] = [
    [tables, async (path) => truncate(path, Math.floor((await stat(path)).size / 2))],
    [tables, (path) => truncate(path, 0)],
    [manifests, async (path) => truncate(path, Math.floor((await stat(path)).size / 2))],
    [['CURRENT'], (path) => truncate(path, 0)],
    [tables, async (path) => writeFile(path, (await readFile(path)).fill(88, 0, 512))],
  ];
  const copy = join(base, 'copy');
  for (const [harmed, harm] of faults) {
    expect(harmed).not.toEqual([]);
    await rm(copy, { recursive: true, force: true });
    await cp(folder, copy, { recursive: true });
    await cp(`${folder}.schema-version`, `${copy}.schema-version`);
    for (const name of harmed) await harm(join(copy, name));
    expect(await answerOf('read', copy, id), harmed.join()).toEqual(damaged);
  }
  // With the files as they were, it opens in the same place.
  await rm(copy, { recursive: true });
  await cp(folder, copy, { recursive: true });
  expect(await answerOf('read', copy, id)).toEqual(whole);
});

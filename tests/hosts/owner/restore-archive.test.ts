/** `triad restore --from archive` on real homes: the store is gone or damaged, and everything comes back. */
import { cp, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { spawnOne } from '../../support/fake-model/scenarios.ts';
import { machine } from '../support/process.ts';

test(
  'a deleted store is rebuilt from the archive, with every conversation as it was',
  { timeout: 120_000 },
  async () => {
    const { triad, home } = await machine(spawnOne());
    for (const text of ['Ask a helper', 'Ask another one'])
      expect(await triad(['run', '--approve', 'all', text])).toMatchObject({ code: 0 });
    const before = await triad(['sessions', 'list', '--json']);
    const ids = (JSON.parse(before.out) as { id: string }[]).map(({ id }) => id);
    expect(ids).toHaveLength(2);
    const traces = [];
    for (const id of ids) traces.push(await triad(['sessions', 'trace', id, '--json']));
    expect((await stat(join(home, 'archive'))).mode & 0o777).toBe(0o700);
    expect((await stat(join(home, 'archive', `${ids[0]}.jsonl.gz`))).mode & 0o777).toBe(0o600);

    await rm(join(home, 'store'), { recursive: true });
    const rebuilt = await triad(['sessions', 'list', '--json']);
    expect(rebuilt).toMatchObject({ code: 0, out: before.out });
    expect(rebuilt.err).toContain('The store was missing and was rebuilt from its archive with 2 conversations');
    await rm(join(home, 'store'), { recursive: true, force: true });
    const restored = await triad(['restore', '--from', 'archive']);
    expect(restored).toMatchObject({ code: 0, out: '' });
    expect(restored.err).toMatch(/^Rebuilt from the archive: 2 conversations, \d+ events\./);

    expect(await triad(['sessions', 'list', '--json'])).toEqual(before);
    for (const [index, id] of ids.entries())
      expect(await triad(['sessions', 'trace', id, '--json'])).toEqual(traces[index]);
    const doctor = await triad(['doctor', '--full']);
    expect(doctor.out).toMatch(/history: looked at 2 sessions, .*: nothing is missing/);
    expect(doctor.out).toMatch(/recovery: .* was rebuilt from its archive with 2 conversations .*Nothing is missing/);
    expect(doctor.out).toMatch(/archive: 2 sessions, \d+ events: as in the store/);
    expect(await readdir(home)).not.toContain('restoring');
  },
);

test('a store replaced by an older copy is rebuilt completely, with a message', async () => {
  const { triad, home } = await machine(spawnOne());
  const run = async () => expect(await triad(['run', '--approve', 'all', 'Ask a helper'])).toMatchObject({ code: 0 });
  await run();
  await cp(join(home, 'store'), join(home, 'copy'), { recursive: true });
  await run();
  await run();
  const before = await triad(['sessions', 'list', '--json']);
  await rm(join(home, 'store'), { recursive: true });
  await rename(join(home, 'copy'), join(home, 'store'));
  const after = await triad(['sessions', 'list', '--json']);
  expect(after).toMatchObject({ code: 0, out: before.out });
  expect(after.err).toMatch(
    /The store was damaged, or an older copy of it was put back, and was rebuilt with 3 conversations and \d+ events\. Nothing is missing\. The replaced store is kept beside it\./,
  );
});

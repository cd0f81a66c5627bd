/** Upgrades: a copy of the store before, whole and checked; then the store as it was, and all that is new works on it. */
import { cp, mkdir, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { spawn, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import type { SubAgentExecution } from '#contract/execution.ts';
import { newId } from '#core/base/ids.ts';
import { backupsOf } from '#core/store/backups/backups.ts';
import { readMigrations } from '#core/store/opening/migrate.ts';
import { startChild } from '../child/run.ts';
import { builtProgram, ROOT } from '../../../support/program.ts';
import { fullTest, inFullRun } from '../../../support/samples.ts';
import { firstRelease, schemaDir, testFolder } from '../support.ts';

const newest = (await readMigrations(schemaDir)).length;
const CHECK = builtProgram(join(ROOT, 'src/core/store/backups/check-copy.ts'));
const isRoot = process.getuid?.() === 0;

/** What a process of its own says of tasks on a store, a line for each. */
async function lines(tasks: string, store: string, schema = schemaDir): Promise<string[]> {
  const child = startChild('store.ts', [tasks, store, newId(), schema]);
  await child.ended;
  return child.lines;
}
async function open(store: string, schema?: string): Promise<string> {
  const said = await lines('open', store, schema);
  expect(said).toHaveLength(1);
  return said[0] ?? '';
}
async function look(store: string): Promise<unknown> {
  const [line = ''] = await lines('look', store);
  return JSON.parse(line);
}
/** What the copy of a store holds, as the check says that every backup has to pass. */
async function heldBy(copy: string): Promise<unknown> {
  const child = spawn(process.execPath, [CHECK, copy], { stdio: ['pipe', 'pipe', 'inherit'] });
  return json(child.stdout);
}
async function versionOf(store: string): Promise<number> {
  return Number(await readFile(`${store}.schema-version`, 'utf8'));
}
async function backupNames(base: string): Promise<string[]> {
  return (await readdir(join(base, 'backups')).catch(() => [])).sort();
}
/** The schema with so many files more. */
async function newerSchema(base: string, more: number): Promise<string> {
  const folder = join(base, `schema-${more}`);
  await cp(schemaDir, folder, { recursive: true });
  for (let n = 1; n <= more; n += 1)
    await writeFile(
      join(folder, `${String(newest + n).padStart(4, '0')}_more.surql`),
      `DEFINE TABLE more_${n} SCHEMAFULL;`,
    );
  return folder;
}
interface Seen {
  conversations: { title: string; usage: { requests: number } }[];
  workflows: { prompt: string; outcome: string; agents: string[] }[];
  details: {
    runs: { agent: string; envelope: { model: string } }[];
    approvals: object[];
    requests: object[];
  }[];
  events: object[][];
  hits: { snippet: string; kind: string; agent: string }[];
  facets: { agents: string[] };
  executions: SubAgentExecution[];
  reviewer: number;
}

test('a store of the first release', async () => {
  const base = await testFolder();
  const store = await firstRelease(base);
  expect(await versionOf(store)).toBe(1);
  const [first = '', ...rest] = await lines(inFullRun ? 'look+cut' : 'look', store);
  const seen = JSON.parse(first) as Seen;
  expect(await versionOf(store)).toBe(newest);
  expect(seen.conversations.map(({ title }) => title).sort()).toEqual(
    ['Look at everything', 'Question 0: what does this part do?', 'Review the parser'].sort(),
  );
  expect(seen.workflows).toHaveLength(5);
  const review = seen.workflows.findIndex(({ prompt }) => prompt === 'Review the parser');
  expect(seen.workflows[review]).toMatchObject({ outcome: 'completed', agents: ['lead', 'code-reviewer'] });
  expect(seen.details[review]?.runs.map(({ agent, envelope }) => `${agent} ${envelope.model}`)).toEqual([
    'lead claude-sonnet-5-5',
    'code-reviewer claude-sonnet-5-5',
  ]);
  expect([seen.details[review]?.approvals.length, seen.details[review]?.requests.length]).toEqual([1, 2]);
  expect(seen.hits.map(({ kind, agent }) => `${kind} ${agent}`)).toEqual(['report code-reviewer']);
  expect(seen.hits[0]?.snippet).toBe('Two mistakes: naïve loops   and a "quoted" one.');
  expect(seen.facets.agents).toEqual(['lead', 'alpha', 'beta', 'code-reviewer', 'gamma']);
  expect(seen.reviewer).toBe(1);
  expect(seen.executions.map(({ sub_agent_name: name }) => name).sort()).toEqual(
    ['alpha', 'beta', 'code-reviewer', 'gamma'].sort(),
  );
  expect(seen.executions.find(({ sub_agent_name: name }) => name === 'code-reviewer')).toMatchObject({
    status: 'completed',
    model: 'claude-sonnet-5-5',
    result_summary: 'Two mistakes',
  });
  // Made again from its events it is the same: a rebuild that was cut off is carried out at the next start.
  expect(rest).toEqual(inFullRun ? ['cut'] : []);
  if (inFullRun) expect(await look(store)).toEqual(seen);
  // The copy still is what the first release wrote.
  const [backup = ''] = await backupNames(base);
  expect(backup).toMatch(/^upgrade-\d{14}-[0-9a-f]{8}$/);
  const copy = join(base, 'backups', backup, 'store');
  expect((await stat(join(base, 'backups', backup))).mode & 0o777).toBe(0o700);
  if (!inFullRun) return;
  expect(await heldBy(copy)).toEqual({
    conversations: 3,
    workflows: 5,
    events: 110,
    version: 1,
    known: newest,
    missing: null,
  });
});

fullTest([
  'tests/core/store/backups/prune.test.ts › the end of an upgrade removes all but its own backup and the one before',
  'tests/core/store/opening/opening.test.ts › a store with a newer recorded version is refused',
])('each upgrade makes a copy, of which the last two are kept; an older program refuses the new store', async () => {
  const base = await testFolder();
  const store = join(base, 'store');
  expect(await open(store)).toBe('opened');
  expect(await backupNames(base)).toEqual([]);
  for (const more of [1, 2, 3]) expect(await open(store, await newerSchema(base, more))).toBe('opened');
  expect(backupsOf(base).map(({ schema }) => schema)).toEqual([newest + 2, newest + 1]);
  expect(await versionOf(store)).toBe(newest + 3);
  expect(await open(store)).toContain('use the newer Triad that wrote it');
  // Also where the version beside it was lost: the store knows it as well.
  await rm(`${store}.schema-version`);
  expect(await open(store)).toContain('use the newer Triad that wrote it');
});

test('a copy that cannot be read stops the upgrade, and leaves the store and no part of a copy', async () => {
  const base = await testFolder();
  const store = await firstRelease(base);
  const manifest = (await readdir(store)).find((name) => name.startsWith('MANIFEST')) ?? '';
  await truncate(join(store, manifest), 10);
  const before = await readFile(join(store, manifest));
  expect(JSON.parse(await open(store))).toMatchObject({
    code: 'store_failed',
    message: expect.stringMatching(/is damaged: there is no backup of it/) as string,
  });
  expect(await backupNames(base)).toEqual([]);
  expect([await versionOf(store), await readFile(join(store, manifest))]).toEqual([1, before]);
});

test.runIf(isRoot)('without room for the copy nothing is touched, and with room it goes on', async ({ skip }) => {
  const base = await testFolder();
  const disk = join(base, 'disk');
  await mkdir(disk);
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=48m', 'tmpfs', disk]).status !== 0)
    skip('no file system can be mounted here');
  onTestFinished(() => void spawnSync('umount', [disk]));
  const store = await firstRelease(disk);
  await writeFile(join(store, 'ballast'), Buffer.alloc(5_000_000));
  await writeFile(join(disk, 'ballast'), Buffer.alloc(8_000_000));
  const full = {
    code: 'store_unwritable',
    message: expect.stringMatching(/no room for a copy .* MB are needed/) as string,
  };
  expect(JSON.parse(await open(store))).toMatchObject(full);
  expect([await backupNames(disk), await versionOf(store)]).toEqual([[], 1]);
  await rm(join(disk, 'ballast'));
  expect(await open(store)).toBe('opened');
  expect(await backupNames(disk)).toHaveLength(1);
  expect(existsSync(join(disk, 'store', 'CURRENT'))).toBe(true);
});

/** A data folder has one owner: the first, until it lets go or dies. */
import { chmod, mkdir, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { claimOwnership, findOwner, type Ownership } from '#core/host/ownership/ownership.ts';
import type { Instance } from '#core/host/ownership/ping-server.ts';
import { startChild } from '../../store/child/run.ts';
import { testFolder } from '../../store/support.ts';
import { fullTest, inFullRun } from '../../../support/samples.ts';

const signal = new AbortController().signal;
/** Number of rounds of a race. */
const ROUNDS = inFullRun ? 20 : 1;
const isRoot = process.getuid?.() === 0;

/** Rejects where another process is the owner. */
async function own(folder: string, given = signal): Promise<Ownership> {
  const claim = await claimOwnership(folder, { signal: given });
  if (claim.kind === 'own') return claim.ownership;
  throw Object.assign(new Error('there is an owner'), { owner: claim.owner });
}

async function claim(folder: string): Promise<Ownership> {
  const ownership = await own(folder);
  onTestFinished(() => ownership.release());
  return ownership;
}

async function startOwner(folder: string) {
  const child = startChild('owner.ts', [folder]);
  expect(await child.line()).toBe('ready');
  // The process that was refused ends by itself, perhaps before it is told to.
  child.process.stdin.on('error', () => undefined);
  const go = () => child.process.stdin.write('go\n');
  return { ...child, go };
}
type Answer = { owner: Instance } | { found: Instance } | { code: string; message: string };

test('exactly one of two processes that claim a data folder becomes its owner', async () => {
  const folder = await testFolder();
  for (let round = 0; round < ROUNDS; round++) {
    const children = await Promise.all([startOwner(folder), startOwner(folder)]);
    for (const child of children) child.go();
    const answers = await Promise.all(children.map(async (child) => JSON.parse(await child.line()) as Answer));
    const owners = answers.flatMap((answer) => ('owner' in answer ? [answer.owner] : []));
    expect(owners, JSON.stringify(answers)).toHaveLength(1);
    expect(answers.flatMap((answer) => ('found' in answer ? [answer.found] : []))).toEqual(owners);
    expect(JSON.parse(await readFile(join(folder, 'instance.json'), 'utf8'))).toEqual(owners[0]);
    for (const child of children) {
      // Every other round the owner dies, so the next one begins with what it left.
      if (round % 2 === 0) child.process.kill('SIGKILL');
      else child.go();
      await child.ended;
    }
    expect(await readdir(folder)).toEqual(round % 2 === 0 ? ['instance.json'] : []);
  }
}, 60_000);

fullTest([
  'tests/core/host/ownership/ownership.test.ts › exactly one of two processes that claim a data folder becomes its owner',
  'tests/core/host/ownership/ownership.test.ts › a claim replaces a killed owner, even if an earlier claimant was killed during its takeover',
])('exactly one of 12 simultaneous claims replaces a dead owner', async () => {
  const folder = await testFolder();
  const dead = await own(folder);
  const text = await readFile(join(folder, 'instance.json'), 'utf8');
  await dead.release();
  for (let round = 0; round < ROUNDS; round++) {
    await writeFile(join(folder, 'instance.json'), text);
    const claims = await Promise.allSettled(Array.from({ length: 12 }, () => own(folder)));
    const won = claims.filter((one) => one.status === 'fulfilled').map(({ value }) => value);
    expect(won).toHaveLength(1);
    await won[0]?.release();
    expect(await readdir(folder)).toEqual([]);
  }
});

test('the instance file is private and describes its owner, and a ping requires the token', async () => {
  const folder = join(await testFolder(), 'new', 'data');
  const { instance } = await claim(folder);
  const path = join(folder, 'instance.json');
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect(JSON.parse(await readFile(path, 'utf8'))).toEqual(instance);
  expect(instance.pid).toBe(process.pid);
  const status = async (token: string, where = '/ping', method = 'GET') =>
    (await fetch(instance.url + where, { method, headers: { authorization: `Bearer ${token}` } })).status;
  expect(await status(instance.token)).toBe(200);
  expect(await status('')).toBe(401);
  expect(await status(instance.token.replace(/./, 'x'))).toBe(401);
  expect([await status(instance.token, '/'), await status(instance.token, '/ping', 'POST')]).toEqual([404, 404]);
});

test('a second claim returns the current owner, and succeeds after the release', async () => {
  const folder = await testFolder();
  const first = await own(folder);
  expect(await claimOwnership(folder, { signal })).toEqual({ kind: 'found', owner: first.instance });
  expect(await findOwner(folder, signal)).toEqual(first.instance);
  await first.release();
  await first.release();
  expect(await readdir(folder)).toEqual([]);
  expect(await findOwner(folder, signal)).toBeNull();
  await claim(folder);
});

test('a claim replaces a killed owner, even if an earlier claimant was killed during its takeover', async () => {
  const folder = await testFolder();
  const dead = async () => {
    const child = await startOwner(folder);
    child.go();
    const answer = JSON.parse(await child.line()) as { owner: Instance };
    child.process.kill('SIGKILL');
    await child.ended;
    return answer.owner;
  };
  const first = await dead();
  const claimant: Instance = { ...first, token: 'ab'.repeat(32), pid: 1 };
  const next: Instance = { ...first, token: 'cd'.repeat(32), pid: 1 };
  await writeFile(join(folder, `instance.json.claim-${first.token}`), JSON.stringify(claimant));
  await writeFile(join(folder, `instance.json.claim-${claimant.token}`), JSON.stringify(next));
  const started = performance.now();
  const { instance } = await claim(folder);
  expect(performance.now() - started).toBeLessThan(2000);
  expect(JSON.parse(await readFile(join(folder, 'instance.json'), 'utf8'))).toEqual(instance);
  expect(await readdir(folder)).toEqual(['instance.json']);
});

test('a claim ignores an empty or malformed instance file and the address of another program', async () => {
  const folder = await testFolder();
  const other = createServer((_, response) => response.end('OK')).listen(0, '127.0.0.1');
  onTestFinished(() => void other.close().closeAllConnections());
  await once(other, 'listening');
  const { port } = other.address() as { port: number };
  const instance = { url: `http://127.0.0.1:${port}`, token: '0'.repeat(64), pid: process.pid };
  const startedAt = new Date().toISOString();
  for (const text of ['', '{"url":', '{"url":"http://example.org"}', JSON.stringify({ ...instance, startedAt })]) {
    await writeFile(join(folder, 'instance.json'), text);
    await (await own(folder)).release();
  }
});

fullTest(
  'tests/core/host/ownership/ownership.test.ts › a claim ignores an empty or malformed instance file and the address of another program',
)('a claim ignores an unusable instance file and a port that now belongs to another or a silent program', async () => {
  const folder = await testFolder();
  const other = createServer((_, response) => response.end('OK')).listen(0, '127.0.0.1');
  const silent = createServer(() => undefined).listen(0, '127.0.0.1');
  onTestFinished(() => {
    for (const server of [other, silent]) {
      server.close();
      server.closeAllConnections();
    }
  });
  const instances: string[] = ['', '{"url":', '{"url":"http://example.org"}', '[]'];
  for (const server of [other, silent]) {
    if (!server.listening) await once(server, 'listening');
    const { port } = server.address() as { port: number };
    const url = `http://127.0.0.1:${port}`;
    instances.push(
      JSON.stringify({ url, token: '0'.repeat(64), pid: process.pid, startedAt: new Date().toISOString() }),
    );
  }
  for (const text of instances) {
    await writeFile(join(folder, 'instance.json'), text);
    const started = performance.now();
    const ownership = await own(folder);
    expect(performance.now() - started).toBeLessThan(6000);
    await ownership.release();
  }
});

test('a claim removes old drafts of instance files left by killed processes, but keeps recent drafts', async () => {
  const folder = await testFolder();
  const [old, young] = [join(folder, 'instance.json.new-0123'), join(folder, 'instance.json.new-4567')];
  for (const draft of [old, young]) await writeFile(draft, '{');
  const before = new Date(Date.now() - 2 * 3_600_000);
  await utimes(old, before, before);
  await claim(folder);
  expect((await readdir(folder)).sort()).toEqual(['instance.json', 'instance.json.new-4567']);
});

test('a release does not remove the instance file of another owner', async () => {
  const folder = await testFolder();
  const first = await claim(folder);
  const other = JSON.stringify({ ...first.instance, token: 'ef'.repeat(32) });
  await writeFile(join(folder, 'instance.json'), other);
  await first.release();
  expect(await readFile(join(folder, 'instance.json'), 'utf8')).toBe(other);
});

test('an owner checks its file, and restores the file after a loss or a change', async () => {
  const checks: (() => void)[] = [];
  const spy = vi.spyOn(globalThis, 'setInterval').mockImplementation(((check: () => void) => {
    checks.push(check);
    return { unref: () => undefined };
  }) as never);
  onTestFinished(() => spy.mockRestore());
  const folder = await testFolder();
  const path = join(folder, 'instance.json');
  const owner = await claim(folder);
  const before = checks.length;
  owner.guard();
  expect(checks).toHaveLength(before + 1);
  const text = await readFile(path, 'utf8');
  const dead = { ...owner.instance, url: 'http://127.0.0.1:9', token: '0'.repeat(64) };
  for (const breakFile of [() => rm(path), () => writeFile(path, JSON.stringify(dead))]) {
    await breakFile();
    checks.at(-1)!();
    await expect.poll(() => readFile(path, 'utf8').catch(() => ''), { interval: 10 }).toBe(text);
  }
});

fullTest(
  'tests/core/host/ownership/ownership.test.ts › an owner checks its file, and restores the file after a loss or a change',
)('a guarding owner restores its lost or changed instance file, and other processes find the owner again', async () => {
  const folder = await testFolder();
  const path = join(folder, 'instance.json');
  const owner = await claim(folder);
  owner.guard();
  const text = await readFile(path, 'utf8');
  const dead = { ...owner.instance, url: 'http://127.0.0.1:9', token: '0'.repeat(64) };
  for (const lost of [() => rm(path), () => writeFile(path, JSON.stringify(dead))]) {
    await lost();
    await expect.poll(() => readFile(path, 'utf8').catch(() => '')).toBe(text);
  }
  const other = await startOwner(folder);
  other.go();
  expect(JSON.parse(await other.line())).toEqual({ found: owner.instance });
});

test('a claim of an unusable or unsafe data folder fails with one clear error', async () => {
  const base = await testFolder();
  await writeFile(join(base, 'file'), '');
  await expect(claimOwnership(join(base, 'file', 'data'), { signal })).rejects.toMatchObject({
    code: 'store_unwritable',
    message: expect.stringMatching(/cannot be written \(E\w+\): check its owner/) as string,
  });
  await mkdir(join(base, 'odd', 'instance.json'), { recursive: true });
  await expect(claimOwnership(join(base, 'odd'), { signal })).rejects.toMatchObject({
    code: 'store_unwritable',
  });
  await chmod(base, 0o777);
  await expect(claimOwnership(base, { signal })).rejects.toMatchObject({
    code: 'not_allowed',
    message: expect.stringContaining(`run "chmod go-w ${base}"`) as string,
  });
});

test.runIf(isRoot)('a claim of a data folder of another user fails with one clear error', async () => {
  const base = await testFolder();
  await chmod(base, 0o755);
  const refused = async () => {
    const child = startChild('owner.ts', [base], { nobody: true });
    await child.line();
    child.process.stdin.write('go\n');
    const answer = JSON.parse(await child.line()) as Answer;
    await child.ended;
    return answer;
  };
  const unwritable = { code: 'store_unwritable', message: expect.stringContaining('EACCES') as string };
  expect(await refused()).toEqual(unwritable);
  await writeFile(join(base, 'instance.json'), '{}', { mode: 0o600 });
  expect(await refused()).toEqual(unwritable);
  await chmod(base, 0o777);
  expect(await refused()).toEqual({
    code: 'not_allowed',
    message: expect.stringContaining(`run "chmod go-w ${base}"`) as string,
  });
});

test('an abort ends a claim and leaves the data folder unchanged', async () => {
  const folder = await testFolder();
  const gone = AbortSignal.abort(new Error('stop'));
  await expect(claimOwnership(folder, { signal: gone })).rejects.toThrow('stop');
  expect(await readdir(folder)).toEqual([]);
  const silent = createServer(() => undefined).listen(0, '127.0.0.1');
  onTestFinished(() => void silent.close().closeAllConnections());
  await once(silent, 'listening');
  const { port } = silent.address() as { port: number };
  const stale = {
    url: `http://127.0.0.1:${port}`,
    token: '0'.repeat(64),
    pid: 1,
    startedAt: new Date().toISOString(),
  };
  await writeFile(join(folder, 'instance.json'), JSON.stringify(stale));
  const controller = new AbortController();
  const claiming = claimOwnership(folder, { signal: controller.signal });
  await once(silent, 'connection');
  controller.abort(new Error('stop now'));
  await expect(claiming).rejects.toThrow('stop now');
  expect(JSON.parse(await readFile(join(folder, 'instance.json'), 'utf8'))).toEqual(stale);
});

/** The command line with a store on a server: signing in, work that is there the next time, and what is elsewhere then. */
import { readFile, stat } from 'node:fs/promises';
import { expect, onTestFinished, test } from 'vitest';
import { plainAnswer } from '../../../support/fake-model/scenarios.ts';
import { startStoreServer } from '../../../support/store-server/server.ts';
import { inProcess } from '../../support/engine.ts';
import { machine } from '../../support/process.ts';

test('one installation and its server', { timeout: 60_000 }, async () => {
  const server = await startStoreServer({ closed: true });
  onTestFinished(() => server.close());
  await server.query("DEFINE USER ada ON DATABASE PASSWORD 'hunter2' ROLES EDITOR");
  const home = await machine(plainAnswer());
  const here = inProcess(home, 'memory');
  const triad = (args: string[], input = '') => here(args, input, { env: { TRIAD_STORE: server.url } });

  expect(await triad(['run', 'Say hello'])).toMatchObject({
    code: 1,
    out: '',
    err: expect.stringMatching(
      /^triad: The database ws:\S+ cannot be used .* config key store --user NAME < FILE"\.\n$/,
    ) as string,
  });
  for (const [args, input, words] of [
    [[], 'hunter2', /--user NAME/],
    [['--user', 'ada', '--token'], 'hunter2', /--user NAME/],
    [['--user', 'ada'], ' \n', /nothing in it/],
  ] as const)
    expect(await triad(['config', 'key', 'store', ...args], input)).toMatchObject({
      code: 2,
      err: expect.stringMatching(words) as string,
    });
  const kept = await triad(['config', 'key', 'store', '--user', 'ada'], 'hunter2\n');
  expect(kept).toMatchObject({ code: 0, out: '' });
  expect(kept.err).toMatch(new RegExp(`^The password of ada is kept in \\S+ and sent to ${server.url} only\\.\\n$`));
  const config = /kept in (\S+)/.exec(kept.err)![1]!;
  expect((await stat(config)).mode & 0o777).toBe(0o600);
  expect(await readFile(config, 'utf8')).toContain('hunter2');

  expect(await triad(['run', 'Say hello'])).toMatchObject({ code: 0, out: 'Hello, this is the whole answer.\n' });
  const listed = await triad(['sessions', 'list', '--json']);
  expect(JSON.parse(listed.out)).toHaveLength(1);
  expect((await server.query('SELECT VALUE process FROM lease'))[0]).toEqual(['']);

  const doctor = await triad(['doctor', '--json']);
  const findings = JSON.parse(doctor.out) as { name: string; state: string; text: string }[];
  const of = (name: string) => findings.find((one) => one.name === name);
  expect(of('store server')).toMatchObject({ state: 'ok' });
  expect(of('store server')?.text).toMatch(
    new RegExp(`^${server.url}, SurrealDB 3\\.\\S+, answers in \\S+ ?m?s; nobody holds the lease$`),
  );
  expect(of('store')).toMatchObject({ state: 'ok', text: 'opens; on its server' });

  expect(await triad(['backup'])).toMatchObject({
    code: 1,
    err: expect.stringMatching(
      /make its backup there, with "surreal export --endpoint http:.* --database triad FILE"/,
    ) as string,
  });
  expect(await triad(['restore', home.folder])).toMatchObject({
    code: 2,
    err: expect.stringContaining('only the store in the data folder') as string,
  });
  expect((await triad(['config', 'key', 'store', '--remove'])).code).toBe(0);
  expect(await readFile(config, 'utf8')).not.toContain('hunter2');
  await server.stop();
  const gone = await triad(['doctor', '--json']);
  const found = JSON.parse(gone.out) as { name: string; state: string; text: string }[];
  expect(found.find((one) => one.name === 'store server')).toMatchObject({ state: 'problem' });
  expect(gone.code).toBe(1);
});

test('without an address no password is taken', async () => {
  const home = await machine(plainAnswer());
  const result = await inProcess(home, 'memory')(['config', 'key', 'store', '--user', 'ada'], 'hunter2');
  expect(result).toMatchObject({ code: 2, err: expect.stringContaining('Set TRIAD_STORE to wss:') as string });
});

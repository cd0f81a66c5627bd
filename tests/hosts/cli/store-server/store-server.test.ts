/** The command line with a store on a server: signing in, work that is there the next time, and what is elsewhere then. */
import { readFile, stat } from 'node:fs/promises';
import { expect, onTestFinished, test } from 'vitest';
import { memoryClient } from '../../support/memory-client.ts';
import { commandLine } from '../../support/memory-io.ts';
import { checkStoreServer } from '#hosts/cli/commands/doctor/store-server.ts';
import { testFolder } from '../../../core/store/support.ts';
import { plainAnswer } from '../../../support/fake-model/scenarios.ts';
import { fullTest } from '../../../support/samples.ts';
import { startStoreServer } from '../../../support/store-server/server.ts';

fullTest([
  'tests/hosts/cli/store-server/store-server.test.ts › stores a login for its address in a private file, and doctor signs in with it',
  'tests/core/store/remote/connection.test.ts › accepts the right password, and rejects a wrong or missing password and an invalid token',
  'tests/core/store/remote/connection.test.ts › rejects a local backup of a remote store, with the export command',
])(
  'the command line works with a store on a server: login, run, doctor, backup error and removal',
  { timeout: 60_000 },
  async () => {
    const [{ inProcess }, { machine }] = await Promise.all([
      import('../../support/engine.ts'),
      import('../../support/process.ts'),
    ]);
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
  },
);

test('stores a login for its address in a private file, and doctor signs in with it', async () => {
  const server = await startStoreServer({ closed: true });
  onTestFinished(() => server.close());
  await server.query(`DEFINE USER ada ON DATABASE PASSWORD ' hunter2 "é ' ROLES EDITOR`);
  const home = await testFolder();
  const env = { TRIAD_HOME: home, TRIAD_STORE: server.url };
  const keep = async (options: string[], stdin = ' hunter2 "é \r\n', given = env) => {
    const triad = commandLine(memoryClient(), { stdin, env: given });
    const { code, err } = await triad('config', 'key', 'store', ...options);
    return `${code} ${err}`;
  };
  expect(await keep(['--user', 'ada'], 'hunter2', { ...env, TRIAD_STORE: '' })).toMatch(
    /^2 triad: Set TRIAD_STORE to wss:/,
  );
  expect(await keep([])).toMatch(/^2 .*--user NAME/);
  expect(await keep(['--user', 'ada', '--token'])).toMatch(/^2 .*--user NAME/);
  expect(await keep(['--user', 'ada'], ' \n')).toMatch(/^2 .*nothing in it/);
  const folders = { config: home, data: home };
  const signal = AbortSignal.timeout(30_000);
  const look = () => checkStoreServer(folders, env, signal);
  expect(await checkStoreServer(folders, { TRIAD_STORE: 'mem://' }, signal)).toEqual([]);
  expect(await look()).toMatchObject([
    {
      name: 'store server',
      state: 'problem',
      text: expect.stringMatching(
        /cannot be used \(Sign in first\): .*"triad config key store --user NAME < FILE"$/,
      ) as string,
    },
  ]);

  expect(await keep(['--user', 'ada'])).toMatch(
    new RegExp(`^0 The password of ada is kept in ${home}/secrets.json and sent to ${server.url} only\\.\\n$`),
  );
  expect((await stat(`${home}/secrets.json`)).mode & 0o777).toBe(0o600);
  expect(await look()).toEqual([
    {
      name: 'store server',
      state: 'ok',
      text: expect.stringMatching(/^ws:\S+, SurrealDB 3\.\S+, answers in .*; nobody holds the lease$/) as string,
      advice: null,
    },
  ]);
  await server.query(
    "CREATE lease:owner SET epoch = 1, op = 'a', process = 'p', name = 'ada on laptop (pid 1)', since = time::now(), until = time::now() + 1m",
  );
  expect((await look())[0]?.text).toMatch(/; the lease is held by ada on laptop \(pid 1\) since 2\S+Z$/);
  await server.query('UPDATE lease:owner SET until = time::now()');
  expect((await look())[0]?.text).toMatch(/; nobody holds the lease$/);
  expect(await keep(['--remove'])).toContain('No login');
  expect(await readFile(`${home}/secrets.json`, 'utf8')).not.toContain('hunter2');
});

/** `triad config`: values by path, changes through the program, and a file that is checked line by line. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { SettingRow } from '#contract/view.ts';
import { main } from '#hosts/cli/program.ts';
import { memoryClient } from '../../support/memory-client.ts';
import { memoryIo } from '../../support/memory-io.ts';

const row = (rest: Partial<SettingRow>): SettingRow => ({
  path: 'limits.max_concurrent',
  kind: 'integer',
  description: 'At the same time.',
  value: 3,
  default: 3,
  min: 1,
  max: 3,
  choices: null,
  ...rest,
});
const rows = () => [
  row({}),
  row({
    path: 'models.default',
    kind: 'text',
    description: 'Which model.',
    value: 'opus',
    default: 'sonnet',
  }),
  row({
    path: 'providers.active',
    kind: 'choice',
    description: 'Who answers.',
    min: null,
    max: null,
    value: 'demo',
    default: 'demo',
    choices: ['anthropic', 'demo'],
  }),
];

async function triad(args: string[], env = {}) {
  const client = memoryClient({
    'settings.list': rows,
    'settings.set': ({ path, value }) => rows().map((one) => (one.path === path ? { ...one, value } : one)),
  });
  const io = memoryIo({ client, env });
  const code = await main(['config', ...args], io);
  await io.screen.flush();
  const set = client.requests.filter(({ method }) => method === 'settings.set').map(({ input }) => input);
  return { code, out: io.out(), err: io.err(), set };
}

test('one value is printed alone, a group and all as a table', async () => {
  expect(await triad(['get', 'models.default'])).toMatchObject({ code: 0, out: 'opus\n' });
  expect((await triad(['get', 'limits'])).out).toBe(
    'SETTING                VALUE  WHAT IT IS\nlimits.max_concurrent  3      At the same time.\n',
  );
  expect((await triad(['get'])).out).toContain('models.default         opus *  Which model.\n');
  expect(JSON.parse((await triad(['get', '--json'])).out)).toEqual(rows());
});

test('a value is what its setting says: a number, a text; without one the default comes back', async () => {
  const number = await triad(['set', 'limits.max_concurrent', '2']);
  expect(number).toMatchObject({ code: 0, err: 'limits.max_concurrent is 2 from now on.\n' });
  expect(number.set).toEqual([{ path: 'limits.max_concurrent', value: 2 }]);
  expect((await triad(['set', 'models.default', '2'])).set).toEqual([{ path: 'models.default', value: '2' }]);
  expect((await triad(['set', 'models.default'])).set).toEqual([{ path: 'models.default', value: null }]);
});

test('a wrong path or value is one line, and changes nothing', async () => {
  expect(await triad(['set', 'limits.max_concurent', '2'])).toEqual({
    code: 2,
    out: '',
    set: [],
    err: 'triad: limits.max_concurent is not a setting (did you mean limits.max_concurrent?): see "triad config get"\n',
  });
  expect(await triad(['set', 'limits.max_concurrent', 'two'])).toMatchObject({
    code: 2,
    set: [],
    err: 'triad: limits.max_concurrent is a number, not "two"\n',
  });
  expect(await triad(['set', 'providers.active', 'foo'])).toMatchObject({
    code: 2,
    set: [],
    err: 'triad: providers.active must be anthropic or demo, not "foo"\n',
  });
  expect((await triad(['get', 'nothing.like.it'])).code).toBe(2);
});

test('what is more than one value is named, with the place where it is written', async () => {
  const home = await mkdtemp(join(tmpdir(), 'triad-config-'));
  onTestFinished(() => rm(home, { recursive: true, force: true }));
  const [env, file] = [{ TRIAD_HOME: home }, join(home, 'config.toml')];
  for (const list of ['permissions.always_ask', 'permissions.secret_files', 'permissions.rules']) {
    const expected = { code: 2, out: '', set: [], err: `triad: ${list} is a list: it is written in ${file}\n` };
    expect(await triad(['set', list, 'x'], env)).toEqual(expected);
    expect(await triad(['set', `${list}.0`, 'x'], env)).toEqual(expected);
    expect(await triad(['get', list], env)).toEqual(expected);
  }
  const group = 'triad: limits.run is a group of settings: see "triad config get limits.run"\n';
  expect(await triad(['set', 'limits.run', '3'], env)).toMatchObject({ code: 2, set: [], err: group });
});

test('the file is checked without the program', async () => {
  const home = await mkdtemp(join(tmpdir(), 'triad-config-'));
  onTestFinished(() => rm(home, { recursive: true, force: true }));
  const env = { TRIAD_HOME: home };
  const file = join(home, 'config.toml');
  expect(await triad(['validate'], env)).toMatchObject({
    code: 0,
    out: '',
    err: `There is no ${file}: all settings have their defaults.\n`,
  });
  await writeFile(file, '[limits]\nmax_concurrent = 2\n');
  expect((await triad(['validate'], env)).err).toBe(`${file} is valid.\n`);
  await writeFile(file, '[limits]\nmax_concurrent = 99\nmax_concurent = 1\n');
  const broken = await triad(['validate'], env);
  expect(broken.code).toBe(1);
  expect(broken.out).toContain(`${file}:2: limits.max_concurrent must be at most 3, not 99\n`);
  expect(broken.out).toContain('(did you mean limits.max_concurrent?)');
  const json = JSON.parse((await triad(['validate', '--json'], env)).out) as unknown;
  expect(json).toMatchObject({ file, ok: false, problems: [{ line: 2 }, { line: 3 }] });
});

/** `triad changes`: what agents changed in files, by run and file, and undoing it; and where else that is told. */
import { join } from 'node:path';
import { readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { Script, text, toolUse } from '../../../support/fake-model/script.ts';
import { filesBelow } from '../../../support/session-files.ts';
import { inProcess } from '../../support/engine.ts';
import { machine } from '../../support/process.ts';
import { fullTest } from '../../../support/samples.ts';

/** A session in which the lead has replaced `a.txt`, made `b.txt`, and tried two files that hold keys. */
async function written() {
  const script = new Script()
    .on({ step: 1 })
    .reply([
      toolUse('write_file', { path: 'a.txt', content: 'after' }),
      toolUse('write_file', { path: 'b.txt', content: 'made' }),
      toolUse('write_file', { path: '.env', content: 'KEY=1' }),
      toolUse('read_file', { path: 'keys.vault' }),
    ])
    .on({})
    .reply([text('Done.')]);
  const home = await machine(script);
  await writeFile(join(home.home, 'config.toml'), '[permissions]\nsecret_files = ["*.vault"]\n');
  await writeFile(join(home.folder, 'keys.vault'), 'key');
  const file = join(home.folder, 'a.txt');
  await writeFile(file, 'before');
  const triad = inProcess(home, 'kept');
  expect((await triad(['run', '--approve', 'all', 'Write'])).code).toBe(0);
  const [{ id = '' } = {}] = JSON.parse((await triad(['sessions', 'list', '--json'])).out) as { id: string }[];
  const [{ runId: run = '' } = {}] = JSON.parse((await triad(['changes', '--json'])).out) as { runId: string }[];
  const changes = (...more: string[]) => triad(['changes', run, ...more]);
  const sessions = async (name: string, ...more: string[]) => (await triad(['sessions', name, id, ...more])).out;
  return { ...home, triad, file, id, run, changes, sessions };
}

test('lists a run with its files, shows each call, undoes the run and redoes it', async () => {
  const { file, folder, run, triad, changes } = await written();
  const listed = await triad(['changes']);
  expect(listed.out).toMatch(
    new RegExp(`^• lead · \\S+ \\S+ · ${run}\n {2}“Write”\n {2}changed {2}a\\.txt\n {2}made {5}b\\.txt\n$`),
  );
  expect(listed.err).toContain('triad changes --undo RUN');
  expect((await triad(['changes'], '', { folder: join(folder, '..') })).err).toMatch(
    /^No agent has changed a file in /,
  );
  const shown = await changes();
  expect(shown.out.replace(/ · .*/g, '')).toBe(
    '• lead\n  1  write_file\n     changed  a.txt  +1 -1\n  2  write_file\n     made     b.txt  +1 -0\n',
  );
  expect(shown.err).toBe(`To undo it: triad changes --undo ${run}; with --call NUMBER or --file PATH only that\n`);
  expect((await changes('--diff', '--file', 'a.txt')).out).toContain(
    '       @@ -1,1 +1,1 @@\n       -before\n       \\ No newline at end of file\n       +after\n',
  );

  expect(await triad(['changes', '--undo', run])).toEqual({
    code: 0,
    out: 'removed   b.txt, which it had made\nput back  a.txt\n',
    err: `To take that back: triad changes --redo ${run}\n`,
  });
  expect(await readFile(file, 'utf8')).toBe('before');
  expect((await readdir(folder)).includes('b.txt')).toBe(false);
  expect((await triad(['changes'])).out.replace(/ · .*/g, '')).toBe(
    '↶ lead\n  “Write”\n  changed  a.txt, undone\n  made     b.txt, undone\n',
  );
  expect(await triad(['changes', '--undo', run])).toEqual({
    code: 0,
    out: 'already   b.txt: nothing was to be done\nalready   a.txt: nothing was to be done\n',
    err: '',
  });
  expect(await triad(['changes', '--redo', run])).toEqual({
    code: 0,
    out: 'redone    b.txt\nredone    a.txt\n',
    err: `To take that back: triad changes --undo ${run}\n`,
  });
  expect(await readFile(file, 'utf8')).toBe('after');
});

test('undoes one file or one call alone, and accepts the session id for its only run', async () => {
  const { file, folder, id, run, triad, sessions } = await written();
  const undo = (...more: string[]) => triad(['changes', '--undo', id, ...more]);
  expect(await undo('--file', join(folder, 'b.txt'))).toMatchObject({
    code: 0,
    out: 'removed   b.txt, which it had made\n',
    err: expect.stringContaining(`--redo ${run} --file ${join(folder, 'b.txt')}\n`) as string,
  });
  expect(await readFile(file, 'utf8')).toBe('after');
  expect((await undo('--call', '1')).out).toBe('put back  a.txt\n');
  expect(await readFile(file, 'utf8')).toBe('before');
  const json = JSON.parse((await triad(['changes', '--json'])).out) as unknown;
  expect(json).toMatchObject([
    {
      conversationId: id,
      runId: run,
      agent: 'lead',
      folder,
      calls: [
        { number: 1, tool: 'write_file', files: [{ path: 'a.txt', state: 'undone', kept: false }], notKept: [] },
        { number: 2, tool: 'write_file', files: [{ path: 'b.txt', state: 'undone', before: null }] },
      ],
    },
  ]);
  for (const [words, why] of [
    [['--call', '3'], `There is no call 3 in run ${run}: it has 2 that changed something`],
    [['--file', 'c.txt'], `Run ${run} changed no file c.txt there: see "triad changes ${run}"`],
  ] as const)
    expect(await undo(...words)).toMatchObject({ code: 2, out: '', err: `triad: ${why}\n` });

  expect(await sessions('show')).toMatch(/\n {2}lead wrote a\.txt · undone \S+ \S+ by you\n/);
  expect(await sessions('export')).toMatch(/\n- Wrote: `a\.txt`, undone by person at \S+\n/);
  const trace = await sessions('trace');
  expect(trace).toMatch(/↶ a\.txt – undone by person/);
  expect(trace).toContain('✗ write_file – refused: .env usually holds keys or passwords');
});

fullTest([
  'tests/hosts/cli/commands/change-ids.test.ts › a file in the way is listed, and --leave reverts the other files',
  'tests/core/runs/undo.test.ts › undo never overwrites a file that changed since, and counts a created file deleted since as undone',
])('a file in the way prevents the whole undo, unless --leave is used', async () => {
  const { file, folder, run, triad } = await written();
  const undo = (...more: string[]) => triad(['changes', '--undo', run, ...more]);
  await writeFile(file, 'mine');
  const refused = await undo();
  const words =
    /^With --leave the other file is undone, .*\ntriad: a\.txt: what was changed since is in the way\. Nothing was undone; what it held before is kept in (.+)\n$/;
  expect(refused).toMatchObject({ code: 1, out: '', err: expect.stringMatching(words) as string });
  expect(await readFile(words.exec(refused.err)?.[1] ?? '', 'utf8')).toBe('before');
  expect(await readFile(join(folder, 'b.txt'), 'utf8')).toBe('made');
  const json = await undo('--json');
  expect([json.code, JSON.parse(json.out)]).toMatchObject([
    1,
    { runId: run, redo: false, done: false, files: [{ outcome: 'put_back' }, { path: 'a.txt', outcome: 'conflict' }] },
  ]);
  await writeFile(join(folder, 'b.txt'), 'mine too');
  expect((await undo()).err).toMatch(
    /^in the way {2}b\.txt: It was changed since it was made\nin the way {2}a\.txt: What was changed since is in the way\ntriad: /,
  );
  expect(await undo('--leave')).toMatchObject({
    code: 1,
    err: 'triad: Nothing was undone: all of it is in the way\n',
  });
  await writeFile(join(folder, 'b.txt'), 'made');
  expect(await undo('--leave')).toMatchObject({
    code: 0,
    out: 'removed   b.txt, which it had made\nleft      a.txt: What was changed since is in the way\n',
  });
  expect(await readFile(file, 'utf8')).toBe('mine');
});

test('undoes nothing if the folder is missing or the session is in the trash', async () => {
  const { folder, id, run, triad, changes } = await written();
  await rename(folder, `${folder}-moved`);
  expect((await changes()).out).toContain('b.txt, whose folder is not there any more');
  const undo = () => triad(['changes', '--undo', run]);
  expect(await undo()).toMatchObject({ code: 1, err: `triad: The folder ${folder} is not there any more\n` });
  await rename(`${folder}-moved`, folder);
  await triad(['sessions', 'delete', id]);
  expect(await undo()).toMatchObject({
    code: 1,
    err: 'triad: This conversation is in the trash: restore it first\n',
  });
  expect((await triad(['changes'])).out).toBe('');
});

fullTest([
  'tests/hosts/cli/commands/changes.test.ts › undoes one file or one call alone, and accepts the session id for its only run',
  'tests/core/host/records/sessions/pages.test.ts › lists the files written by the run with each undo, but not the files of other runs',
])(
  'show, trace, export and the session file contain each write, undo and redo, and the trace each refusal',
  async () => {
    const { home, run, triad, sessions } = await written();
    const files = async () => Object.values(await filesBelow(join(home, 'sessions'))).join('\n');
    // What the end of the work has written is on disk: nothing but an undo changes it now.
    await expect.poll(() => readdir(join(home, 'sessions-behind'))).toEqual([]);
    expect(await files()).toMatch(/^- `write_file` `[^`]*`: completed, \S+ s, wrote `a\.txt`\n.* wrote `b\.txt`$/m);
    // What was refused before anybody was asked stands in the trace, with why.
    const why = (path: string): string =>
      `${path} usually holds keys or passwords of applications that read .env files: tools neither read nor write it`;
    const trace = await sessions('trace');
    expect(trace).toContain(`✗ write_file – refused: ${why('.env')}\n`);
    expect(trace).toMatch(/✗ read_file – refused: keys\.vault is in permissions\.secret_files \(.*config\.toml:2\): /);
    expect(trace.match(/refused/g)).toHaveLength(2);
    expect(await sessions('trace', '--json')).toContain(`"refusal": "${why('.env')}"`);

    for (const how of ['--undo', '--redo', '--undo']) await triad(['changes', how, run, '--call', '1']);
    await triad(['changes', '--undo', run, '--call', '2']);
    await triad(['changes', '--redo', run, '--call', '2']);

    const { workflows } = JSON.parse(await sessions('trace', '--json')) as {
      workflows: { runs: { undos: { at: string; toolCallId: string }[]; toolCalls: object[] }[] }[];
    };
    const { undos = [], toolCalls = [] } = workflows[0]?.runs[0] ?? {};
    const fact = (path: string, undone: boolean): object => ({ path, undone, by: 'person' });
    expect(undos).toMatchObject([
      fact('a.txt', true),
      fact('a.txt', false),
      fact('a.txt', true),
      fact('b.txt', true),
      fact('b.txt', false),
    ]);
    expect(toolCalls).toMatchObject([{ wrote: 'a.txt' }, { wrote: 'b.txt' }, { wrote: null }, { wrote: null }]);
    expect((await sessions('trace')).match(/^ +[↶↷] .*$/gm)?.map((line) => line.trim().replace(/ · .*/, ''))).toEqual([
      '↶ a.txt – undone by person',
      '↷ a.txt – written again by person',
      '↶ a.txt – undone by person',
      '↶ b.txt – undone by person',
      '↷ b.txt – written again by person',
    ]);
    expect(await sessions('show')).toMatch(
      /\n {2}lead wrote a\.txt · undone \S+ \S+ by you\n {2}lead wrote b\.txt · written again \S+ \S+ by you\n/,
    );

    const words = ['undone', 'written again', 'undone'].map((what, n) => `${what} by person at ${undos[n]?.at}`);
    const line = ['`a.txt`', ...words].join(', ');
    expect(await sessions('export')).toContain(`\n- Wrote: ${line}\n`);
    const stored = JSON.parse(await sessions('export', '--format', 'json')) as {
      workflows: { runs: { calls: { undos: unknown }[] }[] }[];
    };
    const stamped = (path: string, n: number, undone: boolean): object => ({ path, undone, at: undos[n]?.at });
    expect(stored.workflows[0]?.runs[0]?.calls[0]).toMatchObject({
      wrote: 'a.txt',
      undone: true,
      undos: [stamped('a.txt', 0, true), stamped('a.txt', 1, false), stamped('a.txt', 2, true)],
    });
    await expect.poll(files).toContain(`, wrote ${line}\n`);
  },
);

fullTest([
  'tests/hosts/cli/commands/sessions/moving.test.ts › rewind makes a session and undoes the files in one request, and a file in the way prevents both',
  'tests/core/workflows/rewind.test.ts › rewinding also leaves out later messages, and a conflict prevents both the undo and the fork',
])('rewind makes a session that ends before a message and undoes its files, and --again redoes them', async () => {
  const { home, file, id, triad, sessions } = await written();
  // What the end of the work has written is on disk: nothing but going back changes it now.
  await expect.poll(() => readdir(join(home, 'sessions-behind'))).toEqual([]);
  const { workflows } = JSON.parse(await sessions('show', '--json')) as { workflows: { id: string }[] };
  const [{ id: workflow = '' } = {}] = workflows;
  const rewind = (...more: string[]) => triad(['sessions', 'rewind', id, workflow, ...more]);
  expect((await triad(['sessions', 'rewind', id, 'f0f0f0', '--files'])).code).toBe(2);
  const count = async () => (JSON.parse((await triad(['sessions', 'list', '--json'])).out) as unknown[]).length;
  const before = await count();

  await writeFile(file, 'mine');
  const refused = await rewind();
  expect(refused.code).toBe(1);
  expect(refused.err).toContain('With --leave the other file is undone');
  expect(await count(), 'neither is done').toBe(before);
  await writeFile(file, 'after');

  const { code, out } = await rewind();
  const [, made = ''] = /^removed {3}b\.txt, which it had made\nput back {2}a\.txt\n(\S+)\n$/.exec(out) ?? [];
  expect([code, made]).toEqual([0, expect.stringMatching(/^[0-9a-f-]{36}$/)]);
  expect(await readFile(file, 'utf8')).toBe('before');
  expect((await triad(['sessions', 'show', made])).out).toContain(`Forked from session ${id}`);
  expect(await sessions('show')).toContain(`Forked before this: session ${made}`);
  const again = await rewind('--files', '--again', '--json');
  expect(JSON.parse(again.out)).toEqual({
    conversationId: id,
    workflowId: workflow,
    again: true,
    files: expect.arrayContaining([{ path: 'a.txt', outcome: 'put_back' }]) as unknown[],
  });
  expect(await readFile(file, 'utf8')).toBe('after');
});

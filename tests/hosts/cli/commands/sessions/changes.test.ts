/** `triad sessions changes`: what agents wrote to files, numbered and undone by number; and where else that is told. */
import { join } from 'node:path';
import { readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { Script, text, toolUse } from '../../../../support/fake-model/script.ts';
import { filesBelow } from '../../../../support/session-files.ts';
import { inProcess } from '../../../support/engine.ts';
import { machine } from '../../../support/process.ts';

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
  const triad = inProcess(home, 'disk');
  expect((await triad(['run', '--approve', 'all', 'Write'])).code).toBe(0);
  const [{ id = '' } = {}] = JSON.parse((await triad(['sessions', 'list', '--json'])).out) as { id: string }[];
  const command = `triad sessions changes ${id}`;
  const changes = (...more: string[]) => triad(['sessions', 'changes', id, ...more]);
  const sessions = async (name: string, ...more: string[]) => (await triad(['sessions', name, id, ...more])).out;
  return { ...home, triad, file, id, command, changes, sessions };
}

test('two writes are listed, undone and done again, and each time it is said', async () => {
  const { file, command, changes } = await written();
  const listed = await changes();
  expect(listed.out).toMatch(
    /^ {2}1 {2}\S+ \S+ {2}lead replaced a\.txt {2}\(.*\)\n {2}2 {2}.* lead made b\.txt {2}\(.*\)\n$/,
  );
  const canUndo = `To put back what was there before one of them: ${command} --undo NUMBER\n`;
  const canRedo = `To write again what was undone: ${command} --redo NUMBER\n`;
  expect(listed.err).toBe(canUndo);

  const undone = await changes('--undo', '1');
  expect(undone.out).toContain('a.txt, undone');
  expect(undone.err).toBe(`Put back a.txt as it was before write 1. To write it again: ${command} --redo 1\n`);
  expect(await readFile(file, 'utf8')).toBe('before');
  expect((await changes()).err).toBe(canUndo + canRedo);
  expect((await changes('--undo', '1')).err).toBe('a.txt is already as it was before write 1.\n');
  expect((await changes('--undo', '2')).err).toBe(
    `Removed b.txt, which write 2 had made. To write it again: ${command} --redo 2\n`,
  );
  expect((await changes()).err).toBe(canRedo);

  const redone = await changes('--redo', '1');
  expect(redone.out).not.toContain('a.txt, undone');
  expect(redone.err).toBe(`Wrote a.txt again as in write 1. To undo it: ${command} --undo 1\n`);
  expect(await readFile(file, 'utf8')).toBe('after');
  expect((await changes('--redo', '1')).err).toBe('a.txt is already as write 1 left it.\n');
});

test('what cannot be undone is said: no such number, changed since, no folder, in the trash', async () => {
  const { folder, file, id, triad, changes } = await written();
  expect(await changes('--undo', '3')).toMatchObject({
    code: 2,
    err: 'triad: There is no write 3 in this session: it has 2\n',
  });
  await writeFile(file, 'mine');
  const changed = await changes('--undo', '1');
  expect(changed.code).toBe(1);
  const [, kept = ''] =
    /^triad: a\.txt: what was changed since is in the way\. Nothing was undone; what it held before is kept in (.+)\n$/.exec(
      changed.err,
    ) ?? [];
  expect(await readFile(kept, 'utf8')).toBe('before');
  const states = JSON.parse((await changes('--json')).out) as { path: string; state: string }[];
  expect(states.map(({ path, state }) => [path, state])).toEqual([
    ['a.txt', 'changed'],
    ['b.txt', 'done'],
  ]);

  await rename(folder, `${folder}-moved`);
  expect((await changes()).out).toContain('b.txt, whose folder is not there any more');
  expect((await changes('--undo', '2')).err).toBe(`triad: The folder ${folder} is not there any more\n`);
  await rename(`${folder}-moved`, folder);
  await triad(['sessions', 'delete', id]);
  expect(await changes('--undo', '2')).toMatchObject({
    code: 1,
    err: 'triad: This conversation is in the trash: restore it first\n',
  });
});

test('every record says what was written, and each time that it was undone or written again', async () => {
  const { home, changes, sessions } = await written();
  const files = async () => Object.values(await filesBelow(join(home, 'sessions'))).join('\n');
  // What the end of the work has written is on disk: nothing but an undo changes it now.
  await expect.poll(() => readdir(join(home, 'sessions-behind'))).toEqual([]);
  expect(await files()).toMatch(/^- `write_file`: completed, \S+ s, wrote `a\.txt`\n.* wrote `b\.txt`$/m);
  for (const how of ['--undo', '--redo', '--undo']) await changes(how, '1');
  await changes('--undo', '2');
  await changes('--redo', '2');

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
});

test('what was refused before anybody was asked stands in the trace, with why', async () => {
  const { sessions } = await written();
  const why = (path: string): string => `${path} usually holds keys or passwords: tools neither read nor write it`;
  const trace = await sessions('trace');
  expect(trace).toContain(`✗ write_file – refused: ${why('.env')}\n`);
  expect(trace).toMatch(/✗ read_file – refused: keys\.vault is in permissions\.secret_files \(.*config\.toml:2\): /);
  expect(trace.match(/refused/g)).toHaveLength(2);
  expect(await sessions('trace', '--json')).toContain(`"refusal": "${why('.env')}"`);
});

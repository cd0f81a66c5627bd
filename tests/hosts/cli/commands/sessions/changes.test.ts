/** `triad sessions changes`: what agents wrote to files, numbered, and undone by number. */
import { join } from 'node:path';
import { readFile, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { Script, text, toolUse } from '../../../../support/fake-model/script.ts';
import { inProcess } from '../../../support/engine.ts';
import { machine } from '../../../support/process.ts';

test('two writes are listed, one is undone and done again, and a number that is none is bad usage', async () => {
  const script = new Script()
    .on({ step: 1 })
    .reply([
      toolUse('write_file', { path: 'a.txt', content: 'after' }),
      toolUse('write_file', { path: 'b.txt', content: 'made' }),
    ])
    .on({})
    .reply([text('Done.')]);
  const home = await machine(script);
  const file = join(home.folder, 'a.txt');
  await writeFile(file, 'before');
  const triad = inProcess(home, 'disk');
  expect((await triad(['run', '--approve', 'all', 'Write'])).code).toBe(0);
  const [{ id = '' } = {}] = JSON.parse((await triad(['sessions', 'list', '--json'])).out) as { id: string }[];
  const changes = (...more: string[]) => triad(['sessions', 'changes', id, ...more]);

  const listed = await changes();
  expect(listed.out).toMatch(
    /^ {2}1 {2}\S+ \S+ {2}lead replaced a\.txt {2}\(.*\)\n {2}2 {2}.* lead made b\.txt {2}\(.*\)\n$/,
  );
  expect(listed.err).toBe(
    `To put back what was there before one of them: triad sessions changes ${id} --undo NUMBER\n`,
  );
  expect((await changes('--undo', '1')).out).toContain('a.txt, undone');
  expect(await readFile(file, 'utf8')).toBe('before');
  expect((await changes('--redo', '1')).out).not.toContain('undone');
  expect(await readFile(file, 'utf8')).toBe('after');

  expect(await changes('--undo', '3')).toMatchObject({
    code: 2,
    err: 'triad: There is no write 3 in this session: it has 2\n',
  });
  await writeFile(file, 'mine');
  expect(await changes('--undo', '1')).toMatchObject({
    code: 1,
    err: 'triad: a.txt was changed since: nothing was undone\n',
  });
  const states = JSON.parse((await changes('--json')).out) as { path: string; state: string }[];
  expect(states.map(({ path, state }) => [path, state])).toEqual([
    ['a.txt', 'changed'],
    ['b.txt', 'done'],
  ]);
});

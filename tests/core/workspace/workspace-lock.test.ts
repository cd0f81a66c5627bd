/** One at a time changes a folder, or one within it; whoever stops waiting keeps nobody else from it. */
import { expect, test } from 'vitest';
import { WorkspaceLock } from '#core/workspace/workspace-lock.ts';

const signal = new AbortController().signal;

test('runs work on nested folders one at a time in the order of the requests, and elsewhere at once', async () => {
  const lock = new WorkspaceLock();
  const said: string[] = [];
  const hold = Promise.withResolvers<void>();
  const held = (name: string, until?: Promise<void>) => async () => {
    said.push(name);
    await until;
    said.push(`${name} done`);
  };
  const all = [
    lock.alone('/a', signal, held('outer', hold.promise)),
    lock.alone('/a/b', signal, held('inner')),
    lock.alone('/a', signal, held('again')),
  ];
  await lock.alone('/ab', signal, held('elsewhere'));
  expect(said).toEqual(['outer', 'elsewhere', 'elsewhere done']);
  expect(lock.isTaken('/a/b/c')).toBe(true);
  hold.resolve();
  await Promise.all(all);
  expect(said.slice(3)).toEqual(['outer done', 'inner', 'inner done', 'again', 'again done']);
  expect(lock.isTaken('/a')).toBe(false);
});

test('aborted work does not run, and later work still waits for earlier work', async () => {
  const lock = new WorkspaceLock();
  const hold = Promise.withResolvers<string>();
  const first = lock.alone('/a', signal, () => hold.promise);
  const stop = new AbortController();
  let ran = 0;
  const second = lock.alone('/a', stop.signal, () => Promise.resolve((ran += 1)));
  const third = lock.alone('/a', signal, () => Promise.resolve((ran += 10)));
  stop.abort();
  await expect(second).rejects.toThrow('Stopped');
  expect(ran).toBe(0);
  hold.resolve('first');
  expect(await Promise.all([first, third])).toEqual(['first', 10]);
});

test('releases the lock when the work fails', async () => {
  const lock = new WorkspaceLock();
  await expect(lock.alone('/a', signal, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await lock.alone('/a', signal, () => Promise.resolve('yes'))).toBe('yes');
});

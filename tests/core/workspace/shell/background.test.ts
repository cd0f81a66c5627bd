/** Commands that go on after their call: seen, read, ended, and never more than the limit. */
import { describe, expect, test } from 'vitest';
import { Stopped } from '#core/base/stop.ts';
import { BackgroundCommands } from '#core/workspace/shell/background.ts';
import { eventually } from '../../../support/eventually.ts';
import { inFullRun } from '../../../support/samples.ts';
import { folderWith } from '../../../support/workspace.ts';
import { BOTH, processesWith, shellIn, uniqueSleep } from './support.ts';

describe.for(BOTH)('%s', ([, box]) => {
  // What the way of its start changes nothing of is tried in one of them.
  const testOnce = test.runIf(inFullRun || box === BOTH.at(-1)?.[1]);

  async function commands(limit = 8, signal: AbortSignal = new AbortController().signal) {
    const shell = await shellIn({ sandbox: box });
    const held = new BackgroundCommands(await folderWith(), limit, signal, () => 1234);
    return { held, start: (command: string) => held.start({ ...shell, command }) };
  }

  testOnce('output of a running background command can be read from the position of the last read', async () => {
    const { held, start } = await commands();
    const id = start(`echo one€; while [ ! -e go ]; do sleep 0.02; done; printf 'two\\xe2'; exit 3`);
    await eventually(async () => expect((await held.read(id, 0, 100)).text).toBe('one€\n'));
    // Half of a character is left for the next reading.
    const first = await held.read(id, 0, 5);
    expect(first).toEqual({ text: 'one', before: '', cursor: 3, more: 4, unkept: 0, isRunning: true });
    expect(held.list()).toMatchObject([{ id, isRunning: true, exitCode: null, startedAt: 1234, bytes: 7 }]);
    start('touch go');
    await eventually(() => expect(held.list()[0]).toMatchObject({ isRunning: false, exitCode: 3, bytes: 11 }));
    const rest = { text: '€\ntwo�', before: 'one', cursor: 11, more: 0, unkept: 0, isRunning: false };
    expect(await held.read(id, 3, 100)).toEqual(rest);
  });

  testOnce(
    'rejects a background command above the limit, and killing a command ends its processes and frees a slot',
    async () => {
      const { held, start } = await commands(2);
      const seconds = uniqueSleep();
      const id = start(`trap '' TERM; (setsid sleep ${seconds} &); sleep ${seconds}; sleep ${seconds}`);
      start('sleep 100');
      expect(() => start('true')).toThrow(expect.objectContaining({ code: 'limit_reached' }) as Error);
      await eventually(async () => expect((await processesWith(`sleep\0${seconds}`)).length).toBe(2));
      expect(await held.kill(id)).toMatchObject({ id, isRunning: false, isStopped: true });
      expect(await processesWith(seconds)).toEqual([]);
      start('true');
      await expect(held.kill('command-9')).rejects.toMatchObject({ code: 'not_found' });
      expect((await held.end()).map((one) => one.id)).toContain('command-2');
    },
  );

  test('all background commands end with their run, and a later start is rejected', async () => {
    const controller = new AbortController();
    const { held, start } = await commands(8, controller.signal);
    const seconds = uniqueSleep();
    for (let count = 0; count < 3; count += 1) start(`sleep ${seconds}`);
    await eventually(async () => expect((await processesWith(`sleep\0${seconds}`)).length).toBe(3));
    controller.abort(new Stopped('user'));
    await held.end();
    expect(await processesWith(seconds)).toEqual([]);
    expect(() => start('true')).toThrow(expect.objectContaining({ code: 'conflict' }) as Error);
    expect(held.list().every(({ isRunning, isStopped }) => !isRunning && isStopped)).toBe(true);
  });
});

test('a background command that cannot start reports the reason', async () => {
  const shell = await shellIn();
  const held = new BackgroundCommands('/no/such/folder', 8, new AbortController().signal, Date.now);
  held.start({ ...shell, command: 'true' });
  await eventually(() => expect(held.list()[0]).toMatchObject({ isRunning: false, exitCode: null }));
  expect(held.list()[0]?.failure).toContain('/no/such/folder');
});

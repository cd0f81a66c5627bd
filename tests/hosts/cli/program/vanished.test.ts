/** The folder of the store is moved or deleted while the program works: it stops and says so, instead of going on into nothing. */
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { plainAnswer } from '../../../support/fake-model/scenarios.ts';
import { Gate } from '../../../support/gate.ts';
import { folderWith } from '../../../support/workspace.ts';
import { inProcess } from '../../support/engine.ts';
import { machine } from '../../support/process.ts';
import { fullTest } from '../../../support/samples.ts';

const LINE = /^triad: The folder of the store is gone, so all work was stopped: put .*store back, or restore a backup/m;

fullTest([
  'tests/core/store/opening/folder-watch.test.ts › reports a store folder that was moved or deleted',
  'tests/hosts/cli/commands/run.test.ts › a history that cannot be written ends the command with the reason (%i)',
])('a store folder moved during a run ends it with one line and code 1, and its data can be opened later', async () => {
  const gate = new Gate();
  const home = await machine(plainAnswer({ reply: { hold: gate.at(3) } }));
  const store = join(home.home, 'store');
  let out = () => '';
  const watch = (written: () => string) => void (out = written);
  const running = inProcess(home, 'disk')(['run', '--approve', 'none', 'Say hello'], '', { watch });
  await expect.poll(() => out()).not.toBe('');
  await rename(store, `${store}-elsewhere`);
  const { code, err } = await running;
  expect(code).toBe(1);
  expect(err.match(/is gone/g)).toHaveLength(1);
  expect(err).toMatch(LINE);
  gate.open();
  // Put back where another home is: a process opens a folder once.
  const back = await folderWith({});
  await rename(`${store}-elsewhere`, join(back, 'store'));
  const list = await inProcess(home, 'disk')(['sessions', 'list'], '', { env: { TRIAD_HOME: back } });
  expect(list).toMatchObject({ code: 0, out: expect.stringContaining('interrupted') as string });
});

fullTest([
  'tests/core/store/opening/folder-watch.test.ts › reports a store folder that was moved or deleted',
  'tests/hosts/cli/commands/serve.test.ts › a history that cannot be written ends the server with the reason',
  'tests/core/store/opening/prepare.test.ts › warns about a store that was replaced by an empty one',
])('a store folder deleted while the app waits ends the app with that error', async () => {
  const home = await machine(plainAnswer());
  const { out, err, exit } = await home.app();
  await expect.poll(out).toContain('http');
  await rm(join(home.home, 'store'), { recursive: true });
  expect(await exit).toBe(1);
  expect(err()).toMatch(LINE);
  // The next start begins anew, and not without a word.
  const next = await home.triad(['sessions', 'list']);
  expect([next.code, next.err]).toEqual([
    0,
    expect.stringMatching(/^triad: The store in .*store is gone, so an empty one was made\./) as string,
  ]);
  expect((await inProcess(home, 'disk')(['sessions', 'list'])).err).not.toContain('is gone');
});

/** The log of the desktop: bounded whatever comes, without secrets, the oldest first. */
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { knowSecrets } from '#core/base/redact.ts';
import { DesktopLog } from '../../electron/desktop/desktop-log.ts';
import { folderWith } from '../support/workspace.ts';

async function logIn() {
  const folder = join(await folderWith(), 'desktop');
  const file = join(folder, 'desktop.log');
  return { folder, file, log: new DesktopLog(file) };
}

test('a flood of lines replaces the oldest lines, and the log stays within two files', async () => {
  const { folder, log } = await logIn();
  log.note('the very first');
  for (let n = 0; n < 60; n += 1) {
    for (let m = 0; m < 10; m += 1) log.note(`${n} ${'x'.repeat(5000)}`);
    await log.flush();
  }
  const sizes = await Promise.all((await readdir(folder)).map(async (name) => (await stat(join(folder, name))).size));
  expect(sizes).toHaveLength(2);
  expect(Math.max(...sizes)).toBeLessThan(600 * 1024);
  log.note('the very last');
  const text = await log.read();
  expect(text).not.toContain('the very first');
  expect(text.trimEnd()).toMatch(/^\d{4}-.*T.*Z /);
  expect(text.trimEnd()).toMatch(/ the very last$/);
});

test('the log goes on after a restart, is readable by the user only, and redacts secrets learnt later', async () => {
  const { file, log } = await logIn();
  knowSecrets('test', ['sesame-open-now']);
  onTestFinished(() => knowSecrets('test', []));
  log.note('a key: sesame-open-now\nand more');
  log.note('a word: learnt-much-later');
  await log.flush();
  expect(await readFile(file, 'utf8')).toMatch(/a key: \[redacted: known key\]\n {2}and more\n/);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  knowSecrets('test', ['learnt-much-later']);
  const next = new DesktopLog(file);
  next.note('anew');
  expect(await next.read()).toMatch(/\[redacted: known key\]\n.*a word: \[redacted: known key\]\n.*anew\n$/s);
});

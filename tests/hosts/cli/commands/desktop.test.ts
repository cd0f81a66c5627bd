/** `triad` alone: the desktop where a runtime is, else one line that says why not. */
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { runDesktop } from '#hosts/cli/commands/desktop/run-desktop.ts';
import { fetchDesktop, findDesktop, packedDesktop } from '#hosts/cli/commands/desktop/desktop-runtime.ts';
import { memoryClient } from '../../support/memory-client.ts';
import { type MemoryIo, memoryIo } from '../../support/memory-io.ts';
import { folderWith } from '../../../support/workspace.ts';

const never = new AbortController().signal;
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'triad-electron-'));
  onTestFinished(() => rm(folder, { recursive: true }));
});

/** A package `electron` whose installer is this program. */
async function packageWith(installer: string): Promise<string> {
  const electron = join(folder, 'package');
  await mkdir(electron);
  await writeFile(join(electron, 'install.js'), installer);
  return electron;
}

async function runtimeThat(script: string): Promise<string> {
  const dist = join(folder, 'dist');
  await mkdir(dist, { recursive: true });
  await writeFile(join(dist, 'electron'), `#!/bin/sh\n${script}\n`);
  await chmod(join(dist, 'electron'), 0o755);
  return dist;
}

const withRuntime = (dist: string): MemoryIo & { env: Record<string, string> } => ({
  ...memoryIo({ client: memoryClient() }),
  env: { ELECTRON_OVERRIDE_DIST_PATH: dist, PATH: process.env['PATH'] ?? '' },
});

test('finds the runtime in the configured folder, and reports a folder without one', async () => {
  const dist = await runtimeThat('exit 0');
  const env = { ELECTRON_OVERRIDE_DIST_PATH: dist };
  expect(await findDesktop(env, 'linux')).toEqual({ ok: true, path: join(dist, 'electron') });
  const wrong = await findDesktop({ ELECTRON_OVERRIDE_DIST_PATH: join(folder, 'nowhere') }, 'linux');
  expect(wrong).toMatchObject({
    ok: false,
    missing: false,
    reason: expect.stringContaining('nowhere') as unknown,
  });
});

test('allows fetching the runtime only where a screen and the electron package are there', async () => {
  const electron = await packageWith('');
  expect(await findDesktop({}, 'linux', electron)).toMatchObject({ ok: false, missing: false });
  expect(await findDesktop({ DISPLAY: ':0' }, 'linux', electron)).toMatchObject({ ok: false, missing: true });
  expect(await findDesktop({}, 'darwin', electron)).toMatchObject({ ok: false, missing: true });
  expect(await findDesktop({ DISPLAY: ':0' }, 'linux', folder)).toMatchObject({ ok: false, missing: false });
});

test('the installer of the package fetches the runtime, and its error message is reported', async () => {
  const electron = await packageWith(`
    const { mkdirSync, writeFileSync } = require('node:fs');
    mkdirSync(__dirname + '/dist'); writeFileSync(__dirname + '/dist/electron', '');`);
  expect(await fetchDesktop({}, 'linux', never, electron)).toEqual({
    ok: true,
    path: join(electron, 'dist', 'electron'),
  });
  await writeFile(join(electron, 'install.js'), `console.error('TypeError: fetch failed\\n    at x'); process.exit(1)`);
  expect(await fetchDesktop({}, 'linux', never, electron)).toMatchObject({
    ok: false,
    reason: 'it could not be fetched (fetch failed)',
  });
});

test('the runtime starts with the built main process, and its exit code is returned', async () => {
  const note = join(folder, 'note');
  const io = withRuntime(await runtimeThat(`printf '%s\\n%s' "$1" "$PWD" > ${note}; exit 0`));
  const ended = await runDesktop(io);
  expect(ended).toEqual({ ok: true, code: 0 });
  expect(await readFile(note, 'utf8')).toMatch(/dist\/electron\/main\.js\n/);
});

test('reports a runtime that cannot start', async () => {
  const io = withRuntime(await runtimeThat('exit 127'));
  expect(await runDesktop(io)).toEqual({ ok: false, reason: 'it ended at once (code 127)' });
});

test('passes an interrupt on to the runtime and waits for its end', async () => {
  const ready = join(folder, 'ready');
  const io = withRuntime(await runtimeThat(`trap 'exit 0' TERM; touch ${ready}; while :; do sleep 0.05; done`));
  const running = runDesktop(io);
  await expect
    .poll(() =>
      readFile(ready).then(
        () => true,
        () => false,
      ),
    )
    .toBe(true);
  io.interrupt();
  expect(await running).toEqual({ ok: true, code: 0 });
});

test('the command line of a packaged app finds the executable of that app, and no other', async () => {
  const cli = 'resources/app.asar.unpacked/cli';
  const place = await folderWith({ 'app/triad-desktop': '', [`app/${cli}/package.json`]: '', 'other/cli/a': '' });
  for (const end of ['', '/'])
    expect(await packedDesktop('linux', join(place, 'app', cli) + end)).toBe(join(place, 'app/triad-desktop'));
  expect(await packedDesktop('win32', join(place, 'app', cli)), 'none of another system').toBeNull();
  expect(await packedDesktop('linux', join(place, 'other/cli'))).toBeNull();
});

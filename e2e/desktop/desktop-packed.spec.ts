/** The desktop as it is packed: its main process from the archive, and an update of it. */
import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { extractAll } from '@electron/asar';
import { plainAnswer } from '../../tests/support/fake-model/scenarios.ts';
import { packApp } from '../../tests/hosts/support/packed-app.ts';
import { expect, fullSpec, test } from '../support/test.ts';

const only = fullSpec(
  [
    'tests/electron/updates.test.ts › a restart requested by the user makes the backup first, and starts the app again',
    'tests/hosts/packed.test.ts › every file that the program starts or reads is built and packed',
  ],
  { tag: '@stand-in', annotation: { type: 'why', description: 'It starts what was packed for a desktop' } },
);

/** Says that it was started. */
const NEW_APP = '#!/bin/sh\necho "${APPIMAGE_EXIT_AFTER_INSTALL:-again}" > "$0.started"\n';

function startFeed(asked: string[]): Promise<Server> {
  const sha512 = createHash('sha512').update(NEW_APP).digest('base64');
  const notes = `version: 9.0.0\nfiles:\n  - url: new.AppImage\n    sha512: ${sha512}\n`;
  const server = createServer(({ url = '' }, answer) => {
    asked.push(url.replace(/\?.*/, ''));
    answer.end(url.startsWith('/latest-linux') ? notes : NEW_APP);
  });
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)));
}

test('the packaged app starts, and makes a backup before it updates itself', only, async ({ start }) => {
  test.setTimeout(240_000);
  const place = await realpath(await mkdtemp(join(tmpdir(), 'triad-packed-')));
  const asked: string[] = [];
  const server = await startFeed(asked);
  try {
    const packed = await packApp(place, new AbortController().signal);
    expect(packed.code, packed.err).toBe(0);
    const resources = join(packed.folder, 'resources');
    const { port } = server.address() as AddressInfo;
    await writeFile(join(resources, 'app-update.yml'), `provider: generic\nurl: http://127.0.0.1:${port}\n`);
    extractAll(join(resources, 'app.asar'), join(place, 'app'));
    const appImage = join(place, 'triad.AppImage');
    await writeFile(appImage, 'the old app');
    const env = {
      STAND_IN_MAIN: join(place, 'app/dist/electron/main.js'),
      STAND_IN_RESOURCES: resources,
      APPIMAGE: appImage,
      HOME: place,
      XDG_CACHE_HOME: join(place, 'cache'),
    };
    const app = await start(plainAnswer({ answer: 'Hello to you.' }), { env });
    await expect(app.message).toBeVisible();
    await expect.poll(() => app.desktop.asked('message')).toHaveLength(1);
    expect(app.desktop.asked('message')[0]).toMatchObject({
      message: 'Triad 9.0.0 is ready',
      buttons: ['Later', 'Restart Now'],
    });
    expect(asked).toContain('/new.AppImage');

    await app.send('Hello.');
    await app.expectOutcome('completed');
    expect(await readFile(appImage, 'utf8'), 'no answer yet').toBe('the old app');
    await app.desktop.act('press', 'Restart Now');
    expect(await app.desktop.ended()).toBe(0);
    expect(await readFile(appImage, 'utf8')).toBe(NEW_APP);
    await expect.poll(() => readFile(`${appImage}.started`, 'utf8').catch(() => '')).toBe('again\n');
    const backups = await readdir(join(app.home, 'backups'));
    expect(backups).toEqual([expect.stringMatching(/^backup-\d+-\w+$/)]);
    const manifest = JSON.parse(
      await readFile(join(app.home, 'backups', backups[0]!, 'manifest.json'), 'utf8'),
    ) as object;
    expect(manifest).toMatchObject({ holds: { conversations: 1, workflows: 1 }, missing: null });
  } finally {
    server.close();
    await rm(place, { recursive: true, force: true });
  }
});

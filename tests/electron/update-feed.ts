/** A feed of updates over real HTTP, and the updater that is shipped, as it runs in an AppImage; electron's part is played here. */
import { createHash } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, request } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type * as Updater from 'electron-updater';
import { type Mock, onTestFinished, vi } from 'vitest';
import { folderWith } from '../support/workspace.ts';

const require = createRequire(import.meta.url);
const electron = {
  app: Object.assign(new EventEmitter(), {
    isPackaged: true,
    getVersion: () => '1.2.0',
    getName: () => 'Triad',
    getPath: () => electron.folder,
    whenReady: () => Promise.resolve(),
    quit: () => undefined,
  }),
  net: { request },
  session: { fromPartition: () => ({}) },
  autoUpdater: new EventEmitter(),
  folder: '',
};
const path = require.resolve('electron');
require.cache[path] = { id: path, filename: path, path, loaded: true, exports: electron } as unknown as NodeModule;
const { AppImageUpdater } = require('electron-updater') as typeof Updater;

/** Says that it was started, and how. */
const NEW_APP = '#!/bin/sh\necho "started ${APPIMAGE_EXIT_AFTER_INSTALL:-again}" > "$0.started"\n';

export interface Feed {
  /** What was asked for, without what keeps it from a cache. */
  readonly asked: string[];
  readonly headers: IncomingMessage['headers'][];
  /** Loads the updater. */
  readonly load: Mock<() => Promise<Updater.AppImageUpdater>>;
  /** What stands where the app is. */
  appNow: () => Promise<string>;
  /** How the new app was started; null where it was not. */
  started: () => Promise<string | null>;
}

/** `version`: of what is offered; `notes`: the whole of the feed, in its place; `served`: what comes for the app. */
export async function startFeed({ version = '1.3.0', notes, served = NEW_APP }: Partial<Offer> = {}): Promise<Feed> {
  const asked: string[] = [];
  const headers: IncomingMessage['headers'][] = [];
  const sha512 = createHash('sha512').update(NEW_APP).digest('base64');
  const file = `Triad-${version}.AppImage`.replace('+', '-');
  const entry = `url: ${file}\n    sha512: ${sha512}\n    size: ${NEW_APP.length}`;
  const whole = notes ?? `version: ${version}\nfiles:\n  - ${entry}\npath: ${file}\nsha512: ${sha512}\n`;
  const server = createServer(({ url = '', headers: sent }, answer) => {
    const name = url.replace(/\?.*/, '').slice(1);
    asked.push(name);
    headers.push(sent);
    const content = name.startsWith('latest-linux') ? whole : name === file ? served : null;
    answer.writeHead(content === null || content === '' ? 404 : 200).end(content ?? '');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;

  const update = `provider: generic\nurl: http://127.0.0.1:${port}\nupdaterCacheDirName: triad-updater\n`;
  const place = await folderWith({ 'triad.AppImage': 'the old app', 'app-update.yml': update });
  electron.folder = place;
  const app = join(place, 'triad.AppImage');
  vi.stubEnv('APPIMAGE', app).stubEnv('XDG_CACHE_HOME', join(place, 'cache'));
  Object.defineProperty(process, 'resourcesPath', { value: place, configurable: true });
  const read = (path: string) => readFile(path, 'utf8').catch(() => null);
  return {
    asked,
    headers,
    load: vi.fn(async () => new AppImageUpdater()),
    appNow: async () => ((await read(app)) === NEW_APP ? 'new' : ((await read(app)) ?? 'none')),
    started: async () => (await read(`${app}.started`))?.trim() ?? null,
  };
}

interface Offer {
  version: string;
  notes: string;
  served: string;
}

/** Updates of this app: where its package names a feed, and in the words of the person. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { app, dialog } from 'electron';
import { parse } from 'yaml';
import { z } from 'zod';
import { contacted } from '#core/base/outgoing.ts';
import { makeBackup } from '#core/host/ownership/make-backup.ts';
import { text } from '../text.ts';
import { updateSource } from './update-source.ts';
import { Updates } from './updates.ts';

const EVERY_MS = 4 * 3_600_000;
/** After this it is not begun any more. */
const BACKUP_MS = 600_000;

interface Machine {
  /** The data folder. */
  data: string;
  /** Whether what happened is kept on a server, which has backups of its own. */
  isRemote: boolean;
  report: (line: string) => void;
}

/** Null where there are none: in a checkout, or in a package without a feed. */
export function appUpdates({ data, isRemote, report }: Machine): Updates | null {
  if (!app.isPackaged) return null;
  const feed = join(process.resourcesPath, 'app-update.yml');
  if (!existsSync(feed)) return null;
  const host = hostOf(readFileSync(feed, 'utf8'));
  // They leave by Chromium's network, which Node does not see.
  const counted = <T>(work: () => Promise<T>) => {
    contacted(host, 'updates');
    return work();
  };
  // It takes a while to load, and nobody waits for it.
  const load = async () => (await import('electron-updater')).default.autoUpdater;
  const source = updateSource(load, isQuiet());
  const install = (again: boolean) => {
    // The new one may be there before this one has gone.
    app.releaseSingleInstanceLock();
    return source.install(again);
  };
  const updates = new Updates({
    source: {
      ...source,
      check: () => counted(() => source.check()),
      download: () => counted(() => source.download()),
      install,
    },
    backUp: async (client) => {
      if (!isRemote) await makeBackup(client, data, AbortSignal.timeout(BACKUP_MS));
    },
    offer: (version) => offer(version, { isQuiet: source.isQuiet, isRemote }),
    quit: () => app.quit(),
    // It waits for an answer: the app may be about to end.
    refused: (why, reason) => dialog.showErrorBox(text().updates.noRestart, text().updates.refused[why](reason)),
    report,
  });
  setInterval(() => void updates.look(), EVERY_MS).unref();
  return updates;
}

/** What the feed of a package names: the host of its address, or who else offers it. */
function hostOf(feed: string): string {
  const { url, provider } = z.object({ url: z.url().optional(), provider: z.string() }).parse(parse(feed));
  return url === undefined ? provider : new URL(url).host;
}

/** A system's package asks for a password, and macOS starts the app again: both only when the person restarts it. */
function isQuiet(): boolean {
  if (process.platform === 'win32') return true;
  const kind = join(process.resourcesPath, 'package-type');
  return process.platform === 'linux' && (!existsSync(kind) || readFileSync(kind, 'utf8').trim() === 'AppImage');
}

/** Nothing but the button means yes. */
async function offer(
  version: string,
  { isQuiet, isRemote }: { isQuiet: boolean; isRemote: boolean },
): Promise<boolean> {
  const words = text().updates;
  const when = isQuiet ? words.atQuit : words.byRestart;
  const { response } = await dialog.showMessageBox({
    type: 'info',
    message: words.ready(version),
    detail: isRemote ? when : `${when} ${words.backup}`,
    buttons: [words.later, words.restart],
    defaultId: 0,
    cancelId: 0,
    noLink: true,
  });
  return response === 1;
}

/** What the menu offers: the restart where something is ready, else a look. */
export function updateItem(updates: Updates, showMessage: (message: string) => void) {
  const words = text().updates;
  const click = async () => {
    if (updates.ready !== null) return updates.restart();
    const looked = await updates.look();
    // What is ready is offered anyway.
    if (looked !== 'ready') showMessage(words.looked[looked]);
  };
  return { label: words.check, click: () => void click() };
}

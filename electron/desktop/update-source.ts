/** Where updates come from: electron-updater, held to what a person agreed to. */
import type { AppUpdater } from 'electron-updater';

export interface UpdateSource {
  /** A version that is newer than this one and no trial; null where there is none. */
  check(): Promise<string | null>;
  /** Fetches what `check` found, and holds it against its checksum. */
  download(): Promise<void>;
  /** Puts in place what was fetched and ends the app; `again`: starts it anew. False where it can't be put there. */
  install(again: boolean): boolean;
  /** Whether it can be put in place at any quit: nobody is asked for a password, and nothing starts again. */
  readonly isQuiet: boolean;
}

/** In the place of a number that would tell this installation from others. */
const NOBODY = '00000000-0000-0000-0000-000000000000';

/** `load`: called when an update is first looked for; `isQuiet`: of this kind of package. */
export function updateSource(load: () => Promise<AppUpdater>, isQuiet: boolean): UpdateSource {
  let updater: AppUpdater | null = null;
  const loaded = async () => (updater ??= held(await load()));
  return {
    isQuiet,
    check: async () => {
      const found = await (await loaded()).checkForUpdates();
      if (!found?.isUpdateAvailable) return null;
      const { version } = found.updateInfo;
      // Whoever publishes decides what is in the feed; a trial is no update all the same.
      return isTrial(version) ? null : version;
    },
    download: async () => {
      await (await loaded()).downloadUpdate();
    },
    install: (again) => updater !== null && installed(updater, again),
  };
}

function held(updater: AppUpdater): AppUpdater {
  return Object.assign(updater, {
    logger: null,
    autoDownload: false,
    autoInstallOnAppQuit: false,
    allowPrerelease: false,
    allowDowngrade: false,
    disableWebInstaller: true,
    requestHeaders: { 'x-user-staging-id': NOBODY },
  });
}

/** What follows a plus is said of a build, and makes no trial of it. */
function isTrial(version: string): boolean {
  return version.replace(/\+.*/, '').includes('-');
}

function installed(updater: AppUpdater, again: boolean): boolean {
  let failed = false;
  // It tells what happens at once by an event alone.
  const note = () => void (failed = true);
  updater.on('error', note);
  try {
    updater.quitAndInstall(true, again);
  } catch {
    failed = true;
  }
  updater.off('error', note);
  return !failed;
}

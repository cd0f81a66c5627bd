/** The module `electron` as the main process sees it: what it uses, over Node and pages that the test has. */
import { EventEmitter } from 'node:events';
import { request } from 'node:http';
import type { BrowserWindowConstructorOptions } from 'electron';
import { StandInApp } from './app.ts';
import { standInDialog } from './dialogs.ts';
import { standInMenu, traysOf } from './menu.ts';
import { standInBlocker, standInPowerMonitor, standInShortcuts } from './power.ts';
import { Site } from './site.ts';
import * as system from './system.ts';
import { StandInWindow, StandInWindows } from './windows.ts';
import { Wire } from '../wire.ts';

const wire = new Wire(process);
// The test has gone: nobody is left to look at the window.
process.on('disconnect', () => process.exit(1));
export const app = new StandInApp(wire);
export const protocol = new Site();
export const session = { defaultSession: new system.StandInSession(wire), fromPartition: () => ({}) };
/** What the updater asks of a server on this machine. */
export const net = { request };
/** The system's own, which only hears that the app ends for an update. */
export const autoUpdater = new EventEmitter();
const resources = process.env['STAND_IN_RESOURCES'];
if (resources !== undefined) Object.defineProperty(process, 'resourcesPath', { value: resources });
export const shell = system.standInShell(wire);
export const dialog = standInDialog(wire);
export const safeStorage = system.standInSafeStorage(process.env['STAND_IN_KEY_STORE'] ?? 'gnome_libsecret');
export const nativeTheme = { shouldUseDarkColors: false };
export const Menu = standInMenu(wire);
export const Tray = traysOf(wire);
export const powerMonitor = standInPowerMonitor(wire);
export const powerSaveBlocker = standInBlocker(wire);
export const globalShortcut = standInShortcuts(wire);
export const Notification = system.notificationsOf(wire);

const windows = new StandInWindows({ app, wire, protocol, session });
export const { ipcMain } = windows;
export class BrowserWindow extends StandInWindow {
  constructor(options: BrowserWindowConstructorOptions) {
    super(windows, options);
  }

  static getAllWindows(): StandInWindow[] {
    return [...windows.open];
  }

  static fromWebContents(contents: unknown): StandInWindow | null {
    return windows.open.find(({ webContents }) => webContents === contents) ?? null;
  }

  static getFocusedWindow(): StandInWindow | null {
    return windows.focused;
  }
}

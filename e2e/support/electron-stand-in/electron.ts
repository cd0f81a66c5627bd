/** The module `electron` as the main process sees it: what it uses, over Node and a real Chromium. */
import type { BrowserWindowConstructorOptions } from 'electron';
import { StandInApp } from './app.ts';
import { Chromium } from './chromium.ts';
import { Control } from './control.ts';
import { Site } from './site.ts';
import * as system from './system.ts';
import { StandInWindow, StandInWindows } from './windows.ts';

const control = new Control();
const chromium = new Chromium();
export const app = new StandInApp(chromium, control);
export const protocol = new Site();
export const session = { defaultSession: new system.StandInSession() };
export const shell = system.standInShell(control);
export const dialog = system.standInDialog(control);
export const safeStorage = system.standInSafeStorage(process.env['STAND_IN_KEY_STORE'] ?? 'gnome_libsecret');
export const nativeTheme = { shouldUseDarkColors: false };
export const Menu = system.standInMenu(control);
export const Notification = system.notificationsOf(control);

const windows = new StandInWindows({ app, chromium, control, protocol, session });
export const { ipcMain } = windows;
export class BrowserWindow extends StandInWindow {
  constructor(options: BrowserWindowConstructorOptions) {
    super(windows, options);
  }

  static getAllWindows(): StandInWindow[] {
    return [...windows.open];
  }

  static getFocusedWindow(): StandInWindow | null {
    return windows.focused;
  }
}

/** The menu of the app, in each system's own order. */
import { app, Menu, type MenuItemConstructorOptions } from 'electron';
import { text } from '../text.ts';

export function setMenu(onNewWindow: () => void): void {
  const mac = process.platform === 'darwin';
  const file: MenuItemConstructorOptions[] = [
    { label: text.menu.newWindow, accelerator: 'CmdOrCtrl+Shift+N', click: onNewWindow },
    { type: 'separator' },
    { role: mac ? 'close' : 'quit' },
  ];
  const view: MenuItemConstructorOptions[] = [
    { role: 'reload' },
    ...(app.isPackaged ? [] : [{ role: 'toggleDevTools' } as const]),
    { type: 'separator' },
    { role: 'resetZoom' },
    { role: 'zoomIn' },
    { role: 'zoomOut' },
    { type: 'separator' },
    { role: 'togglefullscreen' },
  ];
  Menu.setApplicationMenu(
    Menu.buildFromTemplate([
      ...(mac ? [{ role: 'appMenu' } as const] : []),
      { label: text.menu.file, submenu: file },
      { role: 'editMenu' },
      { role: 'viewMenu', submenu: view },
      { role: 'windowMenu' },
    ]),
  );
}

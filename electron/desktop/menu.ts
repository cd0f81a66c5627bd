/** The menu of the app, in each system's own order and the person's language. */
import { app, Menu, type MenuItemConstructorOptions } from 'electron';
import { text } from '../text.ts';

type Item = MenuItemConstructorOptions;
type Role = NonNullable<Item['role']>;

const LINE: Item = { type: 'separator' };

/** Anew where another language is spoken. `own`: about the installed program. */
export function setMenu(onNewWindow: () => void, own: Item[] = []): void {
  const mac = process.platform === 'darwin';
  const words = text().menu;
  const item = (role: Role): Item => {
    const label = words.roles[role];
    return label === undefined ? { role } : { role, label };
  };
  /** What Electron brings whole stays so, where its words are those that are spoken. */
  const whole = (role: Role, label: string, submenu: Item[]): Item =>
    Object.keys(words.roles).length === 0 ? { role } : { label, submenu };
  const file: Item[] = [
    { label: words.newWindow, accelerator: 'CmdOrCtrl+Shift+N', click: onNewWindow },
    ...(own.length > 0 ? [LINE, ...own] : []),
    LINE,
    item(mac ? 'close' : 'quit'),
  ];
  const edit = [item('undo'), item('redo'), LINE, item('cut'), item('copy'), item('paste'), item('delete'), LINE];
  const view = [
    item('reload'),
    ...(app.isPackaged ? [] : [item('toggleDevTools')]),
    ...[LINE, item('resetZoom'), item('zoomIn'), item('zoomOut'), LINE, item('togglefullscreen')],
  ];
  const window = [item('minimize'), ...(mac ? [item('zoom'), LINE, item('front')] : [item('close')])];
  Menu.setApplicationMenu(
    Menu.buildFromTemplate([
      ...(mac ? [{ role: 'appMenu' } as const] : []),
      { label: words.file, submenu: file },
      whole('editMenu', words.edit, [...edit, item('selectAll')]),
      { label: words.view, submenu: view },
      whole('windowMenu', words.window, window),
    ]),
  );
}

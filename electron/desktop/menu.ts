/** The menu of the app, in each system's own order and the person's language. */
import { app, Menu, type MenuItemConstructorOptions } from 'electron';
import { visibleText } from '#contract/visible-text.ts';
import { text } from '../text.ts';

type Item = MenuItemConstructorOptions;
type Role = NonNullable<Item['role']>;

const LINE: Item = { type: 'separator' };

export interface MenuPorts {
  newWindow: () => void;
  newConversation: () => void;
  openFolder: () => void;
  /** The folders of the newest conversations, and what a choice among them does. */
  recent: readonly string[];
  openRecent: (folder: string) => void;
  settings: () => void;
  shortcuts: () => void;
  /** What others have to offer: below the settings. */
  menuItems: Item[];
}

/** Anew where another language is spoken, or the folders are others. */
export function setMenu(ports: MenuPorts): void {
  const mac = process.platform === 'darwin';
  const words = text().menu;
  const menus = [
    ...(mac ? [appMenu(ports)] : []),
    { label: words.file, submenu: fileItems(ports, mac) },
    // What Electron brings whole stays so, where its words are those that are spoken.
    whole('editMenu', words.edit, [
      ...['undo', 'redo', null, 'cut', 'copy', 'paste', 'delete', null, 'selectAll'].map((role) =>
        role === null ? LINE : item(role as Role),
      ),
    ]),
    { label: words.view, submenu: viewItems() },
    whole('windowMenu', words.window, [
      item('minimize'),
      ...(mac ? [item('zoom'), LINE, item('front')] : [item('close')]),
    ]),
    {
      role: 'help' as const,
      label: words.help,
      submenu: [
        { label: words.shortcuts, click: ports.shortcuts },
        ...(mac ? [] : [LINE, { ...item('about'), label: words.about }]),
      ],
    },
  ];
  Menu.setApplicationMenu(Menu.buildFromTemplate(menus));
}

/** What Electron brings, in the words that are spoken. */
export function item(role: Role): Item {
  const label = text().menu.roles[role];
  return label === undefined ? { role } : { role, label };
}

function whole(role: Role, label: string, submenu: Item[]): Item {
  return Object.keys(text().menu.roles).length === 0 ? { role } : { label, submenu };
}

function appMenu(ports: MenuPorts): Item {
  const words = text().menu;
  return {
    label: text().name,
    submenu: [
      { role: 'about', label: words.about },
      LINE,
      ...settingsItems(ports),
      LINE,
      item('services'),
      LINE,
      { role: 'hide', label: words.hide },
      item('hideOthers'),
      item('unhide'),
      LINE,
      { role: 'quit', label: words.quit },
    ],
  };
}

/** The keys are the page's, where the person may change them; the menu of macOS always shows these. */
function settingsItems({ settings, menuItems }: MenuPorts): Item[] {
  const keys = process.platform === 'darwin' ? { accelerator: 'Command+,' } : {};
  return [{ label: text().menu.settings, ...keys, click: settings }, ...menuItems];
}

function fileItems(ports: MenuPorts, mac: boolean): Item[] {
  const words = text().menu;
  return [
    { label: words.newConversation, accelerator: 'CmdOrCtrl+N', click: ports.newConversation },
    { label: words.newWindow, accelerator: 'CmdOrCtrl+Shift+N', click: ports.newWindow },
    LINE,
    { label: words.openFolder, accelerator: 'CmdOrCtrl+O', click: ports.openFolder },
    {
      label: words.openRecent,
      enabled: ports.recent.length > 0,
      submenu: ports.recent.map((folder) => ({
        // One "&" would mark the key of the item.
        label: visibleText(folder).replaceAll('&', '&&'),
        click: () => ports.openRecent(folder),
      })),
    },
    LINE,
    ...(mac ? [item('close')] : [...settingsItems(ports), LINE, item('quit')]),
  ];
}

function viewItems(): Item[] {
  return [
    item('reload'),
    ...(app.isPackaged ? [] : [item('toggleDevTools')]),
    ...[LINE, item('resetZoom'), item('zoomIn'), item('zoomOut'), ...MORE_ZOOM_KEYS, LINE, item('togglefullscreen')],
  ];
}

/** Those of the roles want a shift for the plus of many keyboards, and know no block of numbers; an item has one key. */
const MORE_ZOOM_KEYS = (
  [
    ['zoomIn', '='],
    ['zoomIn', 'numadd'],
    ['zoomOut', 'numsub'],
    ['resetZoom', 'num0'],
  ] as const
).map(([role, key]): Item => ({
  role,
  accelerator: `CmdOrCtrl+${key}`,
  visible: false,
  acceleratorWorksWhenHidden: true,
}));

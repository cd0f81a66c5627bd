/** Everything that the desktop does around its pages, put together; nothing here decides anything about agents. */
import { app, type MenuItemConstructorOptions } from 'electron';
import type { LedCommand } from '#contract/hosts/led-command.ts';
import type { Client } from '#contract/rpc.ts';
import type { Windows } from '../windows.ts';
import { Attention } from './attention.ts';
import { pickFolder, pickingFolders } from './folder-dialog.ts';
import { KeepAwake } from './keep-awake.ts';
import { setMenu } from './menu.ts';
import { quitOrderly, type QuitPorts } from './orderly-quit.ts';
import { Presence } from './presence.ts';
import { QuickEntry } from './quick-entry.ts';
import { RecentFolders } from './recent-folders.ts';
import { showingFolders } from './session-folder.ts';
import { SpellCheck } from './spell-check.ts';
import { Tray } from './tray.ts';
import { Work } from './work.ts';

export interface DesktopPorts {
  windows: Windows;
  /** Path of the icon beside the clock. */
  trayIcon: string;
  quit: Pick<QuitPorts, 'end' | 'first' | 'isOwner' | 'leave'>;
  /** What others have to offer in the menu; `changed`: what an item says is not true any more. */
  menuItems: (changed: () => void) => Promise<MenuItemConstructorOptions[]>;
  fail: (error: unknown) => void;
}

export class Desktop {
  readonly #ports: DesktopPorts;
  readonly #work = new Work();
  readonly #recent = new RecentFolders(() => this.#drawMenu());
  readonly #tray: Tray;

  /** When the app is ready, and before its first window. */
  constructor(ports: DesktopPorts) {
    this.#ports = ports;
    const { windows, trayIcon: icon, quit } = ports;
    const show = () => windows.show();
    const newConversation = () => this.#run('new');
    this.#tray = new Tray({ icon, show, newConversation, quit: () => app.quit() });
    const presence = new Presence();
    presence.follow();
    const spellCheck = new SpellCheck();
    spellCheck.follow();
    const attention = new Attention(presence, (to) => windows.lead(to));
    for (const part of [
      attention,
      this.#tray,
      new KeepAwake(),
      new QuickEntry(newConversation),
      spellCheck,
      this.#recent,
    ])
      this.#work.onChange((state) => part.receive(state));
    quitOrderly({ ...quit, work: this.#work, hasTray: () => this.#tray.isThere, show });
    app.on('activate', show);
    this.#drawMenu();
  }

  /** The runtime as the pages of this desktop have it. Null: there is none. */
  use(client: Client | null): Client | null {
    this.#work.follow(client).catch(() => undefined);
    this.#recent.follow(client).catch(() => undefined);
    return client && pickingFolders(showingFolders(client));
  }

  /** Another language is spoken. */
  speak(): void {
    this.#drawMenu();
    this.#tray.draw();
  }

  /** Anew, where what it says has changed. */
  #drawMenu(): void {
    const { menuItems, fail } = this.#ports;
    menuItems(() => this.#drawMenu())
      .then((own) => this.#setMenu(own))
      .catch(fail);
  }

  #setMenu(menuItems: MenuItemConstructorOptions[]): void {
    const { windows } = this.#ports;
    setMenu({
      newWindow: () => void windows.open(),
      newConversation: () => this.#run('new'),
      openFolder: () => void this.#openFolder().catch(() => undefined),
      recent: this.#recent.list,
      openRecent: (folder) => this.#run('new', folder),
      settings: () => this.#run('settings'),
      shortcuts: () => this.#run('shortcuts'),
      menuItems,
    });
  }

  async #openFolder(): Promise<void> {
    const folder = await pickFolder();
    if (folder !== null) this.#run('new', folder);
  }

  #run(command: LedCommand['command'], folder: string | null = null): void {
    this.#ports.windows.run({ command, folder });
  }
}

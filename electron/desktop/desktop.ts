/** Everything that the desktop does around its pages, put together; nothing here decides anything about agents. */
import { app, type MenuItemConstructorOptions } from 'electron';
import type { LedCommand } from '#contract/hosts/led-command.ts';
import type { Client } from '#contract/rpc.ts';
import type { Windows } from '../windows.ts';
import { Attention } from './attention.ts';
import { pickFolder, pickingFolders } from './folder-dialog.ts';
import { KeepAwake } from './keep-awake.ts';
import { setMenu } from './menu.ts';
import { quitOrderly } from './orderly-quit.ts';
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
  /** Ends the runtime, where it is of this process. Called once. */
  end: () => Promise<void>;
  /** Whether workflows run in this process. */
  isOwner: () => boolean;
  /** What others have to offer in the menu. */
  menuItems: () => MenuItemConstructorOptions[];
}

export class Desktop {
  readonly #ports: DesktopPorts;
  readonly #work = new Work();
  readonly #recent = new RecentFolders(() => this.#setMenu());
  readonly #tray: Tray;

  /** When the app is ready, and before its first window. */
  constructor(ports: DesktopPorts) {
    this.#ports = ports;
    const { windows, trayIcon: icon, end, isOwner } = ports;
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
    quitOrderly({ end, work: this.#work, isOwner, hasTray: () => this.#tray.isThere, show });
    app.on('activate', show);
    this.#setMenu();
  }

  /** The runtime as the pages of this desktop have it. Null: there is none. */
  use(client: Client | null): Client | null {
    this.#work.follow(client).catch(() => undefined);
    this.#recent.follow(client).catch(() => undefined);
    return client && pickingFolders(showingFolders(client));
  }

  /** Another language is spoken. */
  speak(): void {
    this.#setMenu();
    this.#tray.draw();
  }

  #setMenu(): void {
    const { windows, menuItems } = this.#ports;
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

/** An icon beside the clock of the system: what runs and what waits, and the way back to a window. */
import { Menu, Tray as SystemTray } from 'electron';
import { waitingCount } from '#contract/attention/waiting-count.ts';
import { USUAL_CHOICES } from '#contract/hosts/desktop-choices.ts';
import type { Attention } from '#contract/view.ts';
import { text } from '../text.ts';

export interface TrayPorts {
  /** Path of the icon. */
  icon: string;
  show: () => void;
  newConversation: () => void;
  quit: () => void;
}

export class Tray {
  readonly #ports: TrayPorts;
  #tray: SystemTray | null = null;
  #state: Attention | null = null;

  constructor(ports: TrayPorts) {
    this.#ports = ports;
  }

  /** Whether the app stays in sight without a window. */
  get isThere(): boolean {
    return this.#tray !== null;
  }

  receive(state: Attention | null): void {
    this.#state = state;
    // Until the next runtime says otherwise, it stays as it is.
    if (state !== null) this.#place((state.desktop ?? USUAL_CHOICES).tray);
    this.draw();
  }

  /** Anew where another language is spoken. */
  draw(): void {
    if (this.#tray === null) return;
    const { show, newConversation, quit } = this.#ports;
    const words = text();
    const [running, waiting] = [this.#state?.running.length ?? 0, this.#state === null ? 0 : waitingCount(this.#state)];
    const counts = [words.tray.running(running), words.tray.waiting(waiting)];
    this.#tray.setToolTip([words.name, ...counts].join('\n'));
    this.#tray.setContextMenu(
      Menu.buildFromTemplate([
        ...counts.map((label) => ({ label, enabled: false })),
        { type: 'separator' },
        { label: words.tray.show, click: show },
        { label: words.menu.newConversation, click: newConversation },
        { type: 'separator' },
        { label: words.menu.quit, click: quit },
      ]),
    );
  }

  #place(wanted: 'auto' | 'on' | 'off'): void {
    const isWanted = wanted === 'on' || (wanted === 'auto' && process.platform === 'win32');
    if (isWanted === this.isThere) return;
    this.#tray?.destroy();
    this.#tray = isWanted ? new SystemTray(this.#ports.icon) : null;
    this.#tray?.on('click', this.#ports.show);
  }
}

/** The machine around the desktop for tests of one behaviour: the parts of the stand-in, without a page. */
import { EventEmitter } from 'node:events';
import { standInDialog } from '../../../e2e/support/electron-stand-in/dialogs.ts';
import { cancellable } from '../../../e2e/support/electron-stand-in/event.ts';
import { standInMenu, traysOf } from '../../../e2e/support/electron-stand-in/menu.ts';
import { standInBlocker, standInPowerMonitor, standInShortcuts } from '../../../e2e/support/electron-stand-in/power.ts';
import { StandInSession, standInShell } from '../../../e2e/support/electron-stand-in/system.ts';
import { Wire } from '../../../e2e/support/wire.ts';

export interface Told {
  what: string;
  detail: unknown;
}

/** Both ends of a wire in one process; what is told arrives at once. */
export function machine() {
  const [left, right] = [new EventEmitter(), new EventEmitter()];
  const end = (own: EventEmitter, other: EventEmitter) => ({
    on: (event: 'message', listener: (message: unknown) => void) => own.on(event, listener),
    send: (message: unknown) => other.emit('message', message),
  });
  const told: Told[] = [];
  const test = new Wire(end(left, right), (what, detail) => told.push({ what, detail }));
  const wire = new Wire(end(right, left));
  const exits: number[] = [];
  const app = Object.assign(new EventEmitter(), {
    isPackaged: false,
    exit: (code: number) => exits.push(code),
    quit: () => {
      const event = cancellable({});
      app.emit('before-quit', event);
      if (!event.defaultPrevented) exits.push(0);
    },
    setAsDefaultProtocolClient: (scheme: string) => told.push({ what: 'scheme', detail: scheme }),
    getPreferredSystemLanguages: () => ['fr-CA', 'en-US'],
  });
  return {
    electron: {
      app,
      BrowserWindow: { getFocusedWindow: () => null, fromWebContents: () => null },
      dialog: standInDialog(wire),
      globalShortcut: standInShortcuts(wire),
      Menu: standInMenu(wire),
      powerMonitor: standInPowerMonitor(wire),
      powerSaveBlocker: standInBlocker(wire),
      session: { defaultSession: new StandInSession(wire) },
      shell: standInShell(wire),
      Tray: traysOf(wire),
    },
    exits,
    act: (action: string, argument = '') => test.ask(action, argument),
    asked: (what: string) => told.filter((one) => one.what === what).map(({ detail }) => detail),
    clear: () => void told.splice(0),
  };
}

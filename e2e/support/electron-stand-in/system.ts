/** The machine around the app: what Electron would ask of it is told to the test, which also plays the person's part. */
import { EventEmitter } from 'node:events';
import type * as Electron from 'electron';
import { originOf } from './contents.ts';
import type { Wire } from '../wire.ts';

type Granted = Electron.Session['setPermissionRequestHandler'] extends (handler: infer H) => void ? H : never;
type Checked = Electron.Session['setPermissionCheckHandler'] extends (handler: infer H) => void ? H : never;

type Before = (
  details: Electron.OnBeforeRequestListenerDetails,
  answer: (response: Electron.CallbackResponse) => void,
) => void;
type Permission = Parameters<NonNullable<Granted>>[1];

/** Without a handler Electron says yes to everything, and so does this. */
export class StandInSession implements Pick<
  Electron.Session,
  | 'availableSpellCheckerLanguages'
  | 'setDevicePermissionHandler'
  | 'setPermissionCheckHandler'
  | 'setPermissionRequestHandler'
  | 'setSpellCheckerEnabled'
  | 'setSpellCheckerLanguages'
  | 'webRequest'
> {
  readonly availableSpellCheckerLanguages = ['de', 'en-GB', 'en-US', 'fr'];
  readonly #wire: Wire;
  #request: Granted = null;
  #check: Checked = null;
  #device: Parameters<Electron.Session['setDevicePermissionHandler']>[0] = null;
  #before: Before | null = null;
  readonly webRequest = {
    onBeforeRequest: (listener: Before | null) => void (this.#before = listener),
  } as Electron.WebRequest;

  /** Whether the app lets a request of a page go out. */
  passes(url: string): boolean {
    let passes = true;
    // Only the address is looked at.
    const details = { url } as Electron.OnBeforeRequestListenerDetails;
    this.#before?.(details, ({ cancel }) => (passes = cancel !== true));
    return passes;
  }

  constructor(wire: Wire) {
    this.#wire = wire;
  }

  setSpellCheckerEnabled(enabled: boolean): void {
    this.#wire.tell('spell check', enabled);
  }

  setSpellCheckerLanguages(languages: string[]): void {
    this.#wire.tell('spelling', languages);
  }

  setPermissionRequestHandler(handler: Granted): void {
    this.#request = handler;
  }

  setPermissionCheckHandler(handler: Checked): void {
    this.#check = handler;
  }

  setDevicePermissionHandler(handler: Parameters<Electron.Session['setDevicePermissionHandler']>[0]): void {
    this.#device = handler;
  }

  /** What a page of these contents is given: by a request, by a check, and of devices. */
  grants(contents: { getURL(): string }, name: string) {
    const url = contents.getURL();
    const origin = originOf(url);
    // Of the contents only the address is looked at, and the test names a permission.
    const [page, permission] = [contents as Electron.WebContents, name as Permission];
    let requested = this.#request === null;
    const details = { isMainFrame: true, requestingUrl: url };
    this.#request?.(page, permission, (granted) => (requested = granted), details);
    const checked = this.#check?.(page, permission, origin, details) ?? true;
    // That it is a device matters, not which.
    const device = {
      deviceType: 'usb',
      origin,
      device: {},
    } as Electron.DevicePermissionHandlerHandlerDetails;
    return { requested, checked, device: this.#device?.(device) ?? true };
  }
}

export const standInShell = (wire: Wire) =>
  ({
    openExternal: async (url) => {
      wire.tell('inherited', Object.keys(process.env));
      wire.tell('external', url);
    },
    openPath: async (path) => {
      wire.tell('folder', path);
      return '';
    },
  }) satisfies Pick<Electron.Shell, 'openExternal' | 'openPath'>;

const WARDED = 'sealed by the stand-in: ';

/** `none`: the system has no way to encrypt. Encryption is only told from plain text here, it protects nothing. */
export function standInSafeStorage(store: string) {
  const needed = () => {
    if (store === 'none') throw new Error('Encryption is not available');
  };
  return {
    isAsyncEncryptionAvailable: async () => store !== 'none',
    // The test names one of them.
    getSelectedStorageBackend: () => store as ReturnType<Electron.SafeStorage['getSelectedStorageBackend']>,
    encryptStringAsync: async (text) => {
      needed();
      return Buffer.from([...Buffer.from(WARDED + text)].map((byte) => byte ^ 0x5a));
    },
    decryptStringAsync: async (bytes) => {
      needed();
      const text = Buffer.from([...bytes].map((byte) => byte ^ 0x5a)).toString();
      if (!text.startsWith(WARDED)) throw new Error('Error while decrypting the ciphertext');
      return { shouldReEncrypt: false, result: text.slice(WARDED.length) };
    },
  } satisfies Pick<
    Electron.SafeStorage,
    'decryptStringAsync' | 'encryptStringAsync' | 'getSelectedStorageBackend' | 'isAsyncEncryptionAvailable'
  >;
}

export function notificationsOf(wire: Wire) {
  return class StandInNotification extends EventEmitter implements Pick<Electron.Notification, 'close' | 'show'> {
    readonly #options: Electron.NotificationConstructorOptions;

    static isSupported(): boolean {
      return true;
    }

    constructor(options: Electron.NotificationConstructorOptions = {}) {
      super();
      this.#options = options;
    }

    show(): void {
      const { title, body, actions = [] } = this.#options;
      wire.tell('notification', { title, body, actions: actions.map((one) => one.text) });
      wire.on('click notification', () => this.emit('click', {}));
      wire.on('notification action', (label: string) => {
        const actionIndex = actions.findIndex((one) => one.text === label);
        if (actionIndex < 0) throw new Error(`The notification has no "${label}"`);
        this.emit('action', { actionIndex }, actionIndex);
      });
    }

    close(): void {
      wire.tell('notification closed', this.#options.title);
    }
  };
}

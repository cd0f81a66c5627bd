/** The checklist of Electron's own security tutorial, item by item: the guards are called, sources and the built page are read. */
import { EventEmitter } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { parse } from 'yaml';
import manifest from '../../package.json' with { type: 'json' };

type Handler = (...values: unknown[]) => unknown;
const electron = vi.hoisted(() => ({
  app: null as EventEmitter | null,
  handlers: {} as Record<string, Handler>,
  windows: [] as { webPreferences: Record<string, unknown> }[],
  served: null as ((request: { url: string; method: string }) => Promise<Response>) | null,
}));
vi.mock('electron', async () => {
  const events = await import('node:events');
  const taking = (name: string) => (handler: Handler) => void (electron.handlers[name] = handler);
  electron.app = new events.EventEmitter();
  return {
    app: electron.app,
    session: {
      defaultSession: {
        setPermissionRequestHandler: taking('request'),
        setPermissionCheckHandler: taking('check'),
        setDevicePermissionHandler: taking('device'),
        webRequest: { onBeforeRequest: taking('before') },
      },
    },
    protocol: {
      registerSchemesAsPrivileged: () => undefined,
      handle: (_scheme: string, handler: typeof electron.served) => void (electron.served = handler),
    },
    nativeTheme: { shouldUseDarkColors: false },
    BrowserWindow: class extends events.EventEmitter {
      static readonly getAllWindows = () => [];
      readonly webContents = new events.EventEmitter();
      readonly loadURL = async () => undefined;
      constructor(options: (typeof electron.windows)[number]) {
        super();
        electron.windows.push(options);
      }
    },
  };
});
const { guardPages } = await import('../../electron/guards.ts');
const { Windows } = await import('../../electron/windows.ts');
const { serveBundle } = await import('../../electron/app-protocol.ts');

const root = fileURLToPath(new URL('../..', import.meta.url));
const sources = readdirSync(`${root}electron`, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => ({
    name,
    code: readFileSync(`${root}electron/${name}`, 'utf8').replaceAll(/^\s*(\*|\/\/|\/\*).*$/gm, ''),
  }));
const naming = (pattern: RegExp) => sources.filter(({ code }) => pattern.test(code)).map(({ name }) => name);
const read = (path: string) => readFileSync(`${root}${path}`, 'utf8');

class Contents extends EventEmitter {
  opener: Handler = () => null;
  getURL = () => 'app://bundle/';
  setWindowOpenHandler = (handler: Handler) => void (this.opener = handler);
}
const refused: string[] = [];
const asked: string[] = [];
const page = new Contents();
let preferences: Record<string, unknown> = {};
let policy = '';

beforeAll(async () => {
  guardPages({
    refusals: { note: (what, detail) => refused.push(`${what} ${detail}`) },
    links: { ask: async (_contents, url) => void asked.push(url) },
  });
  electron.app?.emit('web-contents-created', {}, page);
  new Windows({ preload: '/preload.cjs', onPlace: () => undefined, admit: () => undefined }).open();
  preferences = electron.windows[0]?.webPreferences ?? {};
  serveBundle(`${root}build`, { note: () => undefined });
  const answer = await electron.served?.({ url: 'app://bundle/', method: 'GET' });
  policy = answer?.headers.get('content-security-policy') ?? '';
});

/** Whether a listener has forbidden it. */
function isStopped(name: string, event: object, ...more: unknown[]): boolean {
  let stopped = false;
  page.emit(name, Object.assign(event, { preventDefault: () => (stopped = true) }), ...more);
  return stopped;
}
const passes = (url: string): unknown => {
  let answer: unknown;
  electron.handlers['before']?.({ url }, ({ cancel }: { cancel: boolean }) => (answer = !cancel));
  return answer;
};
const LISTENER = 'electron/ipc.ts';

describe("Electron's checklist", () => {
  test('1. Only load secure content', () => {
    expect(passes('app://bundle/_app/x.js')).toBe(true);
    for (const url of [
      'http://example.com/',
      'https://example.com/',
      'ws://127.0.0.1/',
      'file:///etc/passwd',
      'app://other/',
    ])
      expect(passes(url), url).toBe(false);
    expect(refused).toContain('request to https://example.com/');
    expect(naming(/loadURL\((?!`\$\{ORIGIN\}|url\.href)|loadFile/), 'only the bundle is loaded').toEqual([]);
  });
  test('2. Do not enable Node.js integration for remote content', () => {
    expect(preferences['nodeIntegration']).toBe(false);
    expect(naming(/nodeIntegrationIn(Worker|SubFrames)/)).toEqual([]);
  });
  test('3. Enable context isolation', () => expect(preferences['contextIsolation']).toBe(true));
  test('4. Enable process sandboxing', () => {
    expect(preferences['sandbox']).toBe(true);
    expect(read('electron/main.ts')).toMatch(/app\.enableSandbox\(\)/);
    expect(naming(/no-sandbox|app\.commandLine/)).toEqual([]);
  });
  test('5. Handle session permission requests from remote content', () => {
    for (const permission of ['media', 'geolocation', 'notifications', 'openExternal', 'clipboard-read', 'made-up']) {
      const answer = vi.fn();
      electron.handlers['request']?.(page, permission, answer, { requestingUrl: 'app://bundle/' });
      expect(answer, permission).toHaveBeenCalledExactlyOnceWith(false);
      expect(electron.handlers['check']?.(page, permission, 'app://bundle')).toBe(false);
    }
    expect(electron.handlers['check']?.(page, 'clipboard-sanitized-write', 'app://bundle')).toBe(true);
    expect(electron.handlers['check']?.(page, 'clipboard-sanitized-write', 'https://example.com')).toBe(false);
    expect(electron.handlers['device']?.({ deviceType: 'usb', origin: 'app://bundle' })).toBe(false);
    expect(refused).toContain('permission geolocation to app://bundle/');
  });
  test('6. Do not disable webSecurity', () => expect(naming(/webSecurity/)).toEqual([]));
  test('7. Define a Content Security Policy', () => {
    expect(policy).toMatch(/^default-src 'none';/);
    expect(policy).toMatch(/require-trusted-types-for 'script'/);
    expect(policy).toMatch(/frame-ancestors 'none'$/);
    expect(policy).not.toMatch(/unsafe-inline|unsafe-eval|https?:|\*/);
  });
  test('8. Do not enable allowRunningInsecureContent', () =>
    expect(naming(/allowRunningInsecureContent|ignore-certificate|certificate-error|setCertificateVerifyProc/)).toEqual(
      [],
    ));
  test('9. Do not enable experimental features', () => expect(naming(/experimentalFeatures/)).toEqual([]));
  test('10. Do not use enableBlinkFeatures', () => expect(naming(/enableBlinkFeatures/)).toEqual([]));
  test('11. Do not use allowpopups for WebViews', () => {
    expect(naming(/allowpopups/)).toEqual([]);
    expect(preferences['webviewTag']).toBe(false);
  });
  test('12. Verify WebView options before creation', () =>
    expect(isStopped('will-attach-webview', {}, {}, { src: 'https://example.com/' })).toBe(true));
  test('13. Disable or limit navigation', () => {
    expect(isStopped('will-frame-navigate', { url: 'app://bundle/chat/1', isMainFrame: true })).toBe(false);
    expect(isStopped('will-frame-navigate', { url: 'app://bundle/chat/1', isMainFrame: false })).toBe(true);
    for (const url of [
      'https://example.com/',
      'app://bundle.evil/',
      'app://other/',
      'file:///etc/passwd',
      'data:text/html,x',
    ])
      expect(isStopped('will-frame-navigate', { url, isMainFrame: true }), url).toBe(true);
    expect(isStopped('will-redirect', { url: 'app://bundle/' })).toBe(true);
  });
  test('14. Disable or limit creation of new windows', () => {
    for (const url of ['app://bundle/', 'about:blank', 'https://example.com/'])
      expect(page.opener({ url }), url).toEqual({ action: 'deny' });
    expect(refused).toContain('window at app://bundle/');
  });
  test('15. Do not use shell.openExternal with untrusted content', () => {
    // What it asks before it opens anything is held by the test of that file.
    expect(naming(/openExternal/)).toEqual(['desktop/outside-link.ts']);
    expect(asked).toContain('https://example.com/');
  });
  test('16. Use a current version of Electron', () => {
    expect(Number.parseInt(manifest.devDependencies.electron, 10)).toBeGreaterThanOrEqual(45);
    expect(manifest.devDependencies.electron).toMatch(/^\d+\.\d+\.\d+$/);
  });
  test('17. Validate the sender of all IPC messages', () => {
    // Which senders are refused, on each of its channels, is held by the test of hostile frames.
    expect(naming(/\bipcMain\b/)).toEqual(['ipc.ts']);
    const listeners = [...read(LISTENER).matchAll(/ipcMain\.\w+\((\w+), (?:async )?\(event[^]*?\n {4}\}\);/g)];
    expect(listeners.map(([code]) => /this\.#admitted\(event\)/.test(code))).toEqual([true, true, true]);
  });
  test('18. Avoid usage of the file:// protocol and prefer usage of custom protocols', async () => {
    expect(naming(/file:\/\//)).toEqual([]);
    for (const path of ['../package.json', '..%2fpackage.json', '%2e%2e/package.json', '_app/..%5c..%5cpackage.json'])
      expect((await electron.served?.({ url: `app://bundle/${path}`, method: 'GET' }))?.status, path).toBe(404);
  });
  test('19. Check which fuses you can change', () => {
    const { electronFuses } = parse(read('electron-builder.yml')) as { electronFuses?: Record<string, unknown> };
    expect(electronFuses).toMatchObject({
      runAsNode: false,
      enableCookieEncryption: true,
      enableNodeOptionsEnvironmentVariable: false,
      enableNodeCliInspectArguments: false,
      enableEmbeddedAsarIntegrityValidation: true,
      onlyLoadAppFromAsar: true,
    });
  });
  test('20. Do not expose Electron APIs to untrusted web content', () => {
    const preload = sources.find(({ name }) => name === 'preload.ts')?.code ?? '';
    expect(preload.match(/exposeInMainWorld/g), 'one object').toHaveLength(1);
    expect(preload).toMatch(/import \{ contextBridge, ipcRenderer \} from 'electron'/);
    expect(preload, 'nothing of it is handed on').not.toMatch(/:\s*ipcRenderer\b|\bipcRenderer\s*[,}](?! from)/);
  });
});

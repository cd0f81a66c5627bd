/** `app`: the life of the process, one instance for each data folder, and the order in which things end. */
import { EventEmitter } from 'node:events';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { App } from 'electron';
import { cancellable } from './event.ts';
import type { Wire } from '../wire.ts';

type Used = Pick<
  App,
  | 'enableSandbox'
  | 'exit'
  | 'getPreferredSystemLanguages'
  | 'getName'
  | 'getPath'
  | 'getVersion'
  | 'isPackaged'
  | 'quit'
  | 'releaseSingleInstanceLock'
  | 'requestSingleInstanceLock'
  | 'setAsDefaultProtocolClient'
  | 'setBadgeCount'
  | 'setName'
  | 'setPath'
  | 'whenReady'
>;

export class StandInApp extends EventEmitter implements Used {
  /** Where a test has packed one: its resources lie in a folder of their own. */
  readonly isPackaged = process.env['STAND_IN_RESOURCES'] !== undefined;
  readonly #wire: Wire;
  #name = 'electron';
  #folder = '';
  #ready = false;

  constructor(wire: Wire) {
    super();
    this.#wire = wire;
    wire.on('quit', () => this.quit());
    wire.on('open url', (url: string) => {
      const event = cancellable({});
      this.emit('open-url', event, url);
      return event.defaultPrevented;
    });
    // Where the app listens itself, Electron does not.
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
      process.on(signal, () => process.listenerCount(signal) === 1 && this.quit());
  }

  get name(): string {
    return this.#name;
  }

  getName(): string {
    return this.#name;
  }

  getVersion(): string {
    return process.env['STAND_IN_VERSION'] ?? '0.1.0';
  }

  getPath(name: string): string {
    if (name !== 'userData') throw new Error(`${name} is not a folder that the stand-in has`);
    return this.#folder;
  }

  setName(name: string): void {
    this.#name = name;
  }

  setPath(name: string, path: string): void {
    if (name !== 'userData') throw new Error(`${name} is not a folder that the stand-in has`);
    mkdirSync(path, { recursive: true });
    this.#folder = path;
  }

  getPreferredSystemLanguages(): string[] {
    return ['fr-CA', 'en-US'];
  }

  setAsDefaultProtocolClient(scheme: string): boolean {
    this.#wire.tell('scheme', scheme);
    return true;
  }

  /** The signal is for the first: it says that there was a second, whose arguments lie beside the lock. */
  requestSingleInstanceLock(): boolean {
    const lock = join(this.#folder, 'stand-in.lock');
    const handed = join(this.#folder, 'stand-in.args');
    const owner = pidIn(lock);
    if (owner !== null && lives(owner)) {
      writeFileSync(`${handed}.new`, JSON.stringify(process.argv));
      renameSync(`${handed}.new`, handed);
      process.kill(owner, 'SIGUSR2');
      return false;
    }
    writeFileSync(lock, String(process.pid));
    process.on('SIGUSR2', () =>
      this.emit('second-instance', {}, JSON.parse(readFileSync(handed, 'utf8')) as string[], process.cwd()),
    );
    return true;
  }

  releaseSingleInstanceLock(): void {
    rmSync(join(this.#folder, 'stand-in.lock'), { force: true });
  }

  enableSandbox(): void {
    if (this.#ready) throw new Error('The app is ready: too late for a sandbox');
  }

  whenReady(): Promise<void> {
    this.#ready = true;
    return Promise.resolve();
  }

  setBadgeCount(count = 0): boolean {
    this.#wire.tell('badge', count);
    return true;
  }

  quit(): void {
    const event = cancellable({});
    this.emit('before-quit', event);
    if (!event.defaultPrevented) this.exit(0);
  }

  exit(code = 0): void {
    process.exit(code);
  }
}

function pidIn(lock: string): number | null {
  try {
    return Number(readFileSync(lock, 'utf8'));
  } catch {
    return null;
  }
}

function lives(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

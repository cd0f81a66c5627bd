/** `app`: the life of the process, one instance for each data folder, and the order in which things end. */
import { EventEmitter } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { App } from 'electron';
import type { Chromium } from './chromium.ts';
import type { Control } from './control.ts';
import { cancellable } from './event.ts';

type Used = Pick<
  App,
  | 'enableSandbox'
  | 'exit'
  | 'isPackaged'
  | 'quit'
  | 'requestSingleInstanceLock'
  | 'setBadgeCount'
  | 'setName'
  | 'setPath'
  | 'whenReady'
>;

export class StandInApp extends EventEmitter implements Used {
  readonly isPackaged = false;
  readonly #chromium: Chromium;
  readonly #control: Control;
  #name = 'electron';
  #folder = '';
  #ready: Promise<void> | null = null;

  constructor(chromium: Chromium, control: Control) {
    super();
    this.#chromium = chromium;
    this.#control = control;
    control.on('quit', () => this.quit());
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => this.quit());
  }

  get name(): string {
    return this.#name;
  }

  setName(name: string): void {
    this.#name = name;
  }

  setPath(name: string, path: string): void {
    if (name !== 'userData') throw new Error(`${name} is not a folder that the stand-in has`);
    mkdirSync(path, { recursive: true });
    this.#folder = path;
  }

  /** The signal is for the first: it says that there was a second. */
  requestSingleInstanceLock(): boolean {
    const lock = join(this.#folder, 'stand-in.lock');
    const owner = pidIn(lock);
    if (owner !== null && lives(owner)) {
      process.kill(owner, 'SIGUSR2');
      return false;
    }
    writeFileSync(lock, String(process.pid));
    process.on('SIGUSR2', () => this.emit('second-instance', {}, [], process.cwd()));
    this.#chromium.launch(join(this.#folder, 'profile'));
    return true;
  }

  enableSandbox(): void {
    if (this.#ready !== null) throw new Error('The app is ready: too late for a sandbox');
  }

  /** When the test has connected to the browser: it misses nothing of the first page. */
  whenReady(): Promise<void> {
    return (this.#ready ??= (async () => {
      const go = this.#control.once('go');
      this.#control.tell('browser', await this.#chromium.endpoint());
      await this.#chromium.context();
      await go;
    })());
  }

  setBadgeCount(count = 0): boolean {
    this.#control.tell('badge', count);
    return true;
  }

  quit(): void {
    const event = cancellable({});
    this.emit('before-quit', event);
    if (!event.defaultPrevented) this.exit(0);
  }

  exit(code = 0): void {
    this.#chromium.close();
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

/**
 * Browser hosts without the start of a process for each: the modules are loaded once for a worker. A host has its own
 * home, store and settings; only the process is shared, so a test that kills it asks for one of its own. One follows the
 * other at the same address, so that the browser has the app's scripts compiled.
 */
import type { ChildProcess } from 'node:child_process';
import { builtProgram } from '../../tests/support/program.ts';
import type { Host, HostOptions } from './host.ts';
import type { HostNote, HostToOpen, OpenedHost } from './hosts-program.ts';
import { endProcess, environmentWith, ROOT, startProcess } from './process.ts';
import { Wire } from './wire.ts';

/** The database keeps its memory until its process ends: about 45 MB for each home. */
const HOMES_PER_PROCESS = 20;

export class SharedHosts {
  #program: Program | null = null;
  #opened = 0;
  /** Of hosts that have stopped, the last one last. */
  readonly #ports: number[] = [];

  async open(options: HostOptions): Promise<Host> {
    if (this.#program === null || this.#program.homes >= HOMES_PER_PROCESS || this.#program.ended) {
      await this.#program?.endWhenEmpty();
      this.#program = new Program();
    }
    const host = await this.#program.open((this.#opened += 1), {
      ...options,
      port: options.port || (this.#ports.pop() ?? 0),
    });
    const stop = async () => {
      await host.stop();
      this.#ports.push(host.port);
    };
    return { ...host, stop };
  }

  async close(): Promise<void> {
    await this.#program?.end();
  }
}

class Program {
  readonly #child: ChildProcess;
  readonly #wire: Wire;
  readonly #notes = new Map<number, string>();
  readonly #open = new Set<number>();
  #said = '';
  #leaving = false;
  homes = 0;

  constructor() {
    this.#child = startProcess({
      args: [builtProgram(`${ROOT}e2e/support/hosts-program.ts`)],
      folder: ROOT,
      env: {},
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => (this.#said += text));
    this.#wire = new Wire(this.#child);
    this.#wire.on('note', ({ id, line }: HostNote) => this.#notes.set(id, `${this.#notes.get(id)}${line}\n`));
    this.#child.once('exit', () => this.#wire.close());
  }

  get ended(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  async open(id: number, { home, workspace, env = {}, port = 0, label }: HostOptions): Promise<Host> {
    this.homes += 1;
    this.#open.add(id);
    this.#notes.set(id, '');
    const whole = Object.entries(environmentWith({ TRIAD_HOME: home, ...env }));
    const known = whole.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]));
    const opened = await this.#ask<OpenedHost>('open', {
      id,
      port,
      label: label ?? null,
      workspace,
      env: Object.fromEntries(known),
    } satisfies HostToOpen);
    return {
      ...opened,
      notes: () => `${this.#notes.get(id)}${this.#said}`,
      crash: () => Promise.reject(new Error('A test that kills the program starts the app with `ownProcess`')),
      stop: async () => {
        if (!this.#open.delete(id)) return;
        if (!this.ended) await this.#ask('close', id);
        if (this.#leaving && this.#open.size === 0) await this.end();
      },
    };
  }

  /** Its last host ends it. */
  async endWhenEmpty(): Promise<void> {
    this.#leaving = true;
    if (this.#open.size === 0) await this.end();
  }

  async end(): Promise<void> {
    if (this.ended) return;
    await endProcess(this.#child, 'SIGKILL');
  }

  #ask<T>(name: string, detail: unknown): Promise<T> {
    return this.#wire.ask<T>(name, detail).catch((cause: unknown) => {
      throw new Error(`The process of the hosts did not "${name}": ${this.#said}`, { cause });
    });
  }
}

/** The processes of one command: how they are told to end, and how it is made sure that they did. */
import type { ChildProcess } from 'node:child_process';
import type { Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { isAlive, leftovers } from './leftovers.ts';

const LOOK_MS = 10;
/** How often what goes on making processes is killed. */
const ROUNDS = 50;
/** What a killed process is given until the system has cleared it away. */
const GONE_MS = 5000;

export class CommandProcesses {
  readonly #child: ChildProcess;
  readonly #mark: string;
  readonly #endsAll: boolean;
  /** Where processes of the sandbox have numbers of their own: the number here of the one that leads the command's group. */
  #inner: number | null = null;
  #hasEnded = false;

  /** `info`: where bubblewrap says what it started, or null. `endsAll`: nothing outlives the child that was started. */
  constructor(child: ChildProcess, mark: string, endsAll: boolean, info: Readable | null) {
    this.#child = child;
    this.#mark = mark;
    this.#endsAll = endsAll;
    child.once('exit', () => (this.#hasEnded = true));
    let said = '';
    info?.setEncoding('utf8').on('data', (text: string) => {
      if (said.length < 4096) said += text;
      const pid = /"child-pid": *(\d+)[^\d]/.exec(said)?.[1];
      if (pid !== undefined) this.#inner ??= Number(pid);
    });
  }

  /** Asks them to end: all that the system lets us ask. */
  terminate(): void {
    if (this.#hasEnded || this.#child.pid === undefined) return;
    // What made the sandbox would not hand the signal on.
    if (this.#endsAll && this.#inner === null) this.kill();
    else sendSignal(-(this.#endsAll ? this.#inner! : this.#child.pid), 'SIGTERM');
  }

  /** Ends them at once, for a program that ends too: waits for nothing. */
  kill(): void {
    if (this.#child.pid !== undefined && !this.#hasEnded) sendSignal(-this.#child.pid, 'SIGKILL');
  }

  /** To be called when the shell has ended: resolves when nothing that is known of the command lives. What is left is asked first. */
  async clear(graceMs: number): Promise<void> {
    const { pid } = this.#child;
    if (pid === undefined) return;
    if (this.#endsAll) {
      const until = performance.now() + GONE_MS;
      while (this.#inner !== null && performance.now() < until && isAlive(this.#inner)) await wait(LOOK_MS);
      return;
    }
    // Without /proc the group is all that is known.
    if (process.platform !== 'linux') return void sendSignal(-pid, 'SIGKILL');
    let left = await leftovers(pid, this.#mark);
    const until = performance.now() + graceMs;
    for (const one of left) sendSignal(one, 'SIGTERM');
    while (left.length > 0 && performance.now() < until) {
      await wait(LOOK_MS);
      left = left.filter(isAlive);
    }
    for (let round = 0; round < ROUNDS; round += 1) {
      left = await leftovers(pid, this.#mark);
      if (left.length === 0) return;
      for (const one of left) sendSignal(one, 'SIGKILL');
      await wait(LOOK_MS);
    }
  }
}

/** Commands that run: none is left when the program ends without waiting for them. */
export class RunningCommands {
  readonly #running = new Set<CommandProcesses>();
  #isOver = false;

  /** Returns what takes it out again. */
  add(processes: CommandProcesses): () => void {
    if (this.#isOver) processes.kill();
    this.#running.add(processes);
    return () => this.#running.delete(processes);
  }

  /** To be called when the process exits; what starts afterwards is killed at once. */
  killAll(): void {
    this.#isOver = true;
    for (const one of this.#running) one.kill();
  }
}

/** Sends a signal to a process, or to the group of a negative number. Ignores one that has ended. */
export function sendSignal(target: number, signal: NodeJS.Signals): void {
  try {
    process.kill(target, signal);
  } catch {
    // It has ended already.
  }
}

/** The times of commands, which distinguish files that a command made from those of the person. */
import type { BigIntStats } from 'node:fs';

/** Maximum time of a command that counts, in milliseconds: during a longer one the person works too. */
const MAX_MS = 120_000;
/** Maximum number of commands that are remembered of a workspace. */
const MAX_COMMANDS = 500;
const NS_PER_MS = 1_000_000n;

export class CommandTimes {
  readonly #times = new Map<string, { from: bigint; until: bigint }[]>();

  /** Adds a command that ends now. `startedAt`: as of `Date.now`. */
  add(folder: string, startedAt: number): void {
    const endedAt = Date.now();
    if (endedAt - startedAt > MAX_MS) return;
    const times = this.#times.get(folder) ?? [];
    times.push({ from: BigInt(startedAt) * NS_PER_MS, until: BigInt(endedAt) * NS_PER_MS });
    this.#times.set(folder, times.slice(-MAX_COMMANDS));
  }

  /** Returns whether something was made while a command ran. No program can change this time of a file. */
  hasMade(folder: string, { birthtimeNs }: BigIntStats): boolean {
    return (this.#times.get(folder) ?? []).some(({ from, until }) => birthtimeNs >= from && birthtimeNs <= until);
  }
}

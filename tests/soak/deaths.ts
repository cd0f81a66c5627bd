/** Chooses the steps at which programs of the campaign are killed, and starts programs that die there. */
import { readFile, rm } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import { builtProgram } from '../support/program.ts';
import { type Death, readSteps, STAGE_NAMES, type StoreMoment } from './die-at.ts';
import type { Random } from './random.ts';

const DIE_AT = builtProgram('tests/soak/die-at.ts');
/** Number of steps from which one is chosen: a short program has about so many. */
const STEPS: Readonly<Record<StoreMoment, number>> = {
  commit: 40,
  flush: 9,
  reuse: 6,
  replay: 12,
  recovery: 160,
  purge: 30,
  backup: 300,
};
export const STORE_MOMENTS = Object.keys(STEPS) as StoreMoment[];

/** How often a program runs that ends before its step. */
const TRIES = 3;

export class Deaths {
  /** How many processes died, by moment and stage. */
  readonly counts: Record<string, number>;
  readonly #steps = new Map(Object.entries(STEPS) as [StoreMoment, number][]);

  constructor(counts: Record<string, number> = {}) {
    this.counts = counts;
  }

  /**
   * Runs a program that dies at a random step of a moment, and returns whether it did. `run` gets the environment for it,
   * and starts it. With `restore`, a program that takes fewer steps runs again, with one of the steps that it took.
   */
  async die(moment: StoreMoment, { random, file, run, restore }: DyingProgram): Promise<boolean> {
    let steps = this.#steps.get(moment) ?? 0;
    for (let tries = 0; steps > 0 && tries < (restore ? TRIES : 1); tries += 1) {
      if (tries > 0) await restore?.();
      const death: Death = { moment, step: random.between(0, steps - 1), steps: file };
      await rm(file, { force: true });
      await run({ NODE_OPTIONS: `--import=${pathToFileURL(DIE_AT).href}`, DIE_AT: JSON.stringify(death) });
      const { count, stage } = readSteps(await readFile(file, 'utf8').catch(() => ''));
      if (count > death.step) {
        this.#count(moment, stage ?? '');
        return true;
      }
      // Programs differ: the next one may take more steps again.
      this.#steps.set(moment, Math.ceil(((this.#steps.get(moment) ?? 0) + count + 1) / 2));
      steps = count;
    }
    this.#count(moment, 'missed');
    return false;
  }

  get total(): number {
    return STORE_MOMENTS.reduce((sum, moment) => sum + this.countAt(moment), 0);
  }

  countAt(moment: StoreMoment): number {
    return STAGE_NAMES.reduce((sum, stage) => sum + (this.counts[`${moment} ${stage}`] ?? 0), 0);
  }

  #count(moment: StoreMoment, stage: string): void {
    const name = `${moment} ${stage}`;
    this.counts[name] = (this.counts[name] ?? 0) + 1;
  }
}

interface DyingProgram {
  random: Random;
  /** Gets a letter for each step. */
  file: string;
  run: (env: Record<string, string>) => Promise<unknown>;
  restore?: () => Promise<void>;
}

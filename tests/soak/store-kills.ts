/** Kills of the campaign at steps of the store: in a workflow, in the starts after it, in a purge, and in a backup. */
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { backupsOf } from '#core/store/backups/backups.ts';
import { compareFiles } from '#core/store/backups/manifest.ts';
import { builtProgram, CLI } from '../support/program.ts';
import { markOf } from './campaign-model.ts';
import {
  type ProgramHome,
  PURGED,
  type RunningProgram,
  seenIn,
  start,
  startRun,
  type Victim,
} from './campaign-programs.ts';
import type { Deaths } from './deaths.ts';
import type { StoreMoment } from './die-at.ts';
import { damageStore } from './flips/positions.ts';
import { Random } from './random.ts';

interface KilledPurge {
  conversationId: string;
  isAcknowledged: boolean;
}

export interface StoreVictim extends Victim {
  /** Null: its conversation was not purged. */
  purge: KilledPurge | null;
  /** Breaches that the next start does not show. */
  lines: string[];
}

const READER = builtProgram(join(import.meta.dirname, 'campaign-reader.ts'));
/** Moments of the workflow itself. */
const OF_A_RUN: readonly StoreMoment[] = ['commit', 'flush', 'reuse'];

export async function playStoreKill(
  moment: StoreMoment,
  seed: number,
  home: ProgramHome,
  deaths: Deaths,
): Promise<StoreVictim> {
  const random = new Random('store kill', seed);
  const file = join(home.home, '..', 'steps');
  const die = async (at: StoreMoment, begin: (env: Record<string, string>) => RunningProgram) => {
    let program: RunningProgram | null = null;
    const run = (env: Record<string, string>) => (program = begin(env)).exit;
    await deaths.die(at, { random, file, run });
    return program as RunningProgram | null;
  };
  const first = OF_A_RUN.includes(moment) ? moment : moment === 'replay' ? 'commit' : null;
  const run = first ? await die(first, (env) => startRun(seed, home, env)) : startRun(seed, home);
  await run?.exit;
  const killedAt = performance.timeOrigin + performance.now();
  const saw = seenIn(run?.out() ?? '');
  const victim = { saw, killedAt, accepted: saw.length > 0, stopped: false, err: run?.err() ?? '' };
  const [conversationId = ''] = saw.map((event) => event.conversationId);
  let purge: KilledPurge | null = null;
  if (moment === 'recovery') await damageStore(join(home.home, 'store'), random);
  const starts = moment === 'replay' || moment === 'recovery' ? random.between(1, 3) : 0;
  for (let n = 0; n < starts; n += 1) await die(moment, (env) => start([CLI, 'sessions', 'list'], home, env));
  if (moment === 'purge') {
    const purging = await die(moment, (env) => start([READER, markOf(seed), 'purge', conversationId], home, env));
    purge = { conversationId, isAcknowledged: purging?.out() === PURGED };
  }
  if (moment === 'backup') await die(moment, (env) => start([CLI, 'backup'], home, env));
  return { ...victim, purge, lines: moment === 'backup' ? await findBackupBreaches(home, saw.length) : [] };
}

/** A backup with a name and a manifest is complete. */
async function findBackupBreaches({ home }: ProgramHome, shown: number): Promise<string[]> {
  const lines: string[] = [];
  for (const backup of backupsOf(home)) {
    const changed = await compareFiles(backup.folder, backup).catch(String);
    if (typeof changed === 'string') lines.push(`backup: ${changed}`);
    if (backup.missing !== null || (backup.holds?.events ?? 0) < shown)
      lines.push(`backup: ${backup.folder} has ${backup.holds?.events} events, and lacks ${backup.missing}`);
  }
  for (const { folder } of backupsOf(home)) await rm(folder, { recursive: true, force: true });
  return lines;
}

/** A purged conversation is there whole or gone whole; it never comes back after the purge was acknowledged. */
export async function findPurgeBreaches(
  { home }: ProgramHome,
  { conversationId, isAcknowledged }: KilledPurge,
  isThere: boolean,
): Promise<string[]> {
  if (isThere) return isAcknowledged ? ['purge: the conversation came back'] : [];
  const names = (await readdir(home, { recursive: true })).filter((name) => /^(?:journal|archive)[/\\].*\./.test(name));
  const contents = await Promise.all(names.map((name) => readFile(join(home, name), 'latin1')));
  const left = names.filter(
    (name, index) => name.includes(conversationId) || contents[index]?.includes(conversationId),
  );
  return left.map((name) => `purge: the conversation is gone, and ${name} has it`);
}

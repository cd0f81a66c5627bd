/** Starts a command after a comparison of the mounts of bubblewrap with the requested ones. */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { OpenEntry } from '../open-entry.ts';
import { sendSignal } from './command-processes.ts';
import { isAlive } from './leftovers.ts';
import { GATE_FD, type Mounted, STATUS_FD } from './bubblewrap.ts';

/** Pause between two checks of a process, in milliseconds. */
const POLL_MS = 1;
/** Maximum time until everything is mounted, in milliseconds. */
const MOUNT_MS = 10_000;
/** The process reads one byte from the descriptor of the gate. The number of `read` is 0 on x86-64, and 63 on arm64. */
const WAITS_AT_GATE = new RegExp(`^(0|63) 0x${GATE_FD.toString(16)} `);

/** Resolves with null if the process that waits at the gate may start its command, else with the reason why not. */
export type MountCheck = (pid: number, hasEnded: () => boolean) => Promise<string | null>;

/**
 * Resolves with null if each mount of the process at the gate is the requested one, else with the reason. One reason is a
 * folder that a link replaced between its check and its mount: the command must not start.
 */
export async function findMountFault(
  pid: number,
  mounted: readonly Mounted[],
  hasEnded: () => boolean,
): Promise<string | null> {
  const until = performance.now() + MOUNT_MS;
  while (!WAITS_AT_GATE.test(await readFile(`/proc/${pid}/syscall`, 'utf8').catch(() => 'gone'))) {
    if (hasEnded()) return 'the sandbox ended';
    if (performance.now() > until) return 'the sandbox was not ready in time';
    await wait(POLL_MS);
  }
  const root = await OpenEntry.openProcessRoot(pid);
  if (!root) return 'the sandbox ended';
  try {
    const isRequested = await Promise.all(mounted.map((one) => isMounted(root, one)));
    const wrong = mounted.find((_, index) => !isRequested[index]);
    return wrong ? `${wrong.path} was replaced while the sandbox was made` : null;
  } finally {
    await root.close();
  }
}

async function isMounted(root: OpenEntry, mounted: Mounted): Promise<boolean> {
  const found = await root.openBelow(mounted.path);
  if (!found) return false;
  try {
    if (mounted.kind === 'entry') return found.isSame(mounted.entry);
    // Hidden under this path, but perhaps moved to another one before.
    if (mounted.entry && !(await mounted.entry.isInPlace())) return false;
    if (mounted.kind === 'device') return found.stats.isCharacterDevice();
    return found.stats.isDirectory() && (await found.entries()).length === 0;
  } finally {
    await found.close();
  }
}

/**
 * Opens the gate of a started launch if its mounts are right, else kills it. Call this in the tick of the start. Resolves
 * with null after the gate was opened, else with the reason why the command did not start.
 */
export async function releaseCommand(child: ChildProcess, check: MountCheck | null): Promise<string | null> {
  if (check === null) return null;
  const streams: readonly unknown[] = child.stdio;
  const gate = streams[GATE_FD] as Writable;
  gate.on('error', () => {});
  let hasEnded = false;
  const ended = once(child, 'exit').then(
    () => null,
    () => null,
  );
  void ended.then(() => (hasEnded = true));
  const pid = await Promise.race([readProcessId(streams[STATUS_FD] as Readable), ended]);
  // The output of a process that ended has the reason.
  if (pid === null) return null;
  const fault = await check(pid, () => hasEnded).catch((error: unknown) => String(error));
  if (fault === null) {
    gate.end('\0');
    return null;
  }
  const isOver = hasEnded;
  // A gate that closes starts the command, so it closes after its process has ended. That one leads its own namespace.
  if (isAlive(pid)) sendSignal(pid, 'SIGKILL');
  while (isAlive(pid)) await wait(POLL_MS);
  child.kill('SIGKILL');
  await ended;
  gate.destroy();
  return isOver ? null : fault;
}

/** Resolves with the number of the process that leads the command; never if none is reported. */
function readProcessId(status: Readable): Promise<number> {
  return new Promise((resolve) => {
    let text = '';
    status.on('data', (chunk: Buffer | string) => {
      text += String(chunk);
      const pid = /"child-pid": *(\d+)[^\d]/.exec(text)?.[1];
      if (pid !== undefined) resolve(Number(pid));
    });
  });
}

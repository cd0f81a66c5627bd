/** Processes of a command, as far as the system shows them. */
import { readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';

/** In the environment of a command without a sandbox, so that what it started is known wherever it went. */
export const MARKER = 'TRIAD_COMMAND';

/** Whether a process is there and has not ended; one that nobody collected has. */
export function isAlive(pid: number): boolean {
  const found = processOf(String(pid));
  return found !== null && found.state !== 'Z';
}

/**
 * The living processes of the session or group that `leader` leads, those that have the mark in their environment, and
 * the children of all these. None where the system has no /proc. What cleared its environment, left session and group,
 * and lost its parent is not found.
 */
export async function leftovers(leader: number, mark: string): Promise<number[]> {
  const names = await readdir('/proc').catch((): string[] => []);
  const all = names.filter((name) => /^\d+$/.test(name)).flatMap((name) => processOf(name) ?? []);
  const living = all.filter(({ pid, state }) => state !== 'Z' && pid !== process.pid);
  const isMarked = await Promise.all(
    living.map(async ({ pid, session, group }) => {
      if (session === leader || group === leader) return true;
      const environment = await readFile(`/proc/${pid}/environ`, 'latin1').catch(() => '');
      return environment.includes(`${MARKER}=${mark}\0`);
    }),
  );
  const found = new Set(living.filter((_, index) => isMarked[index]).map(({ pid }) => pid));
  for (let before = -1; before !== found.size;) {
    before = found.size;
    for (const { pid, parent } of living) if (found.has(parent)) found.add(pid);
  }
  return [...found];
}

interface Process {
  pid: number;
  /** One letter; `Z`: it ended. */
  state: string;
  parent: number;
  group: number;
  session: number;
}

/** Read at once: the system has it in memory, and to ask by a thread costs five times as much. An environment may have to be waited for. */
function processOf(pid: string): Process | null {
  let text: string;
  try {
    text = readFileSync(`/proc/${pid}/stat`, 'latin1');
  } catch {
    return null;
  }
  // The name, in brackets, may hold anything.
  const [state = '', ...numbers] = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [parent = 0, group = 0, session = 0] = numbers.map(Number);
  return { pid: Number(pid), state, parent, group, session };
}

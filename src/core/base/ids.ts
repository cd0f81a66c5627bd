/** Makes ids: UUIDv7, strictly increasing within the process, also within one millisecond and when the clock goes back. */
import { randomFillSync } from 'node:crypto';

// Module state on purpose: all ids of a process share one order.
let lastMs = 0;
let counter = 0;

/** Bytes of randomness of one id, and of how many it is fetched at once: asking for it takes longer than what it is for. */
const BYTES = 8;
const pool = Buffer.alloc(BYTES * 256);
let used = pool.length;

/** A new id; sorts after every id made before it in this process. */
export function newId(now = Date.now()): string {
  if (now > lastMs) {
    lastMs = now;
    counter = 0;
  } else if (++counter > 0xfff) {
    lastMs += 1;
    counter = 0;
  }
  const time = lastMs.toString(16).padStart(12, '0');
  const random = randomOfOne();
  random[0] = (random[0]! & 0x3f) | 0x80;
  const tail = random.toString('hex');
  const sequence = counter.toString(16).padStart(3, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${sequence}-${tail.slice(0, 4)}-${tail.slice(4)}`;
}

/** Randomness that no other id has. */
function randomOfOne(): Buffer {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += BYTES;
  return pool.subarray(used - BYTES, used);
}

/** Makes every later id sort after this one, even where the clock was put back since it was made. */
export function advanceIdsPast(id: string): void {
  const ms = Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16);
  if (ms <= lastMs) return;
  lastMs = ms;
  // How many ids that millisecond already has is not known, so the next id begins a new one.
  counter = 0xfff;
}

/** The trace of a run: its id in the form that tracing systems want, 32 hexadecimal digits. */
export function traceIdOf(runId: string): string {
  return runId.replaceAll('-', '');
}

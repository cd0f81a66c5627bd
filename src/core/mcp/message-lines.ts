/** Newline-delimited JSON from a server, read without blocking the program. */
import { setTimeout as wait } from 'node:timers/promises';
import { MessageMeter } from './message-limits.ts';

/** After so much work on what a server sends comes a rest, in milliseconds: a flood takes a part of the time at most. */
const WORK_MS = 8;
const REST_MS = 4;
const NEWLINE = 0x0a;
const NOTHING = Buffer.alloc(0);

/** Calls `onLine` for each line without its end, blank ones left out. Resolves with null at the end, or at a message that is too much with the end of a sentence that begins with the server. */
export async function readLines(from: AsyncIterable<Buffer>, onLine: (line: Buffer) => void): Promise<string | null> {
  const meter = new MessageMeter();
  let parts: Buffer[] = [];
  let worked = 0;
  for await (const chunk of from) {
    for (let at = 0; at < chunk.length;) {
      const began = performance.now();
      const end = chunk.indexOf(NEWLINE, at);
      const part = chunk.subarray(at, end === -1 ? chunk.length : end);
      const fault = meter.add(part);
      if (fault !== null) return fault;
      parts.push(part);
      at += part.length + 1;
      if (end !== -1) {
        const line = parts.length === 1 ? part : Buffer.concat(parts);
        parts = [];
        meter.reset();
        if (line.some((byte) => byte > 0x20)) onLine(line);
      }
      worked += performance.now() - began;
      if (worked < WORK_MS) continue;
      await wait(REST_MS);
      worked = 0;
    }
  }
  const rest = parts.length === 0 ? NOTHING : Buffer.concat(parts);
  if (rest.length > 0) onLine(rest);
  return null;
}

/** The switches of Electron as they stand in the program file that runs: after a mark, a version, a length, and one character each. */
import { createReadStream } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Fuse, FUSES } from '#contract/hosts/security.ts';

const MARK = Buffer.from('dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX');
const VERSION = 1;
const [ON, OFF] = ['1'.charCodeAt(0), '0'.charCodeAt(0)];

/** Where the wire stands: macOS keeps it in the framework beside the program. */
export function wireFile(program: string, platform: string): string {
  return platform === 'darwin'
    ? join(dirname(program), '../Frameworks/Electron Framework.framework/Electron Framework')
    : program;
}

/**
 * What the file says of each fuse that its version of Electron has; null where it has no wire, or one of another version.
 * Read piece by piece: the file has 200 MB, and `@electron/fuses` would hold all of them.
 */
export async function fusesIn(file: string): Promise<Fuse[] | null> {
  let before = Buffer.alloc(0);
  try {
    for await (const piece of createReadStream(file, { highWaterMark: 1024 * 1024 }) as AsyncIterable<Buffer>) {
      const bytes = Buffer.concat([before, piece]);
      const at = bytes.indexOf(MARK);
      // With the bytes that follow it, whose number is one byte.
      if (at >= 0 && bytes.length >= at + MARK.length + 2 + 255) return fusesAt(bytes.subarray(at + MARK.length));
      before = at >= 0 ? bytes.subarray(at) : bytes.subarray(-MARK.length + 1);
    }
  } catch {
    return null;
  }
  return before.indexOf(MARK) === 0 ? fusesAt(before.subarray(MARK.length)) : null;
}

function fusesAt(wire: Buffer): Fuse[] | null {
  const [version, length = 0] = wire;
  const states = wire.subarray(2, 2 + length);
  if (version !== VERSION || states.length !== length) return null;
  // One that was taken out of Electron stands there, too, and does nothing.
  return FUSES.flatMap((name, at) =>
    states[at] === ON || states[at] === OFF ? [{ name, on: states[at] === ON }] : [],
  );
}

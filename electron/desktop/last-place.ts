/** Where the person was: the app opens there again, after a crash too. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { writeAtomically } from '#core/base/atomic-file.ts';
import { SerialQueue } from '#core/base/serial-queue.ts';

const File = z.object({ path: z.string().startsWith('/').max(2048) });

export interface LastPlace {
  /** `/` where none is known. */
  read(): Promise<string>;
  note(path: string): void;
  /** Resolves when everything that was noted is written. */
  flush(): Promise<void>;
}

export function lastPlace(dataFolder: string): LastPlace {
  const file = join(dataFolder, 'desktop.json');
  let newest = '';
  const writes = new SerialQueue();

  const write = async (path: string) => {
    // Somebody went on meanwhile.
    if (path === newest) await writeAtomically(file, `${JSON.stringify({ path })}\n`);
  };
  return {
    read: async () => {
      try {
        return File.parse(JSON.parse(await readFile(file, 'utf8'))).path;
      } catch {
        return '/';
      }
    },
    note: (path) => {
      if (path === newest) return;
      newest = path;
      // Not worth an error: without it the app opens at its first page.
      writes.add(() => write(path)).catch(() => undefined);
    },
    flush: () => writes.settled(),
  };
}

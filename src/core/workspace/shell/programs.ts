/** Where programs that start others lie. */
import { constants } from 'node:fs';
import { access, realpath } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import type { Environment } from '../../base/child-environment.ts';
import { isInside } from '../reach.ts';

/** Looked at first: what stands in a PATH may be a folder that an agent writes to. */
const SYSTEM = ['/usr/bin', '/bin', '/usr/local/bin'];

/** The absolute path of a program; null where there is none, or only one that lies in `barred`. */
export async function findProgram(name: string, env: Environment, barred: string | null): Promise<string | null> {
  const folders = [...SYSTEM, ...(env['PATH'] ?? '').split(':').filter(isAbsolute)];
  for (const folder of new Set(folders)) {
    const path = join(folder, name);
    const real = await access(path, constants.X_OK).then(
      () => realpath(path),
      () => null,
    );
    if (real !== null && !(barred !== null && barred !== '/' && isInside(barred, real))) return path;
  }
  return null;
}

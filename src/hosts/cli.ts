#!/usr/bin/env node
/** The entry of the command line: turns on the cache of compiled modules, then loads the rest. */
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { writeFault } from '#core/base/write-fault.ts';
import { folders } from '#core/settings/folders.ts';

// Static imports of this file are compiled on each start: the cache is not on yet.
await useCompileCache().catch(() => undefined);
const { start } = await import('./cli/start.ts');
await start();

async function useCompileCache(): Promise<void> {
  const cache = join((await folders(process.env)).data, 'cache');
  // It holds code that is run.
  if ((await writeFault(cache)) === null) enableCompileCache(cache);
}

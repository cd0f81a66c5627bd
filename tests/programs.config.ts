// Builds the programs that tests start again and again: in less than half the processor time that their sources take to load.
import { globSync } from 'node:fs';
import { basename, join } from 'node:path';
import { defineConfig } from 'vite';
import { programs } from '../vite.electron.config.ts';

const root = join(import.meta.dirname, '..');
const sources = [
  ...globSync(
    'tests/core/store/child/{archiving,store,damage,killed-at,owner,full,read-all,play-plans,remote,power,power-look}.ts',
    { cwd: root },
  ),
  'tests/bench/server-process.ts',
  'tests/bench/side-process.ts',
  'tests/core/mcp/child/hold-pool.ts',
  'tests/core/runs/undo/child/killed-undo.ts',
  'tests/hosts/support/app-process.ts',
  'tests/soak/campaign-reader.ts',
  'tests/soak/die-at.ts',
  'tests/soak/flips/flipped-store.ts',
  'tests/support/crash-host.ts',
  'tests/support/crash-resumer.ts',
  'tests/support/lying-server.ts',
  'e2e/support/hosts-program.ts',
];

export default defineConfig(
  programs('dist/tests', Object.fromEntries(sources.map((path) => [basename(path, '.ts'), join(root, path)]))),
);

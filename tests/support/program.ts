/** The command line that tests start: the bundle that a person starts, or the sources where one of them is newer. */
import { createRequire } from 'node:module';
import { join } from 'node:path';

interface Bundles {
  program: unknown;
  isFresh: (bundle: unknown) => boolean;
}

const ROOT = join(import.meta.dirname, '../..');
const { isFresh, program } = createRequire(import.meta.url)('../../scripts/bundles.cjs') as Bundles;

export const CLI = join(ROOT, isFresh(program) ? 'dist/electron/cli.js' : 'src/hosts/cli.ts');

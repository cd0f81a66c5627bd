/** The programs that tests start: the bundle, as a person does, or the sources where one of them is newer. */
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';

interface Bundles {
  web: unknown;
  program: unknown;
  testPrograms: unknown;
  isFresh: (bundle: unknown) => boolean;
}

export const ROOT = join(import.meta.dirname, '../..');
const { isFresh, program, testPrograms, web } = createRequire(import.meta.url)('../../scripts/bundles.cjs') as Bundles;

const isProgramBuilt = isFresh(program);
/** Whether `bin/triad` finds nothing to build. */
export const isBuilt = (): boolean => isProgramBuilt && isFresh(web);

export const CLI = join(ROOT, isProgramBuilt ? 'dist/electron/cli.js' : 'src/hosts/cli.ts');

let bundled: boolean | undefined;

/** What to start for a program of `programs.config.ts`, by the path of its source. */
export function builtProgram(source: string): string {
  bundled ??= isFresh(testPrograms);
  return bundled ? join(ROOT, 'dist/tests', `${basename(source, '.ts')}.js`) : source;
}

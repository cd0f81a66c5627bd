/**
 * Puts the command line into `dist/cli`, with nothing of earlier builds and nothing of the desktop, and what is said of
 * packages into `dist`: `npm pack` packs that, and `npm run dist`.
 */
import { cpSync, mkdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { writeNotices } from './notices.ts';
import { BUNDLE, reachedFiles, ROOT } from './shipped.ts';

const STAGE = join(ROOT, 'dist/cli');

rmSync(STAGE, { recursive: true, force: true });
for (const name of reachedFiles('cli.js')) {
  mkdirSync(dirname(join(STAGE, name)), { recursive: true });
  cpSync(join(ROOT, BUNDLE, name), join(STAGE, name));
}
writeNotices();

/**
 * Puts the command line into `dist/cli`, with nothing of earlier builds and nothing of the desktop, and what is said of
 * packages into `dist`: `npm pack` packs that, and `npm run dist`.
 */
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { licences, sbom } from './notices.ts';
import { BUILT, commandLineFiles, ROOT } from './shipped.ts';

const STAGE = join(ROOT, 'dist/cli');

rmSync(STAGE, { recursive: true, force: true });
for (const name of commandLineFiles()) {
  mkdirSync(dirname(join(STAGE, name)), { recursive: true });
  cpSync(join(BUILT, name), join(STAGE, name));
}
writeFileSync(join(ROOT, 'dist/THIRD-PARTY-LICENSES.txt'), licences());
writeFileSync(join(ROOT, 'dist/sbom.cdx.json'), sbom());

/**
 * Packs what the bootstrap has built, as electron-builder.yml says, for the platform that this runs on: a folder with
 * the Electron runtime and the app in it, in `dist/packed` or where `--output` says. Exits with 1 where there is no
 * runtime and none can be had. `ELECTRON_OVERRIDE_DIST_PATH` names a folder that has one.
 */
import { readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { AfterPackContext, Configuration, FileSet } from 'electron-builder';
import { parse } from 'yaml';
import { fetchDesktop, findDesktop } from '../src/hosts/cli/commands/desktop/desktop-runtime.ts';

const ROOT = join(import.meta.dirname, '..');
const BUNDLE = 'dist/electron';
const { env, platform } = process;
const given = env['ELECTRON_OVERRIDE_DIST_PATH'];

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

/** Why there is no runtime; null if there is one. */
async function missingRuntime(): Promise<string | null> {
  const found = await findDesktop(env, platform);
  if (found.ok) return null;
  if (given) return found.reason;
  // Also where there is no display: packing needs none.
  const fetched = await fetchDesktop(env, platform, new AbortController().signal);
  return fetched.ok ? null : fetched.reason;
}

async function pack(output: string | undefined): Promise<void> {
  const { build } = await import('electron-builder');
  const config = parse(read('electron-builder.yml')) as Configuration & { files: (string | FileSet)[] };
  const bundle = { from: BUNDLE, to: BUNDLE, filter: JSON.parse(read(`${BUNDLE}.json`)) as string[] };
  await build({
    projectDir: ROOT,
    dir: true,
    publish: 'never',
    config: {
      ...config,
      directories: { ...config.directories, ...(output !== undefined && { output: resolve(output) }) },
      files: [...config.files, bundle],
      electronDist: given ? resolve(given) : join(ROOT, 'node_modules/electron/dist'),
      // Packages are neither compiled nor looked up: those that are needed are listed.
      beforeBuild: () => Promise.resolve(false),
      afterPack: report,
    },
  });
}

function report({ appOutDir }: AfterPackContext): Promise<void> {
  const folder = relative(process.cwd(), appOutDir);
  console.log(`Packed: ${folder}`);
  console.log('Not built: installers, whose tools come from the internet. Where it can be reached, this builds them:');
  console.log(`  npx electron-builder --prepackaged ${folder}`);
  return Promise.resolve();
}

const { values } = parseArgs({ options: { output: { type: 'string' } } });
const missing = await missingRuntime();
if (missing === null) await pack(values.output);
else {
  console.log('Built: the web client (build/) and the program (dist/electron/).');
  console.log(`Not packed: there is no Electron runtime, because ${missing}.`);
  if (!given) console.log('Where a folder has one: ELECTRON_OVERRIDE_DIST_PATH=FOLDER npm run dist');
  process.exitCode = 1;
}

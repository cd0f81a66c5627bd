/**
 * Packs what the bootstrap has built, as electron-builder.yml says, for the platform that this runs on: a folder with
 * the Electron runtime, the app and its command line in it, in `dist/packed` or where `--output` says; then installers of
 * it, but for those whose tools can't be had, which it says (`--dir`: none). Exits with 1 where there is no runtime and none
 * can be had. `ELECTRON_OVERRIDE_DIST_PATH` names a folder that has one, `TRIAD_DIST_NODE` the Node of the command line.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { AfterPackContext, Configuration, FileSet } from 'electron-builder';
import { parse } from 'yaml';
import { fetchDesktop, findDesktop } from '../src/hosts/cli/commands/desktop/desktop-runtime.ts';
import { type Release, releaseOf } from './package/credentials.ts';
import { writeNotices } from './package/notices.ts';
import { BUNDLE, manifest, reachedFiles, ROOT } from './package/shipped.ts';

/** What of the command line's copy is made here. */
const MADE = 'dist/command-line';
/** Where it lies among the app's resources. */
const CLI = 'app.asar.unpacked/cli';
const { env, platform, arch } = process;
const given = env['ELECTRON_OVERRIDE_DIST_PATH'];

/** Why there is no runtime; null if there is one. */
async function missingRuntime(): Promise<string | null> {
  const found = await findDesktop(env, platform);
  if (found.ok) return null;
  if (given) return found.reason;
  // Also where there is no display: packing needs none.
  const fetched = await fetchDesktop(env, platform, new AbortController().signal);
  return fetched.ok ? null : fetched.reason;
}

/** The bundle in the archive, and what the command line needs of it outside. */
function bundles(): { inside: FileSet; outside: FileSet[] } {
  const { name, version, type } = manifest;
  mkdirSync(join(ROOT, MADE), { recursive: true });
  writeFileSync(join(ROOT, MADE, 'package.json'), `${JSON.stringify({ name, version, type })}\n`);
  return {
    inside: { from: BUNDLE, to: BUNDLE, filter: reachedFiles('main.js', 'preload.cjs') },
    outside: [
      { from: BUNDLE, to: `${CLI}/${BUNDLE}`, filter: reachedFiles('cli.js') },
      { from: MADE, to: CLI, filter: ['package.json'] },
    ],
  };
}

/** The Node of the command line, by its path; null where none is packed. */
function packagedNode(): string | null {
  const name = platform === 'win32' ? 'node.exe' : 'node';
  const folder = `node-${platform === 'win32' ? 'win' : platform}-${arch}`;
  const path = env['TRIAD_DIST_NODE'] ?? join(ROOT, 'node_modules', folder, 'bin', name);
  return existsSync(path) ? resolve(path) : null;
}

/** What is added to electron-builder.yml, which is read too. */
function additions(output: string | undefined, { notarise, feed }: Release): Configuration {
  const node = packagedNode();
  const { inside, outside } = bundles();
  if (node !== null) outside.push({ from: node, to: `bin/${platform === 'win32' ? 'node.exe' : 'node'}` });
  return {
    ...(output !== undefined && { directories: { output: resolve(output) } }),
    files: [inside],
    extraResources: outside,
    mac: { notarize: notarise },
    publish: feed === null ? null : { provider: 'generic', url: feed },
    electronDist: given ? resolve(given) : join(ROOT, 'node_modules/electron/dist'),
    // Packages are neither compiled nor looked up: those that are needed are listed.
    beforeBuild: () => Promise.resolve(false),
  };
}

async function pack(output: string | undefined, onlyFolder: boolean): Promise<void> {
  const { build } = await import('electron-builder');
  const release = releaseOf(env, platform);
  writeNotices();
  const config = additions(output, release);
  const packed: string[] = [];
  const afterPack = ({ appOutDir }: AfterPackContext): Promise<void> => {
    packed.push(appOutDir);
    return Promise.resolve();
  };
  await build({ projectDir: ROOT, dir: true, publish: 'never', config: { ...config, afterPack } });
  const [folder = ''] = packed;
  console.log(`Packed: ${relative(process.cwd(), folder)}, ${megabytes(bytesIn(folder))}`);
  if (packagedNode() === null) console.log('Without Node for the command line: it will need one of 24 or newer.');
  for (const line of release.left) console.log(line);
  if (!onlyFolder) await installers(folder, config);
}

/** One after the other, so that one whose tools are missing keeps none of the others back. */
async function installers(folder: string, config: Configuration): Promise<void> {
  const { build, Platform, archFromString } = await import('electron-builder');
  const universal = platform === 'darwin';
  const { mac, win, linux } = parse(readFileSync(join(ROOT, 'electron-builder.yml'), 'utf8')) as Configuration;
  const options = universal ? mac : platform === 'win32' ? win : linux;
  for (const one of [options?.target ?? []].flat()) {
    const name = typeof one === 'string' ? one : one.target;
    const targets = Platform.current().createTarget(name, archFromString(universal ? 'universal' : arch));
    try {
      // The parts of a universal app are packed for it.
      const prepackaged = universal ? {} : { prepackaged: folder };
      const made = await build({ projectDir: ROOT, targets, ...prepackaged, publish: 'never', config });
      for (const file of made) console.log(`Built: ${relative(process.cwd(), file)}`);
    } catch (error) {
      const [reason] = (error instanceof Error ? error.message : String(error)).split('\n');
      console.log(`Not built: ${name}, because ${reason}`);
    }
  }
}

function bytesIn(folder: string): number {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
  return files.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
}

const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;

const { values } = parseArgs({ options: { output: { type: 'string' }, dir: { type: 'boolean', default: false } } });
const missing = await missingRuntime();
if (missing === null) await pack(values.output, values.dir);
else {
  console.log('Built: the web client (build/) and the program (dist/electron/).');
  console.log(`Not packed: there is no Electron runtime, because ${missing}.`);
  if (!given) console.log('Where a folder has one: ELECTRON_OVERRIDE_DIST_PATH=FOLDER npm run dist');
  process.exitCode = 1;
}

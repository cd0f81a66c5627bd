/** What `npm run dist` packs: all that the program starts and reads, nothing else; in the soak it works where there is nothing else. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { extractAll } from '@electron/asar';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { Script, text, toolUse } from '../support/fake-model/script.ts';
import { isBuilt, ROOT } from '../support/program.ts';
import { inSoak } from '../support/samples.ts';
import { folderWith } from '../support/workspace.ts';
import { machine } from './support/process.ts';

/** The files below a folder, by their paths in it. */
async function filesIn(folder: string): Promise<string[]> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = found.filter((one) => one.isFile());
  return files.map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1)).sort();
}

interface Finished {
  code: number;
  out: string;
  err: string;
}

const builtFiles = async () => JSON.parse(await readFile(join(ROOT, 'dist/electron.json'), 'utf8')) as string[];

/** Packs with this folder as the runtime. */
async function dist(runtime: string, output: string, signal: AbortSignal): Promise<Finished> {
  const args = [join(ROOT, 'scripts/dist.ts'), '--output', output];
  const env = { ...process.env, ELECTRON_OVERRIDE_DIST_PATH: runtime };
  return new Promise((resolve) => {
    const child = execFile(process.execPath, args, { env, cwd: output, signal }, (_error, out, err) =>
      resolve({ code: child.exitCode ?? -1, out, err }),
    );
  });
}

const isHere = isBuilt() && process.platform === 'linux';

test.runIf(isHere && inSoak)('what was packed is all that it needs, and works by itself', async ({ signal }) => {
  const place = await folderWith({ 'runtime/electron': 'not a runtime' });
  const packed = await dist(join(place, 'runtime'), place, signal);
  expect(packed, packed.err).toMatchObject({ code: 0 });
  const [, name = ''] = /^Packed: (linux-(?:\w+-)?unpacked)$/m.exec(packed.out) ?? [];
  expect(packed.out).toMatch(/^Not built: installers, /m);
  const folder = join(place, name);

  const app = join(place, 'app');
  extractAll(join(folder, 'resources/app.asar'), app);
  await onlyWhatIsNeeded(app);
  const engine = `@surrealdb/node/dist/surrealdb-node.linux-${process.arch}-gnu.node`;
  expect(await filesIn(join(folder, 'resources/app.asar.unpacked'))).toEqual([`node_modules/${engine}`]);
  expect((await filesIn(app)).filter((name) => name.endsWith('.node'))).toEqual([`node_modules/${engine}`]);
  await worksAlone(app);
});

async function onlyWhatIsNeeded(app: string): Promise<void> {
  expect((await readdir(app)).sort()).toEqual(['build', 'dist', 'node_modules', 'package.json', 'schema']);
  for (const name of ['build', 'schema'])
    expect(await filesIn(join(app, name))).toEqual(await filesIn(join(ROOT, name)));
  const built = await builtFiles();
  const program = await filesIn(join(app, 'dist'));
  expect(program).toEqual(built.map((name) => `electron/${name}`).sort());
  const modules = await filesIn(join(app, 'node_modules'));
  expect(modules.filter((name) => !/(\.m?js|\/package\.json|\/refs\/.*\.json|\.node)$/.test(name))).toEqual([]);
  expect(JSON.parse(await readFile(join(app, 'package.json'), 'utf8'))).toMatchObject({
    type: 'module',
    main: 'dist/electron/main.js',
  });
}

test.runIf(isHere)('what it starts and reads is built, and there to be packed', async () => {
  const workers = ['search-worker.js', 'ripgrep-thread.js', 'pdf-worker.js'];
  const starts = ['main.js', 'preload.cjs', 'cli.js', 'check-copy.js', ...workers];
  const built = await builtFiles();
  expect(built).toEqual(expect.arrayContaining([...starts, 'prices.toml', 'builtin/lead.md']));
  expect(built.filter((name) => !existsSync(join(ROOT, 'dist/electron', name)))).toEqual([]);
});

/** The engine with its schema, agents in TOML, the check of agents' JSON, the thread that searches, prices, the program that checks copies. */
async function worksAlone(app: string): Promise<void> {
  const script = new Script()
    .step([toolUse('grep', { pattern: 'workspace' })])
    .step(({ results }) => [text(results.map(({ text: found }) => found).join('\n'))]);
  const { triad, home, model } = await machine(script, join(app, 'dist/electron/cli.js'));
  await cp(join(ROOT, 'docs/examples/agents/translator.toml'), join(home, 'agents/translator.toml'));

  const run = await triad(['run', '--approve', 'all', 'Search it']);
  expect(run.out, run.err).toBe('README.md:1:# A workspace\n');
  expect(run.err).toMatch(/^completed · .+ · \$0\.\d+$/m);
  const told = JSON.stringify(model.requests[0]?.body);
  expect(told).toContain('translator');
  expect(told, 'an agent with a schema, and a composition').toMatch(/TASK-SMART.*fact-finder/);

  const backup = await triad(['backup', '--json']);
  expect(JSON.parse(backup.out), backup.err).toMatchObject({ conversations: 1, missing: null });
}

test.runIf(isHere)('where there is no runtime, it says so and packs nothing', async ({ signal }) => {
  const place = await folderWith();
  const { code, out, err } = await dist(join(place, 'none'), place, signal);
  expect([code, err]).toEqual([1, '']);
  expect(out).toMatch(/^Not packed: there is no Electron runtime, because ELECTRON_OVERRIDE_DIST_PATH says .+none,/m);
  expect(await readdir(place)).toEqual([]);
});

test.for(['linux', 'win', 'mac'])('the engine for %s that is packed is one that there is', async (platform) => {
  const config = parse(await readFile(join(ROOT, 'electron-builder.yml'), 'utf8')) as Record<
    string,
    { files: { from: string; to: string; filter: string } }
  >;
  const { from, to, filter } = config[platform]!.files;
  expect(to).toBe(from);
  const engines = ['x64', 'arm64'].map((arch) => join(from, filter.replace('${arch}', arch)));
  expect(engines.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  expect(new Set(engines).size).toBe(2);
});

/** What `npm run dist` packs: all that the program starts and reads, nothing else; in the full run it works where there is nothing else. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { extractAll } from '@electron/asar';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { reachedFiles } from '../../scripts/package/shipped.ts';
import { Script, text, toolUse } from '../support/fake-model/script.ts';
import { dist, filesIn, fusesOf, looksOf, packApp } from './support/packed-app.ts';
import { isBuilt, ROOT } from '../support/program.ts';
import { fullTest } from '../support/samples.ts';
import { folderWith } from '../support/workspace.ts';
import { machine } from './support/process.ts';

const builtFiles = async () => JSON.parse(await readFile(join(ROOT, 'dist/electron.json'), 'utf8')) as string[];

const isHere = isBuilt() && process.platform === 'linux';
const ENGINE = `node_modules/@surrealdb/node/dist/surrealdb-node.linux-${process.arch}-gnu.node`;

fullTest(
  [
    'tests/hosts/packed.test.ts › every file that the program starts or reads is built and packed',
    'tests/hosts/packed.test.ts › every fuse has an explicit value, and the desktop file registers the link scheme',
  ],
  isHere,
)('the packed app contains exactly the needed files, and works alone', async ({ signal }) => {
  const place = await folderWith();
  const packed = await packApp(place, signal);
  expect(packed, packed.err).toMatchObject({ code: 0 });
  console.log(/^Packed: .*$/m.exec(packed.out)?.[0]);
  const resources = join(packed.folder, 'resources');
  // RunAsNode off; cookies encrypted; no NODE_OPTIONS, no inspection; archive checked, and the only place; two off, one left.
  expect(fusesOf(await readFile(join(packed.folder, 'triad-desktop')))).toBe('010011001');
  expect(await readFile(join(resources, 'app-update.yml'), 'utf8')).toContain('https://updates.test/triad');

  const app = join(place, 'app');
  extractAll(join(resources, 'app.asar'), app);
  await onlyWhatIsNeeded(app);
  await onlyWhatTheCommandLineNeeds(resources);
  await worksAlone(join(resources, 'app.asar.unpacked/cli'));
  await worksWithItsNode(packed.folder);
});

async function onlyWhatIsNeeded(app: string): Promise<void> {
  expect((await readdir(app)).sort()).toEqual(['build', 'dist', 'node_modules', 'package.json', 'schema']);
  for (const name of ['build', 'schema'])
    expect(await filesIn(join(app, name))).toEqual(await filesIn(join(ROOT, name)));
  const program = await filesIn(join(app, 'dist'));
  expect(program).toEqual(reachedFiles('main.js', 'preload.cjs').map((name) => `electron/${name}`));
  const modules = await filesIn(join(app, 'node_modules'));
  expect(modules.filter((name) => !/(\.m?js|\/package\.json|\/refs\/.*\.json|\.node)$/.test(name))).toEqual([]);
  expect(modules.filter((name) => name.endsWith('.node'))).toEqual([ENGINE.replace('node_modules/', '')]);
  const all = await filesIn(app);
  expect(all.filter((name) => /\.(map|ts|svelte)$|\.test\.|\/tests?\//.test(name))).toEqual([]);
  const manifest = JSON.parse(await readFile(join(app, 'package.json'), 'utf8')) as object;
  expect(manifest).toMatchObject({ type: 'module', main: 'dist/electron/main.js' });
  expect(manifest).not.toHaveProperty('devDependencies');
}

async function onlyWhatTheCommandLineNeeds(resources: string): Promise<void> {
  const places = [
    'THIRD-PARTY-LICENSES.txt',
    'app-update.yml',
    'app.asar',
    'app.asar.unpacked',
    'bin',
    'sbom.cdx.json',
  ];
  expect((await readdir(resources)).sort()).toEqual(places);
  expect(await readdir(join(resources, 'bin'))).toEqual(['node', 'triad']);
  const unpacked = join(resources, 'app.asar.unpacked');
  expect((await readdir(unpacked)).sort()).toEqual(['cli', 'node_modules']);
  const wanted = [
    ...(await filesIn(join(ROOT, 'build'))).map((name) => `build/${name}`),
    ...reachedFiles('cli.js').map((name) => `dist/electron/${name}`),
    'package.json',
    ...(await filesIn(join(ROOT, 'schema'))).map((name) => `schema/${name}`),
  ];
  expect(await filesIn(join(unpacked, 'cli'))).toEqual(wanted.sort());
}

/** From another folder, with nothing on the path, in a home of its own: nothing is written outside of the data folder. */
async function worksWithItsNode(folder: string): Promise<void> {
  const script = new Script().step([text('Done.')]);
  const { model, folder: workspace } = await machine(script);
  const home = await folderWith({ '.profile': '' });
  const data = join(home, 'data');
  await mkdir(data);
  const env = { PATH: '', HOME: home, TRIAD_HOME: data, ANTHROPIC_API_KEY: 'sk-test', ANTHROPIC_BASE_URL: model.url };
  const before = await looksOf(folder);
  const inWorkspace = await looksOf(workspace);
  const finished = await new Promise<[Error | null, string]>((resolve) => {
    const child = execFile(
      join(folder, 'resources/bin/triad'),
      ['run', 'Hello'],
      { env, cwd: workspace },
      (fault, out) => resolve([fault, out]),
    );
    child.stdin?.end();
  });
  expect(finished).toEqual([null, 'Done.\n']);
  expect(await looksOf(folder)).toEqual(before);
  expect(await looksOf(workspace)).toEqual(inWorkspace);
  const outside = (await filesIn(home)).filter((name) => !name.startsWith('data/'));
  expect(outside).toEqual(['.profile']);
}

test.runIf(isHere)('every file that the program starts or reads is built and packed', async () => {
  const workers = ['search-worker.js', 'ripgrep-thread.js', 'pdf-worker.js', 'page-worker.js'];
  const reads = ['prices.toml', 'builtin/lead.md'];
  const built = await builtFiles();
  expect(built.filter((name) => !existsSync(join(ROOT, 'dist/electron', name)))).toEqual([]);
  const desktop = reachedFiles('main.js', 'preload.cjs');
  const cli = reachedFiles('cli.js');
  for (const one of [desktop, cli])
    expect(one).toEqual(expect.arrayContaining(['check-copy.js', ...workers, ...reads]));
  expect(cli.filter((name) => /^(main|preload)\./.test(name))).toEqual([]);
  expect(desktop).not.toContain('cli.js');
  expect(
    built.filter((name) => !desktop.includes(name) && !cli.includes(name)),
    'what nothing reaches',
  ).toEqual([]);
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

test.runIf(isHere)('packs nothing and reports it if there is no Electron runtime', async ({ signal }) => {
  const place = await folderWith();
  const { code, out, err } = await dist(join(place, 'none'), place, signal);
  expect([code, err]).toEqual([1, '']);
  expect(out).toMatch(/^Not packed: there is no Electron runtime, because ELECTRON_OVERRIDE_DIST_PATH says .+none,/m);
  expect(await readdir(place)).toEqual([]);
});

test.for(['linux', 'win', 'mac'])('the packed database engine for %s exists', async (platform) => {
  const config = parse(await readFile(join(ROOT, 'electron-builder.yml'), 'utf8')) as Record<
    string,
    { files: { from: string; to: string; filter: string } }
  >;
  const { from, to, filter } = config[platform]!.files;
  expect(to).toBe(from);
  const engines = ['x64', 'arm64'].map((arch) => join(from, filter.replace(/\$\{arch\}|(?<=darwin-)\*/, arch)));
  expect(engines.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  expect(new Set(engines).size).toBe(2);
});

test('every fuse has an explicit value, and the desktop file registers the link scheme', async () => {
  const config = parse(await readFile(join(ROOT, 'electron-builder.yml'), 'utf8')) as Record<string, unknown>;
  expect(config['electronFuses']).toEqual({
    runAsNode: false,
    enableCookieEncryption: true,
    enableNodeOptionsEnvironmentVariable: false,
    enableNodeCliInspectArguments: false,
    enableEmbeddedAsarIntegrityValidation: true,
    onlyLoadAppFromAsar: true,
    loadBrowserProcessSpecificV8Snapshot: false,
    grantFileProtocolExtraPrivileges: false,
  });
  expect(config['protocols']).toMatchObject({ schemes: ['triad'] });
  expect(config['mac']).toMatchObject({ hardenedRuntime: true });
});

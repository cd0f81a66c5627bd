// What is built from which sources, and whether that is fresh: for the bootstrap, and for tests that start the program.
'use strict';
const { createHash } = require('node:crypto');
const fs = require('node:fs');
const path = require('node:path');

const root = path.resolve(__dirname, '..');

/** Files and folders below `start`. */
function* walk(start) {
  let stat;
  try {
    stat = fs.statSync(start);
  } catch {
    return;
  }
  yield [start, stat];
  if (stat.isDirectory()) for (const name of fs.readdirSync(start).sort()) yield* walk(path.join(start, name));
}

/** `result`: the last file that a build writes. */
const web = {
  name: 'the web client',
  result: 'build/index.html',
  sources: [
    ...[
      'src/contract',
      'src/domain',
      'src/lib',
      'src/routes',
      'src/app.html',
      'src/app.css',
      'src/colours.css',
      'src/fonts.css',
      'static',
      'vite.config.ts',
      'scripts/plain-icons.ts',
    ],
    'package-lock.json',
  ],
  options: [],
};
const program = {
  name: 'the program',
  result: 'dist/electron/preload.cjs',
  sources: [
    'src/contract',
    'src/domain',
    'src/core',
    'src/hosts',
    'electron',
    'vite.electron.config.ts',
    'package-lock.json',
  ],
  options: ['--app', '--config', 'vite.electron.config.ts'],
  // Of earlier builds.
  leaves: 'dist/electron',
};

/** The programs that tests start again and again; no person does. */
const testPrograms = {
  name: 'the programs of the tests',
  result: 'dist/tests/hosts-program.js',
  sources: [
    'src/contract',
    'src/domain',
    'src/core',
    'src/hosts',
    'tests/core/store',
    'tests/hosts/support',
    'tests/support',
  ].concat(['e2e/support', 'tests/soak', 'tests/programs.config.ts', 'vite.electron.config.ts', 'package-lock.json']),
  options: ['--app', '--config', 'tests/programs.config.ts'],
  leaves: 'dist/tests',
};

/** Components in all states, for the spec that looks at them. */
const gallery = {
  name: 'the component gallery',
  result: 'dist/gallery/index.html',
  sources: [...web.sources, 'e2e/gallery', 'tests/lib/support'],
  options: ['--config', 'e2e/gallery/vite.config.ts'],
};

const hash = (parts) => parts.reduce((all, part) => all.update(part).update('\0'), createHash('sha256')).digest('hex');

/** The files that it is built from; what the system says of them: also an older file, or one with a forged time, differs. */
function filesOf({ sources }, at) {
  const files = sources.flatMap((source) => [...walk(path.join(at, source))].filter(([, stat]) => stat.isFile()));
  const looks = files.map(([file, { size, mtimeMs, ctimeMs }]) => `${file} ${size} ${mtimeMs} ${ctimeMs}`);
  return { files: files.map(([file]) => file), looks: hash(looks) };
}

const contentOf = (files, at) => hash(files.flatMap((file) => [path.relative(at, file), fs.readFileSync(file)]));

/** Of which build is spoken: 0 for none. */
const builtAt = ({ result }, at) => fs.statSync(path.join(at, result), { throwIfNoEntry: false })?.mtimeMs ?? 0;

const stampOf = ({ result }, at) => path.join(at, 'node_modules', `.triad-built-${result.replaceAll('/', '-')}`);

/** To be called before a build: the returned function says after it that it is of what the sources were then. */
function beginBuild(bundle, at = root) {
  const { files, looks } = filesOf(bundle, at);
  const content = contentOf(files, at);
  return () => fs.writeFileSync(stampOf(bundle, at), JSON.stringify({ looks, content, built: builtAt(bundle, at) }));
}

/** Whether the last build is of these sources: by what is in them, which is read only where they look changed. */
function isFresh(bundle, at = root) {
  let stamp;
  try {
    stamp = JSON.parse(fs.readFileSync(stampOf(bundle, at), 'utf8'));
  } catch {
    return false;
  }
  if (stamp.built !== builtAt(bundle, at)) return false;
  const { files, looks } = filesOf(bundle, at);
  return looks === stamp.looks || contentOf(files, at) === stamp.content;
}

module.exports = { beginBuild, gallery, isFresh, program, testPrograms, walk, web };

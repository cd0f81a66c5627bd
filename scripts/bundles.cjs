// What is built from which sources, and whether that is fresh: for the bootstrap, and for tests that start the program.
'use strict';
const fs = require('node:fs');
const path = require('node:path');

const root = path.resolve(__dirname, '..');

/** Files and folders below `start`, folders included so that a deletion shows in a modification time. */
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
    ...['src/contract', 'src/lib', 'src/routes', 'src/app.html', 'src/app.css', 'static', 'vite.config.ts'],
    'package-lock.json',
  ],
  options: [],
};
const program = {
  name: 'the program',
  result: 'dist/electron/preload.cjs',
  sources: ['src/contract', 'src/core', 'src/hosts', 'electron', 'vite.electron.config.ts', 'package-lock.json'],
  options: ['--app', '--config', 'vite.electron.config.ts'],
  // Of earlier builds.
  leaves: 'dist/electron',
};

/** The programs that tests start again and again; no person does. */
const testPrograms = {
  name: 'the programs of the tests',
  result: 'dist/tests/hosts-program.js',
  sources: ['src/contract', 'src/core', 'src/hosts', 'tests/core/store', 'tests/hosts/support', 'tests/support'].concat(
    ['e2e/support', 'tests/programs.config.ts', 'vite.electron.config.ts', 'package-lock.json'],
  ),
  options: ['--app', '--config', 'tests/programs.config.ts'],
  leaves: 'dist/tests',
};

/** Whether nothing that it is built from has changed since. */
function isFresh({ result, sources }) {
  const built = fs.statSync(path.join(root, result), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return sources.every((source) => [...walk(path.join(root, source))].every(([, stat]) => stat.mtimeMs <= built));
}

module.exports = { isFresh, program, testPrograms, walk, web };

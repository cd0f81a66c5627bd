#!/usr/bin/env node
// The command line as an installed package: becomes the program on this Node, or on the packaged one where this is older.
// Runs on whatever Node the machine has, so it is CommonJS without dependencies.
'use strict';
const { spawn } = require('node:child_process');
const { existsSync } = require('node:fs');
const path = require('node:path');
const { pathToFileURL } = require('node:url');

const NEEDED = 24;
const STOPS = ['SIGINT', 'SIGTERM', 'SIGHUP'];
const cli = path.join(__dirname, '..', 'dist', 'cli', 'cli.js');

/** The Node that came with this package, where there is one for this platform. */
function packagedNode() {
  const isWindows = process.platform === 'win32';
  const name = `node-${isWindows ? 'win' : process.platform}-${process.arch}`;
  const places = (require.resolve.paths(name) || []).map((place) => path.join(place, name, 'bin'));
  return places.map((place) => path.join(place, isWindows ? 'node.exe' : 'node')).find((file) => existsSync(file));
}

/** This process stays before it: it passes on signals, and the exit code or the signal that ended it. */
function become(node) {
  const args = [cli, ...process.argv.slice(2)];
  const child = spawn(node, args, { stdio: 'inherit' });
  // A terminal interrupts both by itself; a second time would mean "at once".
  const isTold = (name) => name === 'SIGINT' && process.stdin.isTTY;
  for (const name of STOPS) process.on(name, () => isTold(name) || child.kill(name));
  child.on('error', ({ message }) => fail(`the packaged Node does not start (${message})`));
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code);
    for (const name of STOPS) process.removeAllListeners(name);
    process.kill(process.pid, signal);
  });
}

function fail(why) {
  process.stderr.write(`triad: Node ${NEEDED} or newer is needed, this is ${process.version}, and ${why}.\n`);
  process.exit(1);
}

// npm's own word for where it was started, not for where this was.
delete process.env.INIT_CWD;
if (Number.parseInt(process.versions.node, 10) >= NEEDED) import(pathToFileURL(cli).href);
else {
  const node = packagedNode();
  if (node === undefined) fail(`there is no packaged one for ${process.platform} on ${process.arch}`);
  else become(node);
}

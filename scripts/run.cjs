// Runs an npm script: brings the checkout to a runnable state, then runs the commands of the script with the packaged Node.
// Further arguments are those of the last command. The exit code is that of the last command that ran.
//
//     node scripts/run.cjs NAME [ARGUMENT]...
'use strict';
const { spawn } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const { findNode, prepare } = require('./bootstrap.cjs');
const { gallery, program, testPrograms, web } = require('./bundles.cjs');

const ROOT = path.resolve(__dirname, '..');
const MODULES = path.join(ROOT, 'node_modules');

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];

const PROGRAM = [web, program];
const TEST_PROGRAMS = [...PROGRAM, testPrograms];

/**
 * The commands of each script. The first word is a package of `node_modules`, `node` or `npm`. `needs`: the bundles
 * that are built first.
 */
const SCRIPTS = {
  start: { needs: PROGRAM, commands: ['node dist/electron/cli.js app'] },
  triad: { needs: PROGRAM, commands: ['node dist/electron/cli.js'] },
  build: { needs: PROGRAM, commands: [] },
  bundles: { needs: TEST_PROGRAMS, commands: [] },
  gallery: { needs: [gallery], commands: [] },
  stage: { needs: PROGRAM, commands: ['node scripts/package/stage.ts'] },
  dist: {
    needs: PROGRAM,
    commands: ['node scripts/package/stage.ts', 'node scripts/dist.ts', 'node scripts/package/archives.ts'],
  },
  dev: { commands: ['vite dev'] },

  format: { commands: ['oxfmt .'] },
  'format:check': { commands: ['oxfmt --list-different .'] },
  lint: { commands: ['oxlint .', 'eslint --max-warnings 0 .'] },
  'lint:ts': { commands: ['oxlint .'] },
  'lint:components': { commands: ['eslint --max-warnings 0 .'] },
  types: { commands: ['svelte-check --tsgo-experimental-api --tsconfig tsconfig.web.json --fail-on-warnings'] },
  unused: { commands: ['knip --no-config-hints'] },
  'unused:production': { commands: ['knip --production --no-config-hints'] },

  unit: { needs: TEST_PROGRAMS, commands: ['vitest run'] },
  e2e: { needs: TEST_PROGRAMS, commands: ['node scripts/e2e.ts'] },
  'unit:full': { needs: TEST_PROGRAMS, commands: ['vitest run --mode full'] },
  'e2e:full': { needs: TEST_PROGRAMS, commands: ['node scripts/e2e.ts --config playwright.full.config.ts'] },
  kills: { needs: TEST_PROGRAMS, commands: ['node tests/soak/campaign.ts'] },
  soak: {
    needs: TEST_PROGRAMS,
    commands: ['node tests/soak/campaign.ts --kills 1000', 'node tests/soak/flips/flips.ts', 'node tests/soak/soak.ts'],
  },
  check: { commands: ['node scripts/stages.cjs check'] },
  test: { commands: ['node scripts/stages.cjs test'] },
  'test:full': { commands: ['node scripts/stages.cjs full'] },

  bench: { needs: PROGRAM, commands: ['node tests/bench/bench.ts'] },
  mutate: {
    commands: ['npm ci --prefix scripts/mutate --loglevel=error --no-audit --no-fund', 'node scripts/mutate/mutate.ts'],
  },
  live: { needs: PROGRAM, commands: ['node scripts/live.ts'] },
};

/** Returns the program and the first arguments of a command. */
function resolveCommand(name) {
  if (name === 'node') return [findNode()];
  if (name === 'npm') {
    const npm = process.env.npm_execpath;
    return npm ? [process.env.npm_node_execpath ?? process.execPath, npm] : ['npm'];
  }
  const { bin } = JSON.parse(fs.readFileSync(path.join(MODULES, name, 'package.json'), 'utf8'));
  const file = typeof bin === 'string' ? bin : bin[name];
  return [findNode(), path.join(MODULES, name, file)];
}

/** Resolves with the exit code of the command. */
function runCommand(command, extra) {
  const [name, ...own] = command.split(' ');
  const [file, ...first] = resolveCommand(name);
  const child = spawn(file, [...first, ...own, ...extra], { cwd: ROOT, stdio: 'inherit' });
  const forward = (signal) => {
    // A terminal sends Ctrl-C to the command too.
    if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal);
  };
  for (const signal of SIGNALS) process.on(signal, forward);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => {
      for (const each of SIGNALS) process.off(each, forward);
      if (signal) process.kill(process.pid, signal);
      else resolve(code);
    });
  });
}

async function main([name = '', ...extra]) {
  if (!Object.hasOwn(SCRIPTS, name)) {
    process.stderr.write(`Give one of these: ${Object.keys(SCRIPTS).join(', ')}\n`);
    return 2;
  }
  const { needs = [], commands } = SCRIPTS[name];
  prepare(needs);
  for (const [index, command] of commands.entries()) {
    const code = await runCommand(command, index === commands.length - 1 ? extra : []);
    if (code !== 0) return code;
  }
  return 0;
}

main(process.argv.slice(2)).then((code) => (process.exitCode = code));

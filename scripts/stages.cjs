// Runs the stages of `npm run check`, `npm test` and `npm run test:full`. Stages that run the program run one after the
// other. Stages that only read its sources run at the same time with low priority.
// Prints the whole output of a failed stage. Nothing starts after a failure, except in the full run, which finishes.
// The last line lists the duration of each stage. `scripts/summary.cjs` reads the results from `test-results/stages.json`.
'use strict';
const { spawn } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { performance } = require('node:perf_hooks');

/**
 * Names are those of `run.cjs`. Rows of those that read run at the same time: most have one thread, and none is left over
 * at the end. Browsers wait more than unit tests do, so they have their turn while there is something to read beside them.
 */
const READING = {
  check: [['lint:ts'], ['types', 'format:check', 'unused'], ['lint:components']],
  test: [['lint:ts'], ['types', 'format:check'], ['lint:components']],
  full: [['lint:components', 'unused', 'unused:production']],
};
const PLANS = {
  check: ['bundles', 'unit'],
  test: ['bundles', 'e2e', 'unit'],
  // Last the stage that leaves out repetitions when the time is over.
  full: ['bundles', 'unit:full', 'kills', 'e2e:full'],
};
/** Stages whose output is shown while they run. */
const TALKS = new Set(['unit', 'e2e', 'unit:full', 'e2e:full', 'kills']);
const RESULTS = path.join(__dirname, '..', 'test-results', 'stages.json');
/** Maximum duration of a stage, in milliseconds. A test that blocks its process has no other limit. */
const LIMIT_MS = 3_600_000;

/**
 * For those that read, which live for seconds: collecting garbage seldom, where they are programs of Node, or not at all,
 * where they are compilers in Go, takes a tenth or a third off their processor time.
 */
const HASTE = { NODE_OPTIONS: '--max-semi-space-size=128', GOGC: 'off', GOMEMLIMIT: '4GiB' };
/** The types of components are checked; for the rules that need types a second compiler reads them all (eslint.config.js). */
const SHORT = { check: {}, test: { TYPED_COMPONENTS: 'false' }, full: {} };

const RUN = path.join(__dirname, 'run.cjs');
/** A stage is a process group of its own, which gets a signal whole. */
const GROUPS = process.platform !== 'win32';

/** Seconds of each finished stage, and whether it passed. */
const results = {};
const took = [];
const running = new Set();
let failed = false;
/** True after a signal: no further stage starts. */
let isInterrupted = false;

/** Resolves with what it printed; a stage that talks prints it itself. */
function run(name, { nice = false, haste = {} } = {}) {
  const started = performance.now();
  const env = { ...process.env, ...haste };
  const talk = TALKS.has(name) ? 'inherit' : 'pipe';
  const options = { env, stdio: ['ignore', talk, talk], detached: GROUPS };
  const child = spawn(process.execPath, [RUN, name], options);
  if (nice && child.pid !== undefined) os.setPriority(child.pid, os.constants.priority.PRIORITY_LOW);
  if (child.pid !== undefined) running.add(child);
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream?.setEncoding('utf8').on('data', (text) => (said += text));
  const limit = setTimeout(() => {
    process.stdout.write(`${name} is stopped: it takes too long\n`);
    end(child, 'SIGKILL');
  }, LIMIT_MS);
  return new Promise((resolve) => {
    const finish = (passed) => {
      clearTimeout(limit);
      running.delete(child);
      const seconds = Math.round((performance.now() - started) / 1000);
      results[name] = { seconds, passed };
      took.push(`${name} ${seconds} s${passed ? '' : ' (failed)'}`);
      failed ||= !passed;
      resolve(said);
    };
    child.once('error', (error) => {
      said += `${error.message}\n`;
      finish(false);
    });
    child.once('close', (code) => finish(code === 0));
  });
}

/** Runs stages one after the other. Stops at the first failure, unless `continuesAfterFailure`. */
async function work(names, { continuesAfterFailure, ...options }) {
  for (const name of names) {
    if (isInterrupted || (failed && !continuesAfterFailure)) return;
    process.stdout.write(`${name}…\n`);
    const said = (await run(name, options)).trimEnd();
    if (said !== '') process.stdout.write(`\n${name}:\n${said}\n\n`);
  }
}

function end({ pid }, signal) {
  try {
    if (GROUPS) process.kill(-pid, signal);
  } catch (error) {
    if (error.code !== 'ESRCH') throw error;
  }
}

/** Who ends this ends all of it. */
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => {
    failed = isInterrupted = true;
    for (const child of running) end(child, signal);
  });
}

/** Adds the results to those of earlier plans. */
function writeResults() {
  const earlier = fs.existsSync(RESULTS) ? JSON.parse(fs.readFileSync(RESULTS, 'utf8')) : {};
  fs.mkdirSync(path.dirname(RESULTS), { recursive: true });
  fs.writeFileSync(RESULTS, JSON.stringify({ ...earlier, ...results }));
}

async function main(name) {
  const started = performance.now();
  const haste = { ...HASTE, ...SHORT[name] };
  const continuesAfterFailure = name === 'full';
  const readers = READING[name].map((row) => work(row, { nice: true, haste, continuesAfterFailure }));
  await Promise.all([work(PLANS[name], { continuesAfterFailure }), ...readers]);
  const whole = Math.round((performance.now() - started) / 1000);
  process.stdout.write(`\n${took.join(', ')}; ${whole} s in all\n`);
  writeResults();
  process.exitCode = failed ? 1 : 0;
}

const name = process.argv[2];
if (!(name in PLANS)) throw new Error(`Give one of these: ${Object.keys(PLANS).join(', ')}`);
main(name);

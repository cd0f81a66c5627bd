// Runs the stages of `npm run check` and `npm test`: those that run the program one after the other; beside them, with
// what they leave of the processor while they wait, those that only read its sources.
// What a stage says is shown whole when it has failed; nothing starts after a failure. Last comes what each took.
'use strict';
const { spawn } = require('node:child_process');
const os = require('node:os');
const { performance } = require('node:perf_hooks');

/**
 * Names are those of npm scripts. Rows of those that read run at the same time: most have one thread, and none is left over
 * at the end. Browsers wait more than unit tests do, so they have their turn while there is something to read beside them.
 */
const READING = [['lint:ts'], ['types', 'format:check', 'unused'], ['lint:components']];
/** What nothing uses breaks nobody: before a merge is early enough. */
const LEFT_TO_CHECK = ['unused'];
const PLANS = { check: ['bundles', 'unit'], test: ['bundles', 'e2e', 'unit'] };
/** What they say is worth reading while they run. */
const TALKS = new Set(['unit', 'e2e']);

/**
 * For those that read, which live for seconds: collecting garbage seldom, where they are programs of Node, or not at all,
 * where they are compilers in Go, takes a tenth or a third off their processor time.
 */
const HASTE = { NODE_OPTIONS: '--max-semi-space-size=128', GOGC: 'off', GOMEMLIMIT: '4GiB' };
/** The types of components are checked; for the rules that need types a second compiler reads them all (eslint.config.js). */
const SHORT = { check: {}, test: { TYPED_COMPONENTS: 'false' } };

const npm = process.env.npm_execpath;
/** npm hands no signal on to what its scripts have started: each stage is a group of its own, which gets it whole. */
const GROUPS = process.platform !== 'win32';

const took = [];
const running = new Set();
let failed = false;

/** Resolves with what it printed; a stage that talks prints it itself. */
function run(name, { nice = false, haste = {} } = {}) {
  const started = performance.now();
  const [command, args] = npm ? [process.env.npm_node_execpath ?? process.execPath, [npm]] : ['npm', []];
  const env = { ...process.env, ...haste };
  const talk = TALKS.has(name) ? 'inherit' : 'pipe';
  const options = { env, stdio: ['ignore', talk, talk], detached: GROUPS };
  const child = spawn(command, [...args, 'run', '--silent', name], options);
  if (nice && child.pid !== undefined) os.setPriority(child.pid, os.constants.priority.PRIORITY_LOW);
  if (child.pid !== undefined) running.add(child);
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream?.setEncoding('utf8').on('data', (text) => (said += text));
  return new Promise((resolve) => {
    const end = (ok) => {
      running.delete(child);
      took.push(`${name} ${Math.round((performance.now() - started) / 1000)} s${ok ? '' : ' (failed)'}`);
      failed ||= !ok;
      resolve(said);
    };
    child.once('error', (error) => {
      said += `${error.message}\n`;
      end(false);
    });
    child.once('close', (code) => end(code === 0));
  });
}

/** One after the other, until one fails. */
async function work(names, options) {
  for (const name of names) {
    if (failed) return;
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
    failed = true;
    for (const child of running) end(child, signal);
  });
}

async function main(name) {
  const started = performance.now();
  const haste = { ...HASTE, ...SHORT[name] };
  const reading = name === 'check' ? READING : READING.map((row) => row.filter((one) => !LEFT_TO_CHECK.includes(one)));
  await Promise.all([work(PLANS[name]), ...reading.map((row) => work(row, { nice: true, haste }))]);
  const whole = Math.round((performance.now() - started) / 1000);
  process.stdout.write(`\n${took.join(', ')}; ${whole} s in all\n`);
  process.exitCode = failed ? 1 : 0;
}

const name = process.argv[2];
if (!(name in PLANS)) throw new Error(`Give one of these: ${Object.keys(PLANS).join(', ')}`);
main(name);

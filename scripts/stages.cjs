// Runs the stages of `npm run check` and `npm test`: first what all else needs, two at a time, then the tests; beside the
// last of them, with what that leaves of the processor while it waits for pages, the rest that needs none.
// What a stage says is shown whole when it has failed; nothing starts after a failure. Last comes what each took.
'use strict';
const { spawn } = require('node:child_process');
const os = require('node:os');
const { performance } = require('node:perf_hooks');

/** Longest first: two at a time leave no core idle at the end. Names are those of npm scripts. */
const STATIC = ['lint:ts', 'bundles'];
const BESIDE = ['lint:components', 'types', 'unused', 'format:check'];
const PLANS = { check: ['unit'], test: ['unit', 'e2e'] };

const npm = process.env.npm_execpath;
const took = [];
let failed = false;

/** Resolves with what it printed; a stage that runs alone prints it itself. */
function run(name, { alone = false, nice = false } = {}) {
  const started = performance.now();
  const [command, args] = npm ? [process.env.npm_node_execpath ?? process.execPath, [npm]] : ['npm', []];
  const child = spawn(command, [...args, 'run', '--silent', name], { stdio: alone ? 'inherit' : 'pipe' });
  if (nice && child.pid !== undefined) os.setPriority(child.pid, os.constants.priority.PRIORITY_LOW);
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream?.setEncoding('utf8').on('data', (text) => (said += text));
  return new Promise((resolve) => {
    const end = (ok) => {
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

/** Takes one after the other from a list that it shares. */
async function work(names, options) {
  while (names.length > 0 && !failed) {
    const name = names.shift();
    const before = failed;
    process.stdout.write(`${name}…\n`);
    const said = await run(name, options);
    if (said.trim() !== '' || failed !== before) process.stdout.write(`\n${name}:\n${said.trimEnd()}\n\n`);
  }
}

async function main(plan) {
  const started = performance.now();
  const waiting = [...STATIC];
  await Promise.all([work(waiting), work(waiting)]);
  for (const [index, name] of plan.entries()) {
    if (failed) break;
    const beside = index === plan.length - 1 ? work([...BESIDE], { nice: true }) : null;
    await run(name, { alone: true });
    await beside;
  }
  const whole = Math.round((performance.now() - started) / 1000);
  process.stdout.write(`\n${took.join(', ')}; ${whole} s in all\n`);
  process.exitCode = failed ? 1 : 0;
}

const plan = PLANS[process.argv[2]];
if (plan === undefined) throw new Error(`Give one of these: ${Object.keys(PLANS).join(', ')}`);
main(plan);

/**
 * Runs the end-to-end tests with the arguments of `playwright test`. Where no Chromium is found it names the command
 * that brings one and tries it. Without one the tests are reported as not run, which fails under CI (`CI` is set) only.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { chromiumPath, commandPath } from '../e2e/support/chromium.ts';

const ROOT = join(import.meta.dirname, '..');
const PLAYWRIGHT = join(ROOT, 'node_modules/@playwright/test/cli.js');
/** Read by `scripts/summary.cjs`. */
const isFull = process.argv.includes('playwright.full.config.ts');
const REPORT = join(ROOT, `test-results/${isFull ? 'playwright-full' : 'playwright'}.json`);
const INSTALL_MS = 600_000;

interface Installer {
  /** As a person types it. */
  readonly name: string;
  /** Program and arguments of each step. */
  readonly steps: readonly (readonly [string, ...string[]])[];
}

const say = (line: string) => process.stderr.write(`${line}\n`);

/** Playwright is loaded only where it has to be asked: that takes as long as a short test. */
async function isHere(): Promise<boolean> {
  if (chromiumPath() !== undefined) return true;
  const { chromium } = await import('@playwright/test');
  return existsSync(chromium.executablePath());
}

/** The system's package where this user may install one, then Playwright's own browser. */
function installers(): Installer[] {
  const own: Installer = {
    name: 'npx playwright install chromium',
    steps: [[process.execPath, PLAYWRIGHT, 'install', 'chromium']],
  };
  if (process.getuid?.() !== 0 || commandPath('apt-get') === undefined) return [own];
  // Not every system has the first as a package.
  const packaged = ['chromium-headless-shell', 'chromium'].map((name): Installer => {
    const install = ['apt-get', 'install', '-y', name] as const;
    return { name: `apt-get install ${name}`, steps: [['apt-get', 'update'], install] };
  });
  return [...packaged, own];
}

/** Whether every step of it succeeded. */
function install({ steps }: Installer): boolean {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const run = ([program, ...args]: readonly [string, ...string[]]) =>
    spawnSync(program, args, { cwd: ROOT, env, stdio: 'ignore', timeout: INSTALL_MS }).status === 0;
  return steps.every(run);
}

/** Returns the exit code of Playwright. */
function playwright(args: readonly string[], env: NodeJS.ProcessEnv = {}): number {
  const stdio = 'PLAYWRIGHT_JSON_OUTPUT_FILE' in env ? 'ignore' : 'inherit';
  const options = { cwd: ROOT, env: { ...process.env, ...env }, stdio } as const;
  return spawnSync(process.execPath, [PLAYWRIGHT, 'test', ...args], options).status ?? 1;
}

interface Report {
  config: { metadata: Record<string, unknown> & { skipped?: Record<string, string> } };
}

const readReport = () => JSON.parse(readFileSync(REPORT, 'utf8')) as Report;

/** Names each place in which nothing ran, and why. */
function saySkipped(): void {
  if (!existsSync(REPORT)) return;
  for (const [name, reason] of Object.entries(readReport().config.metadata.skipped ?? {}))
    say(`Did not run in ${name}: ${reason}.`);
}

/** Lists the tests into the report, as a run in which none ran, with the reason in `config.metadata.notRun`. */
function reportNotRun(args: readonly string[], reason: string): void {
  playwright([...args, '--list', '--reporter=json'], { PLAYWRIGHT_JSON_OUTPUT_FILE: REPORT });
  const report = readReport();
  report.config.metadata['notRun'] = reason;
  writeFileSync(REPORT, JSON.stringify(report));
}

const args = process.argv.slice(2);
// Ctrl-C reaches Playwright too, which ends in order and with its own exit code.
process.on('SIGINT', () => undefined);
for (const installer of installers()) {
  if (await isHere()) break;
  say(`No Chromium for the end-to-end tests: "${installer.name}" brings one; trying it now…`);
  if (!install(installer)) say(`"${installer.name}" failed: run it to see why.`);
}
// One of before says nothing about this run.
rmSync(REPORT, { force: true });
if (await isHere()) {
  process.exitCode = playwright(args);
  saySkipped();
} else {
  const reason = `no Chromium: ${installers()
    .map(({ name }) => `"${name}"`)
    .join(' or ')} brings one`;
  reportNotRun(args, reason);
  say(`The end-to-end tests did not run (${reason}).`);
  process.exitCode = process.env['CI'] ? 1 : 0;
}

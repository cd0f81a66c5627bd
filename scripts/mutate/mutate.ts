/**
 * Makes small changes to the code of each room, one at a time, and reports those that no test notices. Works in a copy
 * of the tree, with a sample that the seed decides and the tests of the ordinary run.
 *
 *     npm run mutate -- [--room NAME]... [--per-room 60] [--seed 1] [--workers 3]
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, matchesGlob, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { temporaryFolder } from '../../tests/support/temporary.ts';
import { instrument, listMutants, takeSample, type SourceMutant } from './sample.ts';

const ROOT = join(import.meta.dirname, '../..');
const COPY = join(ROOT, 'test-results/mutate');
const COPIED_PATHS = ['docs', 'package.json', 'schema', 'scripts', 'src', 'tests', 'vitest.config.ts'];
/** Lowest score of a room, in percent; less fails the run. */
const REQUIRED_SCORE = 85;
/** A run of tests hangs if it takes this much longer than it took without a change. */
const HANGS_AFTER_MS = 90_000;
/** A test fails after this time, or after twice the time of the longest test. */
const LEAST_PATIENCE_MS = 10_000;
/** Time for tests of other rooms, which run after those of the mutant's own. */
const OTHER_ROOMS_MS = 20_000;

interface Room {
  sources: readonly string[];
  exclude?: string;
  /** Pattern of the tests that run first. */
  tests: string;
}

const SUB_AGENT_TOOLS = 'src/core/tools/{children,delegate-task,parallel-tasks,spawn-agent,sub-agent-tools}.ts';
const ROOMS: Readonly<Record<string, Room>> = {
  approvals: { sources: ['src/core/approvals/**'], tests: 'tests/core/approvals/**' },
  'sub-agents': {
    sources: ['src/core/{budget,flows,workflows/sub-agents}/**', SUB_AGENT_TOOLS],
    tests: 'tests/core/{budget,flows,workflows}/**',
  },
  envelopes: {
    sources: ['src/core/runs/{envelope-parts,envelopes,mcp-narrowing,narrowing}.ts'],
    tests: 'tests/core/runs/**',
  },
  projection: { sources: ['src/core/store/apply.ts', 'src/core/store/rows/**'], tests: 'tests/core/store/**' },
  tools: { sources: ['src/core/tools/**'], exclude: SUB_AGENT_TOOLS, tests: 'tests/core/tools/**' },
  records: { sources: ['src/core/records/**'], tests: 'tests/core/records/**' },
};
const TESTS =
  'tests/core/{agents,approvals,budget,flows,log,loop,mcp,records,runs,runtime,store,tools,workflows,workspace}/**/*.test.ts';

type RoomMutant = SourceMutant & { room: string };
type Fate = 'killed' | 'timed out' | 'survived' | 'not covered';
type Result = RoomMutant & { fate: Fate; seconds: number; noticedBy: string };

/** A test file without a change: how long it takes and which mutants it reaches. */
interface Coverage {
  file: string;
  ms: number;
  mutants: readonly string[];
}

const { values: options } = parseArgs({
  options: {
    room: { type: 'string', multiple: true, default: Object.keys(ROOMS) },
    'per-room': { type: 'string', default: '60' },
    seed: { type: 'string', default: '1' },
    workers: { type: 'string', default: '3' },
  },
});
const say = (line: string) => process.stdout.write(`${line}\n`);
const startedAt = performance.now();
const minutes = () => ((performance.now() - startedAt) / 60_000).toFixed(1);

/** Makes the copy of the tree, in which an environment variable switches each sampled mutant on. */
async function prepareCopy(): Promise<RoomMutant[]> {
  fs.rmSync(COPY, { recursive: true, force: true });
  fs.mkdirSync(COPY, { recursive: true });
  for (const path of COPIED_PATHS) {
    const filter = (source: string) => basename(source) !== 'node_modules';
    fs.cpSync(join(ROOT, path), join(COPY, path), { recursive: true, filter });
  }
  fs.symlinkSync(join(ROOT, 'node_modules'), join(COPY, 'node_modules'));
  const sample: RoomMutant[] = [];
  for (const room of options.room) {
    const { sources, exclude = '' } = ROOMS[room] ?? { sources: [] };
    const found = sources.flatMap((pattern) => fs.globSync(pattern, { cwd: ROOT }));
    const mutants = await listMutants(
      ROOT,
      found.filter((file) => file.endsWith('.ts') && !matchesGlob(file, exclude)).toSorted(),
    );
    const sampled = takeSample(mutants, Number(options['per-room']), options.seed);
    say(`${room}: ${sampled.length} of ${mutants.length} mutants`);
    sample.push(...sampled.map((mutant) => ({ ...mutant, room })));
  }
  const { files, mutants } = await instrument(ROOT, sample);
  for (const { name, content } of files) fs.writeFileSync(join(COPY, name), content);
  return mutants;
}

interface TestRun {
  isPassed: boolean;
  isOverdue: boolean;
  /** Test files that failed, without those that a failure before them cancelled. */
  failures: string[];
  longestTestMs: number;
}

interface Report {
  testResults: { name: string; message: string; assertionResults: { status: string; duration?: number }[] }[];
}

/** Runs test files in the copy, in this order. */
async function runTests(
  files: readonly string[],
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  limitMs: number,
): Promise<TestRun> {
  const folder = fs.mkdtempSync(join(temporaryFolder().TMPDIR ?? tmpdir(), 'mutate-'));
  // Some tests start a program as another user.
  fs.chmodSync(folder, 0o755);
  const report = join(COPY, `${basename(folder)}.json`);
  const command = ['run', '--config=scripts/mutate/vitest.config.ts', '--reporter=json', `--outputFile.json=${report}`];
  const child = spawn(process.execPath, ['node_modules/vitest/vitest.mjs', ...command, ...args], {
    cwd: COPY,
    env: { ...process.env, ...env, MUTATE_FILES: JSON.stringify(files), MUTATE_TMPDIR: folder },
    stdio: 'ignore',
    // The leader of a process group, so that a kill includes what the tests started.
    detached: true,
  });
  let isOverdue = false;
  const kill = (): void => {
    isOverdue = true;
    process.kill(-child.pid!, 'SIGKILL');
  };
  const limit = setTimeout(kill, limitMs);
  process.on('exit', kill);
  const [code] = (await once(child, 'exit')) as [number | null];
  process.off('exit', kill);
  clearTimeout(limit);
  const written = fs.existsSync(report) ? fs.readFileSync(report, 'utf8') : '{"testResults":[]}';
  const { testResults } = JSON.parse(written) as Report;
  fs.rmSync(folder, { recursive: true, force: true });
  const failed = testResults.filter(
    ({ message, assertionResults }) => message !== '' || assertionResults.some(({ status }) => status === 'failed'),
  );
  const tests = testResults.flatMap(({ assertionResults }) => assertionResults);
  return {
    isPassed: code === 0,
    isOverdue,
    failures: failed.map(({ name }) => relative(COPY, name)),
    longestTestMs: Math.max(0, ...tests.map(({ duration = 0 }) => duration)),
  };
}

/** Runs all tests without a change. Files that fail are left out: they could not show that a change is noticed. */
async function runUnchanged(): Promise<{ coverage: Coverage[]; longestTestMs: number }> {
  const output = join(COPY, 'coverage.jsonl');
  const files = fs.globSync(TESTS, { cwd: COPY }).filter((file) => !file.endsWith('.full.test.ts'));
  const args = [`--maxWorkers=${options.workers}`];
  const env = { MUTATE_COVERAGE: output, MUTATE_PATIENCE_MS: '60000' };
  const { failures, longestTestMs } = await runTests(files, args, env, 1_200_000);
  for (const file of failures) say(`Fails without a change, left out: ${file}`);
  const lines = fs.readFileSync(output, 'utf8').trimEnd().split('\n');
  const coverage = lines
    .map((line) => JSON.parse(line) as Coverage)
    .map((one) => ({ ...one, file: relative(COPY, one.file) }))
    .filter(({ file }) => !failures.includes(file));
  return { coverage, longestTestMs };
}

/** The test files that a mutant has to pass: those of its room, then the shortest of the others, as far as the time allows. */
function testsFor(
  { id, room, fileName }: RoomMutant,
  coverage: readonly Coverage[],
): { files: Coverage[]; isCovered: boolean } {
  const { tests = '' } = ROOMS[room] ?? {};
  const sorted = coverage.toSorted((a, b) => a.ms - b.ms);
  const isOwn = ({ file }: Coverage) => matchesGlob(file, tests);
  const reaching = sorted.filter((one) => one.mutants.includes(id));
  const isCovered = reaching.length > 0;
  // Visits in threads and child processes are not counted: the tests that reach the folder may reach this mutant, too.
  const folder = new Set(mutants.filter((one) => dirname(one.fileName) === dirname(fileName)).map((one) => one.id));
  const likely = sorted.filter((one) => isOwn(one) || one.mutants.some((other) => folder.has(other)));
  const candidates = isCovered ? reaching : likely;
  let ms = 0;
  const others = candidates.filter((one) => !isOwn(one)).filter((one) => (ms += one.ms) < OTHER_ROOMS_MS);
  return { files: [...candidates.filter(isOwn), ...others], isCovered };
}

async function testMutant(mutant: RoomMutant, coverage: readonly Coverage[], patienceMs: number): Promise<Result> {
  const { files, isCovered } = testsFor(mutant, coverage);
  const expectedMs = files.reduce((sum, { ms }) => sum + ms, 0);
  const startedAt = performance.now();
  const { isPassed, isOverdue, failures } = await runTests(
    files.map(({ file }) => file),
    ['--bail=1', '--maxWorkers=1'],
    { __STRYKER_ACTIVE_MUTANT__: mutant.id, MUTATE_PATIENCE_MS: String(patienceMs) },
    expectedMs + HANGS_AFTER_MS,
  );
  const fate = isOverdue ? 'timed out' : !isPassed ? 'killed' : isCovered ? 'survived' : 'not covered';
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  return { ...mutant, fate, seconds, noticedBy: failures.join(', ') };
}

const oneLine = (code: string) => code.replaceAll(/\s+/g, ' ').slice(0, 160);

function describe({ fileName, location, original, replacement, fate }: Result): string {
  return `${fileName}:${location.start.line + 1} (${fate}): ${oneLine(original)} → ${oneLine(replacement)}`;
}

/** Prints the table of docs/contributing/testing.md. */
function printTable(results: readonly Result[]): void {
  say('\n| room | sampled | noticed | score |');
  say('| --- | --- | --- | --- |');
  for (const room of options.room) {
    const own = results.filter((one) => one.room === room);
    const noticed = own.filter(({ fate }) => fate === 'killed' || fate === 'timed out').length;
    const score = Math.floor((100 * noticed) / own.length);
    if (score < REQUIRED_SCORE) process.exitCode = 1;
    say(`| ${room} | ${own.length} | ${noticed} | ${score} % |`);
  }
  const fates = Object.entries(Object.groupBy(results, ({ fate }) => fate));
  say(`\n${fates.map(([fate, some]) => `${some.length} ${fate}`).join(', ')} in ${minutes()} minutes`);
}

const unknown = options.room.find((room) => !(room in ROOMS));
if (unknown !== undefined) throw new Error(`No room ${unknown}: choose from ${Object.keys(ROOMS).join(', ')}.`);
const mutants = await prepareCopy();
const { coverage, longestTestMs } = await runUnchanged();
const patienceMs = Math.max(LEAST_PATIENCE_MS, 2 * Math.round(longestTestMs));
say(
  `${coverage.length} test files without a change: ${minutes()} minutes, the longest test ${Math.round(longestTestMs)} ms`,
);
const queue = [...mutants];
const results: Result[] = [];
const work = async (): Promise<void> => {
  for (let mutant = queue.shift(); mutant; mutant = queue.shift()) {
    const result = await testMutant(mutant, coverage, patienceMs);
    results.push(result);
    if (result.fate === 'survived' || result.fate === 'not covered') say(describe(result));
    if (results.length % 20 === 0) say(`${results.length} of ${mutants.length}: ${minutes()} minutes`);
  }
};
await Promise.all(Array.from({ length: Number(options.workers) }, work));
fs.writeFileSync(join(ROOT, 'test-results/mutate.json'), JSON.stringify({ options, results, coverage }, null, 1));
printTable(results);

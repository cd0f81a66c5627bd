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
/** Lowest score of a room, in percent. A lower score fails the run. */
const REQUIRED_SCORE = 85;
/** Time beyond the duration without a change after which a run of tests counts as hanging. */
const HANG_LIMIT_MS = 90_000;
/** Lowest time limit of a test. The limit is higher if the longest test takes more than half of it. */
const MIN_TEST_LIMIT_MS = 10_000;
/** Longest total time of the tests of other rooms, which run after the tests of the mutant's room. */
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
    sources: ['src/core/runs/{budget,workflow}/**', 'src/core/workflows/{flows,sub-agents}/**', SUB_AGENT_TOOLS],
    tests: 'tests/core/{runs/budget,workflows}/**',
  },
  envelopes: {
    sources: ['src/core/runs/envelopes/{envelope-parts,envelopes,mcp-narrowing,narrowing}.ts'],
    tests: 'tests/core/runs/**',
  },
  projection: {
    sources: ['src/domain/**', 'src/core/store/{commits,rows}/**'],
    tests: 'tests/{domain,core/store}/**',
  },
  tools: { sources: ['src/core/tools/**'], exclude: SUB_AGENT_TOOLS, tests: 'tests/core/tools/**' },
  records: { sources: ['src/core/host/records/**'], tests: 'tests/core/host/records/**' },
};
const TESTS =
  'tests/{domain,core/{agents,approvals,host/{records,runtime},mcp,runs,store,tools,workflows,workspace}}/**/*.test.ts';

type RoomMutant = SourceMutant & { room: string };
type MutantOutcome = 'killed' | 'timed out' | 'survived' | 'not covered';
type MutantResult = RoomMutant & { outcome: MutantOutcome; seconds: number; noticedBy: string };

/** Duration of a test file without a change, and the ids of the mutants that it reaches. */
interface FileCoverage {
  file: string;
  ms: number;
  mutants: readonly string[];
}

/** A line of `setup.ts`: the mutants that a test file visited, and those of the modules that its process had loaded. */
interface FileVisits {
  file: string;
  ms: number;
  visited: string[];
  loaded: string[];
}

const { values: options } = parseArgs({
  options: {
    room: { type: 'string', multiple: true, default: Object.keys(ROOMS) },
    'per-room': { type: 'string', default: '60' },
    seed: { type: 'string', default: '1' },
    workers: { type: 'string', default: '3' },
  },
});
const print = (line: string) => process.stdout.write(`${line}\n`);
const startedAt = performance.now();
const getElapsedMinutes = () => ((performance.now() - startedAt) / 60_000).toFixed(1);

/** Copies the tree and puts the sampled mutants into the copy. An environment variable switches one of them on. */
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
    const sourceFiles = sources.flatMap((pattern) => {
      const found = fs.globSync(pattern, { cwd: ROOT });
      if (found.length === 0) throw new Error(`No file matches ${pattern} of the room ${room}`);
      return found;
    });
    const mutants = await listMutants(
      ROOT,
      sourceFiles.filter((file) => file.endsWith('.ts') && !matchesGlob(file, exclude)).toSorted(),
    );
    const sampledMutants = takeSample(mutants, Number(options['per-room']), options.seed);
    print(`${room}: ${sampledMutants.length} of ${mutants.length} mutants`);
    sample.push(...sampledMutants.map((mutant) => ({ ...mutant, room })));
  }
  const { files, mutants } = await instrument(ROOT, sample);
  for (const { name, content } of files) fs.writeFileSync(join(COPY, name), content);
  return mutants;
}

interface TestRun {
  isPassed: boolean;
  isOverdue: boolean;
  /** Test files that failed. Excludes files that an earlier failure cancelled. */
  failures: string[];
  longestTestMs: number;
}

interface VitestReport {
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
  const reportPath = join(COPY, `${basename(folder)}.json`);
  const command = [
    'run',
    '--config=scripts/mutate/vitest.config.ts',
    '--reporter=json',
    `--outputFile.json=${reportPath}`,
  ];
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
  const report = fs.existsSync(reportPath) ? fs.readFileSync(reportPath, 'utf8') : '{"testResults":[]}';
  const { testResults } = JSON.parse(report) as VitestReport;
  fs.rmSync(folder, { recursive: true, force: true });
  const failedFiles = testResults.filter(
    ({ message, assertionResults }) => message !== '' || assertionResults.some(({ status }) => status === 'failed'),
  );
  const tests = testResults.flatMap(({ assertionResults }) => assertionResults);
  return {
    isPassed: code === 0,
    isOverdue,
    failures: failedFiles.map(({ name }) => relative(COPY, name)),
    longestTestMs: Math.max(0, ...tests.map(({ duration = 0 }) => duration)),
  };
}

/** Runs all tests without a change. Excludes files that fail, because they cannot show that a change is noticed. */
async function runUnchanged(): Promise<{ coverage: FileCoverage[]; longestTestMs: number }> {
  const output = join(COPY, 'coverage.jsonl');
  const files = fs.globSync(TESTS, { cwd: COPY }).filter((file) => !file.endsWith('.full.test.ts'));
  const args = [`--maxWorkers=${options.workers}`];
  const env = { MUTATE_COVERAGE: output, MUTATE_TEST_LIMIT_MS: '60000' };
  const { failures, longestTestMs } = await runTests(files, args, env, 1_200_000);
  for (const file of failures) print(`Excluded, because it fails without a change: ${file}`);
  const visits = fs.readFileSync(output, 'utf8').trimEnd().split('\n');
  const coverage = findCoverage(visits.map((line) => JSON.parse(line) as FileVisits));
  return { coverage: coverage.filter(({ file }) => !failures.includes(file)), longestTestMs };
}

/** Adds the mutants in code that runs once to each test file that reaches other mutants of the same source file. */
function findCoverage(visits: readonly FileVisits[]): FileCoverage[] {
  const loadedIds = new Set(visits.flatMap(({ loaded }) => loaded));
  const onceOnly = mutants.filter(({ id }) => loadedIds.has(id));
  return visits.map(({ file, ms, visited, loaded }) => {
    const sources = new Set(mutants.filter(({ id }) => visited.includes(id)).map(({ fileName }) => fileName));
    const reached = onceOnly.filter(({ fileName }) => sources.has(fileName)).map(({ id }) => id);
    return { file: relative(COPY, file), ms, mutants: [...new Set([...visited, ...loaded, ...reached])] };
  });
}

/** Returns the test files for a mutant: the files of its room, then the shortest others up to `OTHER_ROOMS_MS`. */
function chooseTests(
  { id, room, fileName }: RoomMutant,
  coverage: readonly FileCoverage[],
): { files: FileCoverage[]; isCovered: boolean } {
  const { tests = '' } = ROOMS[room] ?? {};
  const shortestFirst = coverage.toSorted((a, b) => a.ms - b.ms);
  const isInRoom = ({ file }: FileCoverage) => matchesGlob(file, tests);
  const reachingFiles = shortestFirst.filter((entry) => entry.mutants.includes(id));
  const isCovered = reachingFiles.length > 0;
  // Visits in threads and child processes are not counted. Tests that reach the folder may still reach this mutant.
  const neighbours = mutants.filter((other) => dirname(other.fileName) === dirname(fileName));
  const neighbourIds = new Set(neighbours.map((other) => other.id));
  const likelyFiles = shortestFirst.filter(
    (entry) => isInRoom(entry) || entry.mutants.some((other) => neighbourIds.has(other)),
  );
  const candidates = isCovered ? reachingFiles : likelyFiles;
  let ms = 0;
  const others = candidates.filter((entry) => !isInRoom(entry)).filter((entry) => (ms += entry.ms) < OTHER_ROOMS_MS);
  return { files: [...candidates.filter(isInRoom), ...others], isCovered };
}

async function testMutant(
  mutant: RoomMutant,
  coverage: readonly FileCoverage[],
  testLimitMs: number,
): Promise<MutantResult> {
  const { files, isCovered } = chooseTests(mutant, coverage);
  const expectedMs = files.reduce((sum, { ms }) => sum + ms, 0);
  const startedAt = performance.now();
  const { isPassed, isOverdue, failures } = await runTests(
    files.map(({ file }) => file),
    ['--bail=1', '--maxWorkers=1'],
    { __STRYKER_ACTIVE_MUTANT__: mutant.id, MUTATE_TEST_LIMIT_MS: String(testLimitMs) },
    expectedMs + HANG_LIMIT_MS,
  );
  const outcome = isOverdue ? 'timed out' : !isPassed ? 'killed' : isCovered ? 'survived' : 'not covered';
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  return { ...mutant, outcome, seconds, noticedBy: failures.join(', ') };
}

const shorten = (code: string) => code.replaceAll(/\s+/g, ' ').slice(0, 160);

function describe({ fileName, location, original, replacement, outcome }: MutantResult): string {
  return `${fileName}:${location.start.line + 1} (${outcome}): ${shorten(original)} → ${shorten(replacement)}`;
}

/** Prints the table of docs/contributing/testing.md. */
function printTable(results: readonly MutantResult[]): void {
  print('\n| room | sampled | noticed | score |');
  print('| --- | --- | --- | --- |');
  for (const room of options.room) {
    const roomResults = results.filter((result) => result.room === room);
    const noticedCount = roomResults.filter(({ outcome }) => outcome === 'killed' || outcome === 'timed out').length;
    const score = Math.floor((100 * noticedCount) / roomResults.length);
    if (score < REQUIRED_SCORE) process.exitCode = 1;
    print(`| ${room} | ${roomResults.length} | ${noticedCount} | ${score} % |`);
  }
  const groups = Object.entries(Object.groupBy(results, ({ outcome }) => outcome));
  print(
    `\n${groups.map(([outcome, group]) => `${group.length} ${outcome}`).join(', ')} in ${getElapsedMinutes()} minutes`,
  );
}

const unknownRoom = options.room.find((room) => !(room in ROOMS));
if (unknownRoom !== undefined) throw new Error(`No room ${unknownRoom}: choose from ${Object.keys(ROOMS).join(', ')}.`);
const mutants = await prepareCopy();
const { coverage, longestTestMs } = await runUnchanged();
const testLimitMs = Math.max(MIN_TEST_LIMIT_MS, 2 * Math.round(longestTestMs));
print(
  `${coverage.length} test files without a change: ${getElapsedMinutes()} minutes, the longest test ${Math.round(longestTestMs)} ms`,
);
const queue = [...mutants];
const results: MutantResult[] = [];
const runQueue = async (): Promise<void> => {
  for (let mutant = queue.shift(); mutant; mutant = queue.shift()) {
    const result = await testMutant(mutant, coverage, testLimitMs);
    results.push(result);
    if (result.outcome === 'survived' || result.outcome === 'not covered') print(describe(result));
    if (results.length % 20 === 0) print(`${results.length} of ${mutants.length}: ${getElapsedMinutes()} minutes`);
  }
};
await Promise.all(Array.from({ length: Number(options.workers) }, runQueue));
fs.writeFileSync(join(ROOT, 'test-results/mutate.json'), JSON.stringify({ options, results, coverage }, null, 1));
printTable(results);

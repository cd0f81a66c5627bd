/** The last lines of `.ci/run`: a failure of any suite fails the run, and tests that ran in no suite are listed. */
import { spawnSync } from 'node:child_process';
import { join, normalize } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../support/program.ts';
import { folderWith } from '../support/workspace.ts';

type Statuses = Readonly<Record<string, string>>;

const vitestReport = (statuses: Statuses, status = 'passed') => {
  const assertionResults = Object.entries(statuses).map(([fullName, testStatus]) =>
    testStatus === 'flaky'
      ? { fullName, status: 'passed', failureMessages: ['AssertionError: the first attempt'] }
      : { fullName, status: testStatus, failureMessages: [] },
  );
  return { testResults: [{ name: 'tests/a.test.ts', status, assertionResults }] };
};
const playwrightReport = (statuses: Statuses) => {
  const file = 'chat/b.spec.ts';
  const specs = Object.entries(statuses).map(([title, status]) => {
    const results =
      status === 'flaky' ? [{ error: { message: 'Error: \u001B[2mexpect\u001B[22m failed\n\nCall log:' } }] : [];
    return { title, file, tests: [{ projectName: 'browser', status, results }] };
  });
  return { config: { metadata: {} }, errors: [], suites: [{ title: file, file, specs }] };
};

/** Writes these reports by file name and empty test files, and runs the script. */
async function summarize(reports: Readonly<Record<string, object>>, testFiles: readonly string[] = []) {
  const files = [
    ...Object.entries(reports).map(([name, report]) => [`test-results/${name}`, JSON.stringify(report)] as const),
    ...testFiles.map((name) => [name, ''] as const),
  ];
  const cwd = await folderWith(Object.fromEntries(files));
  const script = join(ROOT, 'scripts/summary.cjs');
  const { stdout, status } = spawnSync(process.execPath, [script], { cwd, encoding: 'utf8' });
  return { status, lines: stdout.trim().split('\n') };
}

const GREEN = {
  'vitest.json': vitestReport({ one: 'passed', two: 'skipped' }),
  'playwright.json': playwrightReport({ 'a click': 'expected' }),
  'vitest-full.json': vitestReport({ one: 'passed', two: 'flaky' }),
  'playwright-full.json': playwrightReport({ 'a click': 'expected', 'a drag': 'flaky' }),
  'kills.json': { kills: 3, breaches: [] },
  'stages.json': { unit: { seconds: 12, passed: true }, 'e2e:full': { seconds: 34, passed: true } },
};

test('adds up the suites and lists flaky tests', async () => {
  const { status, lines } = await summarize(GREEN);
  expect(status).toBe(0);
  expect(lines).toEqual([
    'suite                     passed  failed  flaky  skipped  time',
    'unit                           1       0      0        1  12 s',
    'end-to-end, browser            1       0      0        0      ',
    'full unit                      1       0      1        0      ',
    'full end-to-end, browser       1       0      1        0  34 s',
    'kills                          3       0      0        0      ',
    '',
    'Flaky:',
    '  tests/a.test.ts › two',
    '    AssertionError: the first attempt',
    '  e2e › chat/b.spec.ts › a drag',
    '    Error: expect failed',
    '',
    '9 passed, 0 failed',
  ]);
});

test.each([
  ['a unit test', { 'vitest.json': vitestReport({ one: 'failed' }) }],
  ['a file that does not load', { 'vitest-full.json': vitestReport({}, 'failed') }],
  ['an end-to-end test', { 'playwright.json': playwrightReport({ 'a click': 'unexpected' }) }],
  ['an end-to-end test of the full run', { 'playwright-full.json': playwrightReport({ 'a drag': 'unexpected' }) }],
  [
    'a spec that does not load',
    { 'playwright-full.json': { ...playwrightReport({}), errors: [{ message: 'Error: bad' }] } },
  ],
  ['a kill', { 'kills.json': { kills: 3, breaches: ['seed 2: an event is missing'] } }],
  ['a stage without tests', { 'stages.json': { types: { seconds: 5, passed: false } } }],
  ['a runner that crashed after its tests', { 'stages.json': { unit: { seconds: 5, passed: false } } }],
])('exits with 1 after a failure of %s', async (_, reports) => {
  const { status, lines } = await summarize({ ...GREEN, ...reports });
  expect(status).toBe(1);
  expect(lines.at(-1)).toMatch(/^\d+ passed, 1 failed$/);
  expect(lines).toContain('Failed:');
});

test('lists tests that ran in no suite, and exits with 1 on Linux', async () => {
  const reports = { ...GREEN, 'vitest-full.json': vitestReport({ one: 'passed', two: 'skipped' }) };
  const { status, lines } = await summarize(reports);
  expect(lines.join('\n')).toContain('Ran in no suite:\n  tests/a.test.ts › two\n');
  expect(status).toBe(process.platform === 'linux' ? 1 : 0);
});

test('lists test files that no suite includes, and exits with 1 on Linux', async () => {
  const files = ['tests/a.test.ts', 'e2e/chat/b.spec.ts', 'e2e/chat/empty.spec.ts', 'tests/c.spec.ts', 'src/d.test.ts'];
  const { status, lines } = await summarize(GREEN, files);
  const missed = ['tests/c.spec.ts', 'e2e/chat/empty.spec.ts', 'src/d.test.ts'].map((file) => `  ${normalize(file)}`);
  expect(lines.slice(lines.indexOf('Ran in no suite:') + 1, -2)).toEqual(missed);
  expect(status).toBe(process.platform === 'linux' ? 1 : 0);
});

test('counts each missing report as a failure', async () => {
  const { status, lines } = await summarize({});
  expect([status, lines.at(-1)]).toEqual([1, '0 passed, 5 failed']);
});

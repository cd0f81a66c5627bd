// Prints what ran in `.ci/run`: a table of suites, flaky tests, tests that ran in no suite, and as the last line
// `N passed, N failed`. Reads the JSON reports in `test-results` below the current folder. Exits with 1 if a test or a stage
// failed, a report is missing, or, on Linux, a test or a test file ran in no suite. Some tests need Linux, so other systems
// only list them.
'use strict';
const fs = require('node:fs');
const path = require('node:path');
const { stripVTControlCharacters } = require('node:util');
const { walk } = require('./bundles.cjs');

const RESULTS = path.resolve('test-results');
const REPORTS = ['vitest.json', 'playwright.json', 'vitest-full.json', 'playwright-full.json', 'kills.json'];
const parsedReports = new Map();
/** Returns a report; undefined for one that is missing or damaged. Parses each file once. */
const readReport = (name) => {
  if (!parsedReports.has(name)) parsedReports.set(name, parseReport(name));
  return parsedReports.get(name);
};
function parseReport(name) {
  try {
    return JSON.parse(fs.readFileSync(path.join(RESULTS, name), 'utf8'));
  } catch {
    return undefined;
  }
}
const print = (line) => process.stdout.write(`${line}\n`);

// A test has an `id`, which is the same in each suite that includes it, and perhaps its `file`. Its `outcome` is passed,
// flaky, failed or skipped. Its `messages`, if any, are those of failed attempts.

/** Returns the outcome of a test. A flaky test has passed and has the messages of its failed attempt. */
function readVitestOutcome({ status, failureMessages = [] }) {
  if (status === 'passed') return failureMessages.length > 0 ? 'flaky' : 'passed';
  return status === 'failed' ? 'failed' : 'skipped';
}
const PLAYWRIGHT = { expected: 'passed', flaky: 'flaky', unexpected: 'failed', skipped: 'skipped' };

function readVitest(name) {
  const report = readReport(name);
  if (!report) return [];
  return report.testResults.flatMap(({ name: file, status, assertionResults }) => {
    const filePath = path.relative(process.cwd(), file);
    const tests = assertionResults.map((test) => ({
      id: `${filePath} › ${test.fullName}`,
      file: filePath,
      outcome: readVitestOutcome(test),
      messages: test.failureMessages,
    }));
    // A file that does not load has no failed test. It counts as one failed test.
    if (status === 'failed' && !tests.some(({ outcome }) => outcome === 'failed'))
      tests.push({ id: filePath, file: filePath, outcome: 'failed' });
    return tests;
  });
}

/** Tests by project. A suite has suites and specs; a spec has a test for each project. */
function readPlaywright(name) {
  const report = readReport(name);
  const projects = {};
  if (!report) return projects;
  const visit = ({ file, title, suites = [], specs = [] }, parents) => {
    const titles = title === file ? parents : [...parents, title];
    for (const suite of suites) visit(suite, titles);
    for (const spec of specs)
      for (const { projectName, status, results = [] } of spec.tests)
        (projects[projectName] ??= []).push({
          id: ['e2e', spec.file, ...titles, spec.title].join(' › '),
          file: path.join('e2e', spec.file),
          outcome: PLAYWRIGHT[status],
          messages: results.flatMap(({ error }) => error?.message ?? []),
        });
  };
  for (const suite of report.suites) visit(suite, []);
  // Errors outside of a test, for instance a file that does not load.
  const errors = report.errors.map(({ message }) => ({ id: message ?? 'error', outcome: 'failed' }));
  if (errors.length > 0) projects['outside of tests'] = errors;
  return projects;
}

/** Each kill is a test. A breach of a promise is a failed test. */
function readKills() {
  const { kills = 0, breaches = [] } = readReport('kills.json') ?? {};
  return Array.from({ length: kills }, (_, index) => ({
    id: breaches[index] ?? `kill ${index + 1}`,
    outcome: index < breaches.length ? 'failed' : 'passed',
  }));
}

const stages = readReport('stages.json') ?? {};
const suites = [
  { name: 'unit', tests: readVitest('vitest.json'), stage: 'unit' },
  ...Object.entries(readPlaywright('playwright.json')).map(([name, tests]) => {
    return { name: `end-to-end, ${name}`, tests, stage: 'e2e' };
  }),
  { name: 'full unit', tests: readVitest('vitest-full.json'), stage: 'unit:full' },
  ...Object.entries(readPlaywright('playwright-full.json')).map(([name, tests]) => {
    return { name: `full end-to-end, ${name}`, tests, stage: 'e2e:full' };
  }),
  { name: 'kills', tests: readKills(), stage: 'kills' },
].filter(({ tests }) => tests.length > 0);

const OUTCOMES = ['passed', 'failed', 'flaky', 'skipped'];
const count = (tests, outcome) => tests.filter((test) => test.outcome === outcome).length;
const rows = suites.map(({ name, tests, stage }) => [
  name,
  ...OUTCOMES.map((outcome) => String(count(tests, outcome))),
  stage in stages ? `${stages[stage].seconds} s` : '',
]);
const table = [['suite', ...OUTCOMES, 'time'], ...rows];
const widths = table[0].map((_, column) => Math.max(...table.map((row) => row[column].length)));
print('');
for (const row of table)
  print(row.map((cell, column) => (column === 0 ? cell.padEnd(widths[0]) : cell.padStart(widths[column]))).join('  '));

for (const name of ['playwright.json', 'playwright-full.json']) {
  const { skipped = {}, notRun } = readReport(name)?.config.metadata ?? {};
  if (notRun) print(`End-to-end tests did not run: ${notRun}.`);
  if (name === 'playwright.json' && readReport('playwright-full.json')) continue;
  for (const [place, reason] of Object.entries(skipped)) print(`Did not run in ${place}: ${reason}.`);
}

const all = suites.flatMap(({ tests }) => tests);
const printList = (title, ids) => {
  if (ids.length === 0) return;
  print(`\n${title}:`);
  for (const id of ids) print(`  ${id}`);
};
const firstLine = (text) => stripVTControlCharacters(text).trim().split('\n', 1)[0].slice(0, 200);
printList(
  'Flaky',
  all
    .filter(({ outcome }) => outcome === 'flaky')
    .map(({ id, messages = [] }) => [id, ...messages.slice(0, 1).map(firstLine)].join('\n    ')),
);
const ran = new Set(all.filter(({ outcome }) => outcome !== 'skipped').map(({ id }) => id));
const missedTests = [...new Set(all.map(({ id }) => id))].filter((id) => !ran.has(id));
const testFiles = ['tests', 'e2e', 'src', 'electron', 'scripts']
  .flatMap((folder) => [...walk(path.resolve(folder))].map(([file]) => path.relative(process.cwd(), file)))
  .filter((file) => /\.(?:test|spec)\.\w+$/.test(file) && !file.includes('node_modules'));
const reportedFiles = new Set(all.map(({ file }) => file));
const missed = [...missedTests, ...testFiles.filter((file) => !reportedFiles.has(file))];
printList('Ran in no suite', missed);

// A stage without a failed test: a check of the sources, or a runner that crashed.
const failedStages = Object.keys(stages).filter(
  (name) => !stages[name].passed && !suites.some(({ stage, tests }) => stage === name && count(tests, 'failed') > 0),
);
const missingReports = REPORTS.filter((name) => readReport(name) === undefined);
const failures = [
  ...all.filter(({ outcome }) => outcome === 'failed').map(({ id }) => id),
  ...failedStages.map((name) => `stage ${name}`),
  ...missingReports.map((name) => `${name} is missing`),
];
printList('Failed', failures);

const passed = count(all, 'passed') + count(all, 'flaky');
print(`\n${passed} passed, ${failures.length} failed`);
const isIncomplete = process.platform === 'linux' && missed.length > 0;
process.exit(isIncomplete || failures.length > 0 ? 1 : 0);

// Adds up the test runners' JSON reports: a line for each project, what did not run and why, and one last line,
// `N passed, N failed`, for continuous integration. What was skipped counts as neither.
'use strict';
const fs = require('node:fs');
const path = require('node:path');

const load = (name) => {
  try {
    return JSON.parse(fs.readFileSync(path.join(__dirname, '..', 'test-results', name), 'utf8'));
  } catch {
    return undefined;
  }
};
const say = (line) => process.stdout.write(`${line}\n`);

function unit(report) {
  if (!report) return { passed: 0, failed: 0, skipped: 0 };
  // A file that can't be loaded has no failed test of its own, but must count.
  const broken = report.testResults.filter(
    (file) => file.status === 'failed' && !file.assertionResults.some((test) => test.status === 'failed'),
  );
  return {
    passed: report.numPassedTests,
    failed: report.numFailedTests + broken.length,
    skipped: report.numPendingTests,
  };
}

const FATE = { expected: 'passed', flaky: 'passed', unexpected: 'failed', skipped: 'skipped' };

/** The results of each project; a suite has suites and specs, a spec a test for each project. */
function projects(report) {
  const counts = {};
  const visit = ({ suites = [], specs = [] }) => {
    for (const suite of suites) visit(suite);
    for (const { projectName, status } of specs.flatMap(({ tests }) => tests)) {
      counts[projectName] ??= { passed: 0, failed: 0, skipped: 0 };
      counts[projectName][FATE[status]] += 1;
    }
  };
  visit(report);
  return counts;
}

const words = ({ passed, failed, skipped }) =>
  `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;

const units = unit(load('vitest.json'));
const e2e = load('playwright.json');
const parts = [units];
say(`unit: ${words(units)}`);
if (e2e) {
  const { notRun } = e2e.config.metadata;
  for (const [name, counts] of Object.entries(projects(e2e))) {
    // Only listed, which the report calls skipped.
    say(`e2e, ${name}: ${notRun ? `${counts.skipped} not run (${notRun})` : words(counts)}`);
    parts.push(counts);
  }
  for (const [name, reason] of Object.entries(e2e.config.metadata.skipped ?? {}))
    say(`e2e, ${name}: did not run (${reason})`);
  // Errors outside of any test, such as a file that can't be loaded.
  parts.push({ passed: 0, failed: e2e.errors.length });
}
const sum = (kind) => parts.reduce((total, counts) => total + counts[kind], 0);
const [passed, failed] = [sum('passed'), sum('failed')];
say(`${passed} passed, ${failed} failed`);
process.exit(passed + failed === 0 || failed > 0 ? 1 : 0);

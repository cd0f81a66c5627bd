// Adds up the test runners' JSON reports and prints one last line, `N passed, N failed`, for continuous integration.
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

function unit(report) {
  if (!report) return [0, 0];
  // A file that can't be loaded has no failed test of its own, but must count.
  const broken = report.testResults.filter(
    (file) => file.status === 'failed' && !file.assertionResults.some((test) => test.status === 'failed'),
  );
  return [report.numPassedTests, report.numFailedTests + broken.length];
}

function browser(report) {
  if (!report) return [0, 0];
  return [report.stats.expected + report.stats.flaky, report.stats.unexpected + report.errors.length];
}

const counts = [unit(load('vitest.json')), browser(load('playwright.json'))];
const passed = counts.reduce((sum, [count]) => sum + count, 0);
const failed = counts.reduce((sum, [, count]) => sum + count, 0);
process.stdout.write(`${passed} passed, ${failed} failed\n`);
process.exit(passed + failed === 0 || failed > 0 ? 1 : 0);

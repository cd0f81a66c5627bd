// `npm run mutate` changes the code in thousands of small ways, and lists the changes that no fast test notices. Works
// in a copy of the tree; `npm run mutate -- --mutate src/core/budget/slots.ts` looks at one file.
export default {
  mutate: [
    'src/core/approvals/*.ts',
    'src/core/budget/*.ts',
    'src/core/runs/{envelopes,narrowing}.ts',
    'src/core/store/apply.ts',
    'src/core/workspace/{preview,secret-names}.ts',
    'src/core/tools/{delegate-task,edit-words,notes/{linked-from,note-sections},parallel-tasks,registry,spawn-agent,sub-agent-tools,to-tool-result,tool,traits}.ts',
  ],
  testRunner: 'vitest',
  plugins: ['@stryker-mutator/vitest-runner'],
  vitest: { configFile: 'scripts/mutate/vitest.config.ts', pool: 'threads' },
  ignorePatterns: ['build', 'dist', 'docs/images', 'e2e', 'test-results'],
  tempDirName: 'test-results/mutate',
  concurrency: 2,
  // What is computed once, when a module is loaded: a change there would have to run every test.
  ignoreStatic: true,
  timeoutMS: 20_000,
  reporters: ['clear-text', 'json', 'progress-append-only'],
  clearTextReporter: { allowColor: false, reportTests: false },
  jsonReporter: { fileName: 'test-results/mutate.json' },
};

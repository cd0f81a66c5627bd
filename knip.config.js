// What nothing uses goes. `--production` (in `npm run test:full`) leaves the tests out: what only they use goes too, but for what
// its own file needs.
/** Started by path or by a tool rather than imported; `!` marks what the program itself starts. */
const entry = [
  'electron/{main,preload}.ts!',
  'src/hosts/cli.ts!',
  'src/core/store/backups/check-copy.ts!',
  'src/core/tools/search/search-worker.ts!',
  'src/core/tools/search/ripgrep-thread.ts!',
  'src/core/tools/reading/pdf-worker.ts!',
  'src/core/tools/web/page-worker.ts!',
  // Other shapes of the events, for consumers that are still to come.
  'src/core/host/records/adapters/*.ts!',
  // Named by tsconfig.web.json.
  'src/virtua.d.ts',
  'scripts/*.{ts,cjs,js}',
  'scripts/package/{stage,archives}.ts',
  'scripts/mutate/{mutate,setup,vitest.config}.ts',
  'playwright.full.config.ts',
  'e2e/{readme-images,screenshots}.ts',
  'e2e/gallery/{main,vite.config}.ts',
  'e2e/support/hosts-program.ts',
  'e2e/support/electron-stand-in/{electron,register}.ts',
  'tests/soak/{campaign,soak}.ts',
  'tests/soak/flips/flips.ts',
  'tests/bench/{bench,engine-cli,floor-cli,floor,ours}.ts',
  'tests/bench/*-process.ts',
  'tests/core/mcp/child/*.ts',
  'tests/core/runs/undo/child/*.ts',
  'tests/core/store/child/*.ts',
  'tests/core/workspace/shell/child/*.ts',
  'tests/soak/campaign-reader.ts',
  'tests/soak/flips/flipped-store.ts',
  'tests/support/{crash-host,crash-resumer,client-environment,lying-server}.ts',
  'tests/support/fake-model/serve.ts',
  'tests/programs.config.ts',
  'tests/hosts/support/{app-process,tiny-server}.ts',
];

export default {
  entry,
  project: ['src/**/*.{ts,svelte}!', 'electron/**/*.ts!', 'e2e/**/*.{ts,svelte}', 'tests/**/*.ts', 'scripts/**'],
  // scripts/run.cjs runs the first two, style sheets import the next two, svelte-check asks for the fifth; tests start the
  // others by their paths.
  ignoreDependencies: [
    'oxfmt',
    'svelte-check',
    'tailwindcss',
    /^@fontsource-variable\//,
    '@typescript/native',
    /^@modelcontextprotocol\/server-/,
  ],
  ignoreBinaries: ['dpkg-deb', 'mkfifo', 'mount', 'script', 'strace', 'truncate', 'umount', 'zcat'],
  // Types that kit generates.
  ignoreUnresolved: ['./\\$types'],
  ignoreExportsUsedInFile: process.argv.includes('--production'),
};

/** A file that runs code or steers programs is asked about, whatever mode holds and however much is allowed without naming it. */
import { join } from 'node:path';
import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import type { Rule } from '#contract/permission.ts';
import { judge, STEERING_ID } from '#core/approvals/judge.ts';
import { isSteering, namesSteering } from '#core/workspace/steering-files.ts';
import { NO_FILES } from '#core/settings/listed-files.ts';
import { startEngine } from '../../support/engine.ts';
import { Script, text, toolUse } from '../../support/fake-model/script.ts';
import { folderWith } from '../../support/workspace.ts';
import { actionOf, grantOf, NOW, ruleOf } from '../approvals/support.ts';

/** Files with the program that the question names. */
const STEERS: Readonly<Record<string, readonly string[]>> = {
  git: [
    '.git/config',
    '.git/hooks/pre-commit',
    'module/.git',
    '.git/commondir',
    '.git/worktrees/other/commondir',
    '.git/rebase-merge/git-rebase-todo',
    'fixtures/HEAD',
    '.gitmodules',
    '.gitattributes',
  ],
  Husky: ['.husky/pre-push'],
  'pre-commit': ['.pre-commit-config.yaml'],
  'lint-staged': ['lint-staged.config.mjs', '.lintstagedrc'],
  commitlint: ['commitlint.config.ts'],
  'Visual Studio Code': ['.vscode/tasks.json'],
  'JetBrains IDEs': ['.idea/workspace.xml'],
  'Visual Studio': ['App.sln'],
  'development containers': ['.devcontainer/devcontainer.json'],
  Triad: ['.triad/agents/helper.md', '.triad/config.toml'],
  'Claude Code': ['.claude/settings.json', 'CLAUDE.md'],
  'coding agents': ['AGENT.md', 'AGENTS.md', '.mcp.json'],
  Cline: ['.clinerules', '.clinerules/a.md'],
  Junie: ['.junie/guidelines.md'],
  'GitHub Copilot': [
    '.github/prompts/a.prompt.md',
    '.github/agents/a.md',
    '.github/chatmodes/a.md',
    '.github/copilot-instructions.md',
  ],
  'GitHub Actions': ['.github/workflows/ci.yml'],
  'GitLab CI': ['.gitlab-ci.yml'],
  npm: ['.npmrc', 'package.json'],
  Yarn: ['.yarnrc.yml'],
  'JavaScript build tools': [
    'vite.config.ts',
    'webpack.config.js',
    'rollup.config.mjs',
    'babel.config.cjs',
    '.babelrc',
    '.babelrc.json',
    'postcss.config.js',
    'tailwind.config.ts',
    'next.config.mjs',
    'svelte.config.js',
    'nuxt.config.ts',
    'astro.config.mjs',
    'remix.config.js',
    'metro.config.js',
    'tsup.config.ts',
    'rspack.config.ts',
    'rsbuild.config.ts',
    'drizzle.config.ts',
    'knexfile.ts',
  ],
  'JavaScript test runners': [
    'jest.config.ts',
    'vitest.config.mts',
    'playwright.config.ts',
    'karma.conf.js',
    'cypress.config.ts',
    'wdio.conf.ts',
    '.mocharc.cjs',
  ],
  'JavaScript linters': [
    'eslint.config.js',
    '.eslintrc',
    '.eslintrc.cjs',
    'prettier.config.mjs',
    'stylelint.config.js',
  ],
  'JavaScript task runners': ['gulpfile.js', 'Gruntfile.js', 'turbo.json', 'nx.json'],
  Python: ['setup.py', 'pyproject.toml', 'conftest.py'],
  make: ['Makefile', 'rules.mk'],
  CMake: ['CMakeLists.txt', 'CMakePresets.json'],
  Meson: ['meson.build'],
  'SCons and Waf': ['SConstruct', 'wscript'],
  Autoconf: ['configure'],
  Bazel: ['BUILD', 'BUILD.bazel', 'WORKSPACE', 'MODULE.bazel', 'tools/rules.bzl'],
  Ruby: ['Gemfile', 'Rakefile', 'x.gemspec'],
  CocoaPods: ['Podfile'],
  fastlane: ['fastlane/Fastfile'],
  Homebrew: ['Brewfile'],
  Swift: ['Package.swift'],
  Cargo: ['Cargo.toml', 'build.rs'],
  '.NET': ['App.csproj', 'App.fsproj', 'App.vbproj', 'Directory.Build.props', 'Directory.Build.targets'],
  Gradle: ['build.gradle', 'build.gradle.kts', 'settings.gradle'],
  Maven: ['pom.xml'],
  sbt: ['build.sbt'],
  Clojure: ['project.clj', 'deps.edn'],
  Elixir: ['mix.exs'],
  Erlang: ['rebar.config'],
  Haskell: ['stack.yaml', 'app.cabal', 'Setup.hs'],
  PHP: ['composer.json'],
  Docker: ['Dockerfile', 'docker-compose.yml', 'compose.yaml', 'docker-compose.override.yml'],
  Vagrant: ['Vagrantfile'],
  'Tilt and Skaffold': ['Tiltfile'],
  Foreman: ['Procfile'],
  Nix: ['flake.nix', 'shell.nix', 'default.nix'],
  direnv: ['.envrc'],
  Bash: ['.bashrc'],
  Zsh: ['.zshenv'],
  shells: ['.profile'],
  fish: ['.config/fish/config.fish'],
};
const ORDINARY = [
  'src/package.ts',
  'docs/makefile.md',
  'git/config',
  'my.vscode/x',
  'profile',
  'README.md',
  'src/index.ts',
  'src/main.rs',
  'src/lib.rs',
  'main.go',
  'go.mod',
  'go.sum',
  'package-lock.json',
  'Cargo.lock',
  'yarn.lock',
  'tsconfig.json',
  'src/config.ts',
  'src/app.config.ts',
  'vite.md',
  'src/vite.ts',
  'src/next.config/page.ts',
  'jest/setup.ts',
  'docs/eslint.md',
  'tests/conftest.md',
  'src/tasks.py',
  'app/setup.ts',
  'requirements.txt',
  'docker/README.md',
  'composer.yml',
  'src/compose.ts',
  'src/build.ts',
  'build/index.html',
  'configure.md',
  'src/configure.ts',
  'public/index.html',
  'styles/tailwind.css',
  'src/App.svelte',
  'src/Program.cs',
  'lib/app.ex',
  'src/Main.hs',
  'src/main.swift',
  'nix/notes.md',
  'src/head.ts',
  'data/nx.csv',
  'data/turbo.csv',
  '.github/ISSUE_TEMPLATE/bug.md',
  '.github/CODEOWNERS',
  '.github/PULL_REQUEST_TEMPLATE.md',
  '.gitignore',
  '.editorconfig',
  '.env.example',
  'AGENTS.txt',
  'agents.ts',
  'docs/claude.txt',
  'mcp.ts',
  'src/gulp.ts',
  'bin/rake',
  'src/procfile.ts',
  'CHANGELOG.md',
  'LICENSE',
  'schema.prisma',
  'index.css',
];

const writing = (path: string, rules: Rule[], more: Parameters<typeof actionOf>[0] = {}, patterns: string[] = []) =>
  judge(
    actionOf({ targets: { values: [path], path: true }, ...more }),
    { rules, faults: [], alwaysAsk: { ...NO_FILES, patterns } },
    [],
    NOW,
  );

const steered = Object.entries(STEERS).flatMap(([program, paths]) => paths.map((path) => [path, program] as const));

test.for(steered)('%s requires approval at any depth and in any case, because of %s', ([path, program]) => {
  const broad = [
    ruleOf({ effect: 'allow', tool: 'write_file' }),
    ruleOf({ effect: 'allow', tool: '*', pattern: '**' }),
  ];
  const expected = {
    effect: 'ask',
    ruleId: STEERING_ID,
    reason: expect.stringContaining(`steers ${program}, `) as string,
  };
  for (const one of [path, `packages/app/${path}`, path.toUpperCase()]) {
    expect(writing(one, broad), one).toMatchObject(expected);
    expect(writing(one, [], { mode: 'auto' }), one).toMatchObject(expected);
  }
  const { effect } = writing(path, [ruleOf({ effect: 'allow', tool: 'write_file', pattern: path })]);
  expect(effect, 'a rule that names it').toBe('allow');
});

test.for(ORDINARY)('writing %s requires no approval in auto mode', (path) => {
  expect(isSteering(path, [])).toBe(false);
  expect(writing(path, [], { mode: 'auto' }).effect).toBe('allow');
});

test('an entry of the person does not weaken the built-in list, and no rule names a wildcard-only entry', () => {
  expect(namesSteering('src/**', 'src/package.json', ['src/**'])).toBe(false);
  expect(namesSteering('src/package.json', 'src/package.json', ['src/**'])).toBe(true);
  expect(namesSteering('src/**', 'src/main.ts', ['src/**'])).toBe(true);
  // The two names are the same in capital letters only.
  expect(namesSteering('a/straße/*', 'a/straße/strasse', ['**/strasse'])).toBe(false);
  for (const entry of ['**', '**/*']) expect(namesSteering('src/**', 'src/main.ts', [entry]), entry).toBe(false);
});

test('a rule names a steering file by its listed name, not by wildcards that match the file', () => {
  const names = (pattern: string, path: string) => namesSteering(pattern, path, []);
  expect(names('**/package.json', 'app/package.json')).toBe(true);
  expect(names('{src/**,package.json}', 'package.json')).toBe(true);
  expect(names('.git/hooks/pre-*', '.git/hooks/pre-commit')).toBe(true);
  expect(names('.claude/**', '.claude/CLAUDE.md')).toBe(true);
  expect(names('\\.mcp.json', '.mcp.json')).toBe(true);
  for (const pattern of ['**', '*.json', 'pack*.json', '{package.json.bak,**}', '.*/**', '.git/**'])
    for (const path of ['package.json', '.git/hooks/pre-commit', '.vscode/tasks.json'])
      expect(names(pattern, path), `${pattern} ${path}`).toBe(false);
});

test('a grant must also name the steering file, and ask and deny rules still apply', () => {
  const action = actionOf({ targets: { values: ['docs/package.json'], path: true } });
  const nothing = { rules: [], faults: [], alwaysAsk: NO_FILES };
  expect(judge(action, nothing, [grantOf({ pattern: 'docs/**' })], NOW).effect).toBe('ask');
  expect(judge(action, nothing, [grantOf({ pattern: 'docs/package.json' })], NOW).effect).toBe('allow');
  const named = ruleOf({ effect: 'allow', tool: 'write_file', pattern: '**/package.json' });
  expect(writing('package.json', [named, ruleOf({ effect: 'ask', tool: 'write_file' })]).effect).toBe('ask');
  expect(writing('package.json', [named, ruleOf({ effect: 'deny', tool: 'write_file' })]).effect).toBe('deny');
});

test('always_ask of the person works like the built-in list, and reading needs no approval', () => {
  const broad = [ruleOf({ effect: 'allow', tool: 'write_file', pattern: '**' })];
  expect(writing('deploy/prod.sh', broad).effect).toBe('allow');
  expect(writing('deploy/prod.sh', broad, {}, ['deploy/**']).ruleId).toBe(STEERING_ID);
  expect(writing('package.json', [], { permissions: ['FilesystemRead'], asks: false }).effect).toBe('allow');
});

test('requires approval with the reason despite auto mode, a broad rule and approval on timeout', async () => {
  const rule = '[[permissions.rules]]\neffect = "allow"\ntool = "write_file"\n';
  const toml = `[permissions]\nmode = "auto"\nalways_ask = ["deploy/**"]\n[approvals]\non_timeout = "approve"\n${rule}`;
  const paths = ['src/a.ts', 'package.json', 'deploy/run.sh'];
  const script = new Script();
  script.on({ step: 1 }).reply(paths.map((path) => toolUse('write_file', { path, content: 'x' })));
  script.on({}).reply([text('Done.')]);
  const configFolder = await folderWith({ 'config.toml': toml });
  const engine = await startEngine(script, {
    configFolder,
    settings: toml,
    person: () => ({ kind: 'reject', reason: 'No.' }),
  });
  await engine.ask('Write');
  const decided = engine.of('approval-decide').filter(({ decision }) => decision.decidedBy === 'person');
  const asked = engine
    .of('approval-request')
    .map(({ approval }) => approval)
    .filter(({ id }) => decided.some(({ approvalId }) => approvalId === id));
  expect(asked.map(({ title }) => title)).toEqual(['Write package.json (+1 −0)', 'Write deploy/run.sh (+1 −0)']);
  expect(asked.map(({ description }) => description)).toEqual([
    expect.stringContaining('package.json steers npm, which can run code'),
    expect.stringContaining(`deploy/run.sh is in permissions.always_ask (${configFolder}/config.toml:3): Triad asks`),
  ]);
  for (const request of asked) {
    expect(request.risk).toBe('high');
    expect(request.onTimeout, 'no answer is a no').toBeUndefined();
  }
  expect(await readFile(join(engine.folder, 'src/a.ts'), 'utf8')).toBe('x');
  await expect(readFile(join(engine.folder, 'package.json'))).rejects.toThrow('ENOENT');
});

test('a steering file requires approval also if the workspace itself lies in a steering folder', () => {
  const places = [
    ['/home/me/.github', 'workflows/ci.yml'],
    ['/home/me/app/.git', 'hooks/pre-commit'],
    ['/home/me/.config', 'fish/config.fish'],
    ['/home/me/app/.vscode', 'tasks.json'],
    ['/home/me/app/.triad/agents', 'helper.md'],
  ] as const;
  const broad = ruleOf({ effect: 'allow', tool: 'write_file', pattern: '**' });
  for (const [folder, path] of places)
    expect(writing(path, [broad], { folder, mode: 'auto' }).ruleId, folder).toBe(STEERING_ID);
  expect(writing('src/a.ts', [], { folder: '/home/me/.claude/worktrees/x', mode: 'auto' }).effect).toBe('allow');
});

/**
 * The files that run code or steer programs, by program. Writing one requires approval unless a rule or a grant names it.
 */
import type { FileChange } from '#contract/change.ts';
import { alternativesOf, matches, matching } from '../base/pattern.ts';
import { type FileGroup, FileTable, findLongestPart } from './file-table.ts';

const STEERING_FILES: readonly FileGroup[] = [
  {
    program: 'git',
    patterns: [
      // A file of this name, and `commondir`, name the folder of the settings. `HEAD` makes any folder a repository.
      '.git',
      'HEAD',
      '.git/{commondir,config,config.worktree,info/attributes}',
      '.git/{worktrees,rebase-merge,hooks,modules}/**',
      '.git{modules,attributes,config}',
      '.config/git/**',
    ],
  },
  { program: 'Husky', patterns: ['.husky/**', '.huskyrc', '.huskyrc.*'] },
  { program: 'Lefthook', patterns: ['.lefthook/**', '{,.}lefthook{,-local}.{yml,yaml,toml,json}'] },
  { program: 'pre-commit', patterns: ['.pre-commit-{config,hooks}.{yaml,yml}'] },
  { program: 'lint-staged', patterns: ['.lintstagedrc', '.lintstagedrc.*', 'lint-staged.config.*'] },
  { program: 'commitlint', patterns: ['.commitlintrc', '.commitlintrc.*', 'commitlint.config.*'] },
  // Editors open a folder and run its tasks.
  { program: 'Visual Studio Code', patterns: ['.vscode/**', '*.code-workspace'] },
  { program: 'JetBrains IDEs', patterns: ['.idea/**', '.run/**'] },
  { program: 'Visual Studio', patterns: ['.vs/**', '*.sln', '*.slnx'] },
  { program: 'development containers', patterns: ['.devcontainer/**', 'devcontainer.json', '.devcontainer.json'] },
  { program: 'Gitpod', patterns: ['.gitpod.yml', '.gitpod.Dockerfile'] },
  { program: 'Zed', patterns: ['.zed/**'] },
  { program: 'Vim', patterns: ['.exrc', '.{vimrc,nvimrc,lvimrc}', '.nvim.lua', '.vim/**', '.config/nvim/**'] },
  { program: 'Emacs', patterns: ['.emacs', '.dir-locals.el', '.dir-locals-2.el'] },
  { program: 'R', patterns: ['.Rprofile'] },
  { program: 'GHCi', patterns: ['.ghci'] },
  { program: 'IRB', patterns: ['.irbrc'] },
  { program: 'GDB', patterns: ['.gdbinit'] },
  { program: 'LLDB', patterns: ['.lldbinit'] },
  // Agents, this one too, take these as instructions or as commands.
  { program: 'Triad', patterns: ['.triad/**'] },
  { program: 'Claude Code', patterns: ['.claude/**', 'CLAUDE.md', 'CLAUDE.local.md'] },
  {
    program: 'coding agents',
    patterns: ['{AGENT,AGENTS,AGENTS.override}.md', '{,.}mcp.json', '.{agents,amp,augment,trae,qwen}/**'],
  },
  { program: 'Codex', patterns: ['.codex/**'] },
  { program: 'opencode', patterns: ['.opencode/**', 'opencode.{json,jsonc}'] },
  { program: 'Cursor', patterns: ['.cursor/**', '.cursorrules'] },
  { program: 'Windsurf', patterns: ['.windsurf/**', '.windsurfrules'] },
  { program: 'Cline', patterns: ['.clinerules', '.clinerules/**'] },
  { program: 'Roo Code', patterns: ['.roo/**', '.roorules', '.roomodes'] },
  { program: 'Aider', patterns: ['.aider.conf.yml', '.aider.model.settings.yml'] },
  { program: 'Gemini CLI', patterns: ['.gemini/**', 'GEMINI.md'] },
  {
    program: 'GitHub Copilot',
    patterns: ['.github/copilot-instructions.md', '.github/{instructions,prompts,agents,chatmodes,skills,hooks}/**'],
  },
  { program: 'Continue', patterns: ['.continue/**', '.continuerules'] },
  { program: 'Kiro', patterns: ['.kiro/**'] },
  { program: 'Junie', patterns: ['.junie/**'] },
  { program: 'Goose', patterns: ['.goosehints', '.goose/**'] },
  // Continuous integration.
  { program: 'GitHub Actions', patterns: ['.github/{workflows,actions}/**', 'action.{yml,yaml}'] },
  { program: 'GitLab CI', patterns: ['.gitlab-ci.yml', '.gitlab/ci/**'] },
  { program: 'CircleCI', patterns: ['.circleci/**'] },
  { program: 'Buildkite', patterns: ['.buildkite/**'] },
  { program: 'Woodpecker', patterns: ['.woodpecker/**', '.woodpecker.{yml,yaml}'] },
  { program: 'Drone', patterns: ['.drone.yml'] },
  { program: 'Forgejo and Gitea', patterns: ['.{forgejo,gitea}/workflows/**'] },
  { program: 'Travis CI', patterns: ['.travis.yml'] },
  { program: 'Azure Pipelines', patterns: ['azure-pipelines.{yml,yaml}'] },
  { program: 'Bitbucket Pipelines', patterns: ['bitbucket-pipelines.yml'] },
  { program: 'AppVeyor', patterns: ['{,.}appveyor.yml'] },
  { program: 'Cirrus CI', patterns: ['.cirrus.yml', '.cirrus.star'] },
  { program: 'Jenkins', patterns: ['Jenkinsfile', 'Jenkinsfile.*'] },
  { program: 'Google Cloud Build', patterns: ['cloudbuild.{yaml,yml}'] },
  // Builds and packages: the next command runs the code in these files.
  { program: 'npm', patterns: ['package.json', '.npmrc'] },
  { program: 'pnpm', patterns: ['.pnpmfile.{cjs,mjs}', 'pnpm-workspace.yaml'] },
  { program: 'Yarn', patterns: ['.yarnrc', '.yarnrc.yml', '.yarn/**', 'yarn.config.cjs'] },
  { program: 'Bun', patterns: ['bunfig.toml'] },
  { program: 'Deno', patterns: ['deno.{json,jsonc}'] },
  {
    program: 'JavaScript build tools',
    patterns: [
      '{vite,webpack,rollup,rolldown,esbuild,tsup,tsdown,rspack,rsbuild,parcel,babel,metro,snowpack,swc,postcss,tailwind}.config.*',
      '{next,nuxt,svelte,astro,remix,react-router,gatsby,vue,ember,qwik}.config.*',
      '{electron.vite,electron-builder,forge,capacitor,unocss,windi,panda,orval,codegen,drizzle,prisma,knex,sanity}.config.*',
      'electron-builder.{yml,yaml,json,json5,toml}',
      'gatsby-{browser,config,node,ssr}.*',
      'knexfile.*',
      'ormconfig.*',
      '.babelrc',
      '.babelrc.*',
      '.postcssrc',
      '.postcssrc.*',
      '.parcelrc',
      '.swcrc',
      'binding.gyp',
    ],
  },
  {
    program: 'JavaScript test runners',
    patterns: [
      '{jest,vitest,vitest.workspace,playwright,playwright-ct,karma,cypress,ava,c8,nyc,testcafe,nightwatch,stryker,detox,web-test-runner}.config.*',
      '{karma,wdio,nightwatch,protractor}.conf.*',
      'vitest.workspace.*',
      '.mocharc',
      '.mocharc.*',
      '.nycrc',
      '.nycrc.*',
      '.storybook/**',
    ],
  },
  {
    program: 'JavaScript linters',
    patterns: [
      '{eslint,prettier,stylelint,oxlint,xo,release,semantic-release,knip}.config.*',
      '.{eslintrc,prettierrc,stylelintrc,releaserc,size-limit}',
      '.{eslintrc,prettierrc,stylelintrc,releaserc,size-limit}.*',
    ],
  },
  {
    program: 'JavaScript task runners',
    patterns: [
      '{gulpfile,gruntfile,jakefile}{,.babel}.*',
      '{turbo,nx,lerna,project,angular}.json',
      'turbo.jsonc',
      '{moon,taskfile,nodemon}.json',
      '.moon/**',
      'ecosystem.config.*',
    ],
  },
  {
    program: 'Python',
    patterns: [
      '{setup,conftest,noxfile,fabfile,dodo,sitecustomize,usercustomize}.py',
      '{setup.cfg,pyproject.toml,tox.ini,pytest.ini,.pytest.ini,Pipfile,pdm.toml,uv.toml}',
      '{hatch,pixi}.toml',
      '*.pth',
    ],
  },
  { program: 'make', patterns: ['{,GNU}makefile', '*.mk'] },
  { program: 'CMake', patterns: ['CMakeLists.txt', 'CMake{,User}Presets.json', '*.cmake'] },
  { program: 'Meson', patterns: ['meson.build', 'meson.options', 'meson_options.txt'] },
  { program: 'SCons and Waf', patterns: ['SConstruct', 'SConscript', 'wscript'] },
  { program: 'Autoconf', patterns: ['configure', 'configure.{ac,in}', 'autogen.sh', 'Makefile.{am,in}'] },
  { program: 'Ninja', patterns: ['build.ninja'] },
  { program: 'just', patterns: ['{,.}justfile', '*.just'] },
  { program: 'Task', patterns: ['Taskfile{,.dist}.{yml,yaml}'] },
  {
    program: 'Bazel',
    patterns: ['.bazelrc', 'BUILD', 'BUILD.bazel', 'WORKSPACE', 'WORKSPACE.bazel', 'MODULE.bazel', '*.bzl'],
  },
  { program: 'Buck', patterns: ['.buckconfig', 'BUCK'] },
  { program: 'Ruby', patterns: ['Rakefile', '*.rake', 'Gemfile', 'gems.rb', '*.gemspec', 'Guardfile', 'Capfile'] },
  { program: 'CocoaPods', patterns: ['Podfile', '*.podspec'] },
  { program: 'fastlane', patterns: ['{Fast,App,Match,Snap,Gym,Deliver,Plugin}file'] },
  { program: 'Homebrew', patterns: ['Brewfile'] },
  { program: 'Xcode', patterns: ['*.xcodeproj/**', '*.xcconfig', '*.xcworkspace/**'] },
  { program: 'Swift', patterns: ['Package.swift', 'Package@swift-*.swift'] },
  {
    program: 'Cargo',
    patterns: [
      'Cargo.toml',
      'build.rs',
      'rust-toolchain',
      'rust-toolchain.toml',
      '.cargo/config',
      '.cargo/config.toml',
    ],
  },
  { program: 'Go', patterns: ['.goreleaser.{yml,yaml}', 'magefile.go', 'magefiles/**'] },
  {
    program: '.NET',
    patterns: ['*.{cs,fs,vb,vcx}proj', '*.{props,targets}', 'nuget.config', 'dotnet-tools.json'],
  },
  {
    program: 'Gradle',
    patterns: [
      '{build,settings,init}.gradle{,.kts}',
      '*.gradle',
      '*.gradle.kts',
      'gradle.properties',
      'gradle-wrapper.{properties,jar}',
      'gradlew',
      'gradlew.bat',
    ],
  },
  { program: 'Maven', patterns: ['pom.xml', '.mvn/**', 'mvnw', 'mvnw.cmd'] },
  { program: 'Ant', patterns: ['build.xml'] },
  { program: 'sbt', patterns: ['*.sbt', '.scalafmt.conf', 'project/build.properties'] },
  { program: 'Mill', patterns: ['build.{sc,mill}'] },
  { program: 'Clojure', patterns: ['project.clj', 'deps.edn', 'bb.edn', 'shadow-cljs.edn'] },
  { program: 'Elixir', patterns: ['mix.exs', '.iex.exs', '.formatter.exs'] },
  { program: 'Erlang', patterns: ['rebar.config', 'rebar.config.script', 'erlang.mk'] },
  { program: 'Haskell', patterns: ['stack.yaml', 'package.yaml', '*.cabal', 'cabal.project', 'Setup.{hs,lhs}'] },
  { program: 'OCaml', patterns: ['dune', 'dune-project', '*.opam'] },
  { program: 'Zig', patterns: ['build.zig', 'build.zig.zon'] },
  { program: 'Nim', patterns: ['*.nimble', 'config.nims', 'nim.cfg'] },
  { program: 'Julia', patterns: ['.julia/config/startup.jl'] },
  { program: 'Perl', patterns: ['Makefile.PL', 'Build.PL'] },
  {
    program: 'PHP',
    patterns: ['composer.json', '.user.ini', 'phpunit.xml', 'phpunit.xml.dist', '.php-cs-fixer{,.dist}.php', 'artisan'],
  },
  { program: 'Apache HTTP Server', patterns: ['.htaccess'] },
  {
    program: 'Docker',
    patterns: [
      'Dockerfile',
      'Dockerfile.*',
      '*.Dockerfile',
      'Containerfile',
      '{docker-,}compose{,.*,-*}.{yml,yaml}',
      'docker-bake.{hcl,json}',
    ],
  },
  { program: 'Earthly', patterns: ['Earthfile'] },
  { program: 'Vagrant', patterns: ['Vagrantfile'] },
  { program: 'Tilt and Skaffold', patterns: ['Tiltfile', 'skaffold.yaml'] },
  { program: 'Pulumi', patterns: ['Pulumi.yaml'] },
  {
    program: 'Serverless',
    patterns: [
      'serverless.{yml,yaml,ts,js,json}',
      '{fly,netlify,wrangler,railway}.toml',
      '{vercel,wrangler}.json',
      'wrangler.jsonc',
      'render.yaml',
      'cdk.json',
    ],
  },
  { program: 'Foreman', patterns: ['Procfile', 'Procfile.{dev,prod,local}'] },
  { program: 'Nix', patterns: ['flake.nix', 'shell.nix', 'default.nix', 'devenv.nix'] },
  // Shells, sessions and programs that start with them.
  { program: 'direnv', patterns: ['.envrc'] },
  { program: 'mise and asdf', patterns: ['{,.}mise{,.local}.toml', '.mise/**', '.config/mise/**', '.tool-versions'] },
  { program: 'shells', patterns: ['.profile', '.{inputrc,login,logout}', '.{ksh,csh,tcsh}rc'] },
  { program: 'Bash', patterns: ['.bash{rc,_profile,_login,_logout,_aliases}'] },
  { program: 'Zsh', patterns: ['.z{shrc,shenv,profile,login,logout}'] },
  { program: 'fish', patterns: ['.config/fish/**'] },
  { program: 'PowerShell', patterns: ['Microsoft.PowerShell_profile.ps1'] },
  {
    program: 'the desktop',
    patterns: ['.config/{autostart,environment.d}/**', '.x{initrc,profile,session,sessionrc}', '.pam_environment'],
  },
  { program: 'systemd', patterns: ['.config/systemd/**'] },
  { program: 'launchd', patterns: ['Library/LaunchAgents/**'] },
  { program: 'cron', patterns: ['crontab'] },
  { program: 'screen and tmux', patterns: ['.tmux.conf', '.screenrc'] },
];

/** Permission of the owner, the group or others to run a file. */
const EXECUTABLE = 0o111;
const TABLE = new FileTable(STEERING_FILES);

/** Returns whether a path is in the table, or in one of the person's own patterns. */
export function isSteering(path: string, more: readonly string[]): boolean {
  return findSteeredProgram(path) !== null || matchOwn(path, more).length > 0;
}

/** Returns the program that runs a file or takes orders from it; null for a file that is not in the table. */
export function findSteeredProgram(path: string): string | null {
  return TABLE.find(path)[0]?.program ?? null;
}

/** Returns whether a changed file can run code: by its name, or because it became executable. */
export function canRunCode({ path, before, after }: FileChange): boolean {
  if (after === null) return false;
  const isNewProgram = after.kind === 'file' && (after.mode & EXECUTABLE) !== 0 && !((before?.mode ?? 0) & EXECUTABLE);
  return isNewProgram || isSteering(path, []);
}

/**
 * Returns whether a pattern matches a path and names it. Such a pattern contains the words of a matching entry of the table,
 * and of a matching pattern of the person. Wildcards alone name no file.
 */
export function namesSteering(pattern: string, path: string, more: readonly string[]): boolean {
  const tablePatterns = TABLE.find(path).map((entry) => entry.pattern);
  const lists = [tablePatterns, matchOwn(path, more)].filter((entries) => entries.length > 0);
  return alternativesOf(pattern).some((one) => {
    const text = foldCase(one).replaceAll('\\', '');
    const isNamed = (entry: string): boolean => {
      const words = findLongestPart(foldCase(entry));
      // An entry of wildcards alone has no words.
      return /[^/]/.test(words) && text.includes(words);
    };
    return matches(one, path, { path: true, loose: false }) && lists.every((entries) => entries.some(isNamed));
  });
}

const matchOwn = (path: string, more: readonly string[]): string[] => matching(more, path, { path: true, loose: true });

const foldCase = (text: string): string => text.normalize('NFC').toLowerCase();

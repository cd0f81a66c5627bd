/** Files that run code, or steer programs that do: writing one is always asked about, unless what allows it names it. */
import type { FileChange } from '#contract/change.ts';
import { alternativesOf, matches, matching } from '../base/pattern.ts';

/** In any folder, in any case. */
const STEERING = [
  // Version control runs what these say.
  // A file of this name, and `commondir`, say in which other folder the settings are; `HEAD` makes any folder a repository.
  '.git',
  'HEAD',
  '.git/commondir',
  '.git/worktrees/**',
  '.git/rebase-merge/**',
  '.git/config',
  '.git/config.worktree',
  '.git/hooks/**',
  '.git/info/attributes',
  '.git/modules/**',
  '.gitmodules',
  '.gitattributes',
  '.gitconfig',
  '.config/git/**',
  '.husky/**',
  '.lefthook/**',
  'lefthook.yml',
  '.lefthook.yml',
  'lefthook-local.yml',
  'lefthook.yaml',
  '.pre-commit-config.yaml',
  '.pre-commit-hooks.yaml',
  // Editors open a folder and run its tasks.
  '.vscode/**',
  '*.code-workspace',
  '.idea/**',
  '.devcontainer/**',
  'devcontainer.json',
  '.zed/**',
  '.exrc',
  '.vim/**',
  '.config/nvim/**',
  '.Rprofile',
  '.ghci',
  '.irbrc',
  '.vimrc',
  '.nvimrc',
  '.nvim.lua',
  '.lvimrc',
  '.emacs',
  '.dir-locals.el',
  '.gdbinit',
  '.lldbinit',
  // Agents, this one too, take these as instructions or as commands.
  '.triad/**',
  '.claude/**',
  '.codex/**',
  '.opencode/**',
  '.cursor/**',
  '.cursorrules',
  '.windsurf/**',
  '.windsurfrules',
  '.clinerules/**',
  '.roo/**',
  '.aider.conf.yml',
  '.gemini/**',
  'CLAUDE.md',
  'CLAUDE.local.md',
  'AGENTS.md',
  'AGENTS.override.md',
  'GEMINI.md',
  '.mcp.json',
  'mcp.json',
  'opencode.json',
  'opencode.jsonc',
  '.github/copilot-instructions.md',
  '.github/instructions/**',
  '.continue/**',
  '.kiro/**',
  // Continuous integration.
  '.github/workflows/**',
  '.github/actions/**',
  '.gitlab-ci.yml',
  '.circleci/**',
  '.buildkite/**',
  '.woodpecker/**',
  '.drone.yml',
  '.travis.yml',
  'azure-pipelines.yml',
  'bitbucket-pipelines.yml',
  'appveyor.yml',
  'Jenkinsfile',
  // Builds and packages: their next command runs what is written here.
  'package.json',
  '.npmrc',
  '.pnpmfile.cjs',
  'pnpm-workspace.yaml',
  '.yarnrc',
  '.yarnrc.yml',
  '.yarn/**',
  'bunfig.toml',
  'deno.json',
  'deno.jsonc',
  'setup.py',
  'setup.cfg',
  'pyproject.toml',
  'conftest.py',
  'noxfile.py',
  'tox.ini',
  'sitecustomize.py',
  'usercustomize.py',
  '*.pth',
  'Makefile',
  'GNUmakefile',
  '*.mk',
  'CMakeLists.txt',
  'justfile',
  'Taskfile.yml',
  'Taskfile.yaml',
  'Rakefile',
  'Gemfile',
  '*.gemspec',
  'build.rs',
  'binding.gyp',
  '.bazelrc',
  'Directory.Build.props',
  'Directory.Build.targets',
  'Cargo.toml',
  'rust-toolchain',
  'rust-toolchain.toml',
  '.cargo/config',
  '.cargo/config.toml',
  'build.gradle',
  'build.gradle.kts',
  'settings.gradle',
  'settings.gradle.kts',
  'gradle-wrapper.properties',
  'gradlew',
  'gradlew.bat',
  '.mvn/**',
  'mvnw',
  'pom.xml',
  'composer.json',
  'Dockerfile',
  'docker-compose.yml',
  'docker-compose.override.yml',
  'compose.override.yml',
  'docker-compose.yaml',
  'compose.yml',
  'compose.yaml',
  'Vagrantfile',
  'flake.nix',
  'shell.nix',
  'default.nix',
  // Shells, sessions and what starts with them.
  '.envrc',
  '.mise.toml',
  'mise.toml',
  'mise.local.toml',
  '.config/mise/**',
  '.tool-versions',
  '.profile',
  '.bashrc',
  '.bash_profile',
  '.bash_login',
  '.bash_logout',
  '.bash_aliases',
  '.zshrc',
  '.zshenv',
  '.zprofile',
  '.zlogin',
  '.zlogout',
  '.kshrc',
  '.cshrc',
  '.tcshrc',
  '.login',
  '.logout',
  '.inputrc',
  '.config/fish/**',
  '.config/autostart/**',
  '.config/systemd/**',
  '.config/environment.d/**',
  'Library/LaunchAgents/**',
  '.xinitrc',
  '.xprofile',
  '.xsession',
  '.xsessionrc',
  '.pam_environment',
  'Microsoft.PowerShell_profile.ps1',
  'crontab',
] as const;

/** Permission of the owner, the group or others to run a file. */
const EXECUTABLE = 0o111;
const PREFIX = '**/';
const LOOSELY = { path: true, loose: true };

/** Whether a path of the workspace is in the list, or in the person's own. */
export function isSteering(path: string, more: readonly string[]): boolean {
  return matchKnown(path).length > 0 || matchOwn(path, more).length > 0;
}

/** Returns whether a changed file can run code: by its name, or because it became executable. */
export function canRunCode({ path, before, after }: FileChange): boolean {
  if (after === null) return false;
  const isNewProgram = after.kind === 'file' && (after.mode & EXECUTABLE) !== 0 && !((before?.mode ?? 0) & EXECUTABLE);
  return isNewProgram || isSteering(path, []);
}

/**
 * Whether a pattern that matches the path names it as one of the list, and as one of the person's own where it is in
 * both: the words of its entry stand in it, and not merely wildcards that reach it.
 */
export function namesSteering(pattern: string, path: string, more: readonly string[]): boolean {
  const lists = [matchKnown(path), matchOwn(path, more)].filter((entries) => entries.length > 0);
  return alternativesOf(pattern).some((one) => {
    const written = folded(one).replaceAll('\\', '');
    // An entry of wildcards alone has no words: nothing names it.
    const names = (entry: string): boolean => /[^/]/.test(wordsOf(entry)) && written.includes(wordsOf(entry));
    return matches(one, path, { path: true, loose: false }) && lists.every((entries) => entries.some(names));
  });
}

const ANYWHERE = STEERING.map((entry) => `${PREFIX}${entry}`);
const SEGMENTS = STEERING.flatMap((entry) => entry.toLowerCase().split('/'));
const NAMES = new Set(SEGMENTS.filter((segment) => !segment.includes('*')));
/** Ends of names, such as `.mk`. */
const ENDINGS = SEGMENTS.filter((segment) => segment.startsWith('*.')).map((segment) => segment.slice(1));

/** Returns the entries that match a path. Most paths have no name of an entry, and are matched against none. */
function matchKnown(path: string): string[] {
  const isCandidate = (name: string): boolean => NAMES.has(name) || ENDINGS.some((ending) => name.endsWith(ending));
  if (!folded(path).split('/').some(isCandidate)) return [];
  return matching(ANYWHERE, path, LOOSELY).map((pattern) => pattern.slice(PREFIX.length));
}

const matchOwn = (path: string, more: readonly string[]): string[] => matching(more, path, LOOSELY);

/** The longest part of an entry without wildcards. */
function wordsOf(entry: string): string {
  const runs = folded(entry).split(/[*?]+/);
  return runs.reduce((longest, run) => (run.length > longest.length ? run : longest), '');
}

const folded = (text: string): string => text.normalize('NFC').toLowerCase();

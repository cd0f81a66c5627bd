/** Ordinary work in the sandbox: builds, tests, package managers, git and servers work as they do outside. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { Git } from '#core/workspace/git.ts';
import { NO_OPTIONS } from '#core/workspace/shell/sandbox.ts';
import { runShell, type ShellCommand } from '#core/workspace/shell/shell-process.ts';
import { sandbox, shellIn, skipped, words } from '../core/workspace/shell/support.ts';
import { fullTest } from '../support/samples.ts';
import { folderWith, workspaceIn } from '../support/workspace.ts';

const GIT = 'git -c user.name=a -c user.email=a@b -c init.defaultBranch=main';

interface ToolchainWork {
  /** Programs that the machine must have. */
  needs: readonly string[];
  files?: Readonly<Record<string, string>>;
  script: string;
  /** The last line of the output. */
  output: string;
  /** Only in the full run. */
  isSlow?: true;
}

const WORK: Readonly<Record<string, ToolchainWork>> = {
  'git: add, commit, branch, rebase, stash, checkout, fetch': {
    needs: ['git'],
    files: { 'a.txt': 'one\n' },
    script: `${GIT} init -q . && git add -A && ${GIT} commit -qm one && git checkout -qb other && echo two >> a.txt &&
      ${GIT} commit -qam two && git checkout -q main && echo b > b.txt && git add b.txt && ${GIT} commit -qm three &&
      git checkout -q other && ${GIT} rebase -q main && echo x >> a.txt && ${GIT} stash -q && ${GIT} stash pop -q &&
      git clone -q . copy && cd copy && git fetch -q && git log --oneline | wc -l`,
    output: '3',
  },
  'an editor of commit messages': {
    needs: ['git'],
    files: { 'a.txt': 'one\n', 'edit.sh': '#!/bin/sh\necho edited > "$1"\n' },
    script: `chmod +x edit.sh && git init -q . && git add -A && EDITOR=./edit.sh ${GIT} commit -q &&
      GIT_EDITOR=$PWD/edit.sh ${GIT} commit -q --amend && git log --format=%s`,
    output: 'edited',
  },
  'npm run build that writes a folder, and node --test': {
    needs: ['npm'],
    files: {
      'package.json': JSON.stringify({
        name: 'a',
        scripts: { build: 'mkdir -p dist && echo built > dist/a', test: 'node --test a.test.mjs' },
      }),
      'a.test.mjs': "import { test } from 'node:test'; test('works', () => {});",
    },
    script: 'npm run build --silent && npm test --silent | grep -c "^# pass 1\\|pass 1$" && cat dist/a',
    output: 'built',
  },
  'a server in the background, and curl': {
    needs: ['curl'],
    files: {
      's.mjs':
        "import { createServer } from 'node:http'; createServer((_, r) => r.end('served')).listen(8123, '127.0.0.1');",
    },
    script:
      'node s.mjs & for i in $(seq 50); do curl -sf http://127.0.0.1:8123/ && break; sleep 0.1; done; kill %1; echo',
    output: 'served',
  },
  'node --watch': {
    needs: [],
    files: { 'w.mjs': "console.log('run ' + Math.random())" },
    script:
      'node --watch w.mjs > log 2>&1 & sleep 1; echo "console.log(1 + 41)" > w.mjs; for i in $(seq 50); do grep -q "^42" log && break; sleep 0.1; done; kill %1; grep -o "^42" log',
    output: '42',
    isSlow: true,
  },
  make: {
    needs: ['make'],
    files: { Makefile: 'all:\n\techo made > out && cat out\n' },
    script: 'make -s',
    output: 'made',
  },
  pytest: {
    needs: ['python3', 'pytest'],
    files: { 'test_a.py': 'def test_a(tmp_path):\n    (tmp_path / "a").write_text("a")\n' },
    script: 'python3 -m pytest -q 2>&1 | grep -o "1 passed"',
    output: '1 passed',
    isSlow: true,
  },
  'pytest under pyenv': {
    needs: ['pyenv', 'pytest'],
    files: { 'test_a.py': 'def test_a():\n    assert True\n' },
    script: 'pyenv exec python -m pytest -q 2>&1 | grep -o "1 passed"',
    output: '1 passed',
    isSlow: true,
  },
  'pytest in a virtual environment': {
    needs: ['python3', 'pytest'],
    files: { 'test_a.py': 'import sys\ndef test_a():\n    assert sys.prefix != sys.base_prefix\n' },
    script:
      'python3 -m venv --without-pip --system-site-packages v && v/bin/python -m pytest -q 2>&1 | grep -o "1 passed"',
    output: '1 passed',
    isSlow: true,
  },
  tsx: {
    needs: ['tsx'],
    files: { 'a.ts': "const text: string = 'typed';\nconsole.log(text);\n" },
    script: 'tsx a.ts',
    output: 'typed',
    isSlow: true,
  },
  'a virtual environment of Python': {
    needs: ['python3'],
    script: 'python3 -m venv --without-pip v && . v/bin/activate && python -c "import sys; print(sys.prefix[-1])"',
    output: 'v',
    isSlow: true,
  },
  'cargo build': {
    needs: ['cargo'],
    files: {
      'Cargo.toml': '[package]\nname = "a"\nversion = "0.1.0"\nedition = "2021"\n',
      'src/main.rs': 'fn main() { println!("rust"); }\n',
    },
    script: 'cargo run -q --offline',
    output: 'rust',
    isSlow: true,
  },
  'go build': {
    needs: ['go'],
    files: { 'go.mod': 'module a\n', 'a.go': 'package main\nfunc main() { println("go") }\n' },
    script: 'go build -o a . && ./a 2>&1',
    output: 'go',
    isSlow: true,
  },
};

const has = (program: string): boolean => {
  try {
    execFileSync('sh', ['-c', `command -v ${program} && ${program} --version || ${program} version`], {
      stdio: 'ignore',
    });
    return true;
  } catch {
    return false;
  }
};

async function runIn(files: Readonly<Record<string, string>>) {
  const folder = await folderWith(files);
  const options = { ...NO_OPTIONS, caches: await folderWith(), git: new Git(process.env) };
  return async (command: string, more: Partial<ShellCommand> = {}) => {
    const shell = await shellIn({ workspace: workspaceIn(folder), sandbox, options, ...more });
    return (await runShell({ ...shell, command })).output.head.trim();
  };
}

/** A registry of npm with one package. Returns its address. */
async function startRegistry(): Promise<string> {
  const folder = await folderWith({
    'package/package.json': '{ "name": "one", "version": "1.0.0" }',
    // Packages are not searched for secrets, so that they can be deleted.
    'package/.env': 'A=1',
    'package/index.js': "module.exports = 'installed';",
  });
  execFileSync('tar', ['-czf', 'one.tgz', 'package'], { cwd: folder });
  const tarball = readFileSync(join(folder, 'one.tgz'));
  const integrity = `sha512-${createHash('sha512').update(tarball).digest('base64')}`;
  const server = createServer(({ url }, response) => {
    if (url?.endsWith('.tgz')) return void response.end(tarball);
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/one.tgz`;
    const version = { name: 'one', version: '1.0.0', dist: { tarball: address, integrity } };
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ name: 'one', 'dist-tags': { latest: '1.0.0' }, versions: { '1.0.0': version } }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe.skipIf(skipped)(`toolchains in the sandbox (${words})`, () => {
  for (const [name, { needs, files = {}, script, output, isSlow = false }] of Object.entries(WORK)) {
    const missing = needs.filter((program) => !has(program));
    const declare = isSlow
      ? fullTest('tests/security/toolchains.test.ts › npm install, then again without the network')
      : test;
    // Not skipped: a machine need not have every toolchain.
    if (missing.length > 0) console.info(`Not run: ${name}, because ${missing.join(' and ')} is missing`);
    else
      declare(name, { timeout: 60_000 }, async () => {
        const run = await runIn(files);
        expect(await run(script)).toMatch(new RegExp(`(^|\n)${output}$`));
      });
  }

  test('npm install, then again without the network', { timeout: 60_000 }, async () => {
    const run = await runIn({ 'package.json': '{ "name": "a", "version": "1.0.0" }' });
    const install = `npm install one --registry ${await startRegistry()} --no-audit --no-fund --silent`;
    expect(await run(`${install} && node -p "require('one')"`, { network: true })).toBe('installed');
    expect(await run('rm -r node_modules && npm ci --offline --silent && node -p "require(\'one\')"')).toBe(
      'installed',
    );
  });
});

/** MCP servers of the person in a hostile folder: no program of the folder runs outside the sandbox. */
import { execFile } from 'node:child_process';
import { chmod, readdir, readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { findProgram } from '#core/workspace/shell/programs.ts';
import { startEngine } from '../support/engine.ts';
import { Script, text, toolUse } from '../support/fake-model/script.ts';
import { webServer } from '../support/web/web-server.ts';
import { folderWith } from '../support/workspace.ts';
import { skipped } from '../core/workspace/shell/support.ts';
import { attack } from './attacks.ts';

const NAME = 'files-server';

/** A server whose tool `look` returns its folder, the entries of the folder, and the roots that the client lists. */
const SERVER = `#!/usr/bin/env node
const { readdirSync } = require('node:fs');
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
const answers = new Map();
const METHODS = {
  initialize: () => ({ protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } }),
  'tools/list': () => ({ tools: [{ name: 'look', inputSchema: { type: 'object' } }] }),
  'tools/call': async () => {
    const { promise, resolve } = Promise.withResolvers();
    answers.set('roots', resolve);
    send({ id: 'roots', method: 'roots/list' });
    const { roots } = await promise;
    const text = JSON.stringify({ cwd: process.cwd(), entries: readdirSync('.'), roots: roots.map(({ uri }) => uri) });
    return { content: [{ type: 'text', text }] };
  },
};
require('node:readline').createInterface({ input: process.stdin }).on('line', async (line) => {
  const { id, method, params, result } = JSON.parse(line);
  if (method === undefined) answers.get(id)?.(result);
  else if (id !== undefined) send({ id, result: await METHODS[method]?.(params) });
});
`;

/** Serves one package. */
async function startRegistry(): Promise<{ url: string }> {
  const folder = await folderWith({
    'package/package.json': JSON.stringify({ name: NAME, version: '1.0.0', bin: { [NAME]: 'server.js' } }),
    'package/server.js': SERVER,
  });
  await promisify(execFile)('tar', ['-czf', 'package.tgz', 'package'], { cwd: folder });
  const tarball = await readFile(join(folder, 'package.tgz'));
  const registry = await webServer(({ url }, response) => {
    const version = {
      name: NAME,
      version: '1.0.0',
      bin: { [NAME]: 'server.js' },
      dist: { tarball: `${registry.url}package.tgz` },
    };
    if (url === `/${NAME}`)
      response.end(JSON.stringify({ name: NAME, 'dist-tags': { latest: '1.0.0' }, versions: { '1.0.0': version } }));
    else if (url === '/package.tgz') response.end(tarball);
    else response.writeHead(404).end('{}');
  });
  return registry;
}

/** Files that programs such as npx, direnv and version managers load from the folder in which they start. */
function hostileFiles(canary: string, registry: string): Record<string, string> {
  const script = `#!/bin/sh\ntouch '${canary}' ran\n`;
  const code = `#!/usr/bin/env node\nfor (const file of ['${canary}', 'ran']) try { require('node:fs').writeFileSync(file, ''); } catch {}\n`;
  const npmrc = ['script-shell=./evil.sh', 'node-options=--require ./evil.js', 'prefix=.', 'cache=.npm-cache'];
  const own = { name: NAME, version: '9.9.9', bin: { [NAME]: 'server.js' } };
  const scripts = Object.fromEntries(
    ['preinstall', 'install', 'prepare', 'start', NAME].map((one) => [one, 'sh evil.sh']),
  );
  return {
    'evil.sh': script,
    'evil.js': code,
    'relative.js': code,
    [NAME]: script,
    [`bin/${NAME}`]: script,
    [`node_modules/.bin/${NAME}`]: script,
    'node_modules/.bin/node': script,
    'node_modules/.bin/npx': script,
    [`node_modules/${NAME}/package.json`]: JSON.stringify(own),
    [`node_modules/${NAME}/server.js`]: code,
    'package.json': JSON.stringify({
      ...own,
      scripts,
      dependencies: { [NAME]: '9.9.9' },
      packageManager: 'pnpm@1.0.0',
    }),
    'server.js': code,
    '.npmrc': [...npmrc, `registry=${registry}`].join('\n'),
    '.pnpmfile.cjs': code,
    '.yarnrc.yml': 'yarnPath: ./evil.js\n',
    'bunfig.toml': 'preload = ["./evil.js"]\n',
    'uv.toml': `index-url = "${registry}"\n`,
    '.python-version': '0.0\n',
    'sitecustomize.py': `open('${canary}', 'w')\n`,
    '.envrc': script,
    '.env': 'NODE_OPTIONS=--require ./evil.js\n',
    '.tool-versions': 'nodejs path:.\n',
    '.nvmrc': '0.0\n',
  };
}

/** A person whose npm uses a scripted registry, in a hostile folder. `words` start the server `mine`; FOLDER is a link to it. */
async function startInHostileFolder(words: readonly string[]) {
  const registry = await startRegistry();
  const evil = await webServer((_, response) => void response.writeHead(404).end('{}'));
  const npmrc = `registry=${registry.url}\nupdate-notifier=false\n`;
  const home = await folderWith({ '.npmrc': npmrc });
  const canary = join(home, 'canary');
  const files = hostileFiles(canary, evil.url);
  const [command, ...args] = words.map((word) => word.replace('FOLDER', join(home, 'link')));
  const table = `[mcp.servers.mine]\ncommand = "${command}"\nargs = ${JSON.stringify(args)}\n`;
  const script = new Script().step([toolUse('mcp__mine__look', {})]).step([text('Done.')]);
  const programs = { ...process.env, HOME: home, TMPDIR: home };
  const engine = await startEngine(script, { settings: table, files, programs });
  await symlink(engine.folder, join(home, 'link'));
  const executable = [
    'evil.sh',
    'evil.js',
    NAME,
    `bin/${NAME}`,
    ...(await readdir(join(engine.folder, 'node_modules/.bin'))).map((name) => `node_modules/.bin/${name}`),
  ];
  for (const path of executable) await chmod(join(engine.folder, path), 0o755);
  const listPlanted = async () => [
    ...(await readdir(home)).filter((name) => name === 'canary'),
    ...(await readdir(engine.folder, { recursive: true })).filter((path) => /(^|\/)ran$/.test(path)),
  ];
  return { engine, home, evil, listPlanted };
}

const RUNNERS: readonly (readonly string[])[] = [
  ['npx', '-y', NAME],
  ['npx', NAME],
  ['npm', 'exec', '-y', NAME],
  ['uvx', NAME],
  ['uv', 'tool', 'run', NAME],
  ['bunx', NAME],
  ['pnpm', 'dlx', NAME],
  ['yarn', 'dlx', NAME],
  ['deno', 'run', `npm:${NAME}`],
  [NAME],
];

async function expectNothingRuns(servers: readonly (readonly string[])[]): Promise<void> {
  for (const words of servers) {
    const isMissing = words[0] !== NAME && (await findProgram(words[0]!, process.env, null)) === null;
    if (isMissing) continue;
    const { engine, evil, listPlanted } = await startInHostileFolder(words);
    await engine.runtime.request('mcp.restart', { name: 'mine' }).catch(() => undefined);
    await engine.runtime.close();
    expect([words, await listPlanted(), evil.connections]).toEqual([words, [], 0]);
  }
}

attack('an MCP server of the person in a folder with programs of its name', () => expectNothingRuns(RUNNERS));

const NAMING: readonly (readonly string[])[] = [
  ['node', 'relative.js'],
  ['node', './relative.js'],
  ['npx', '-y', NAME, '.'],
  ['npx', NAME, 'FOLDER'],
  ['node', 'FOLDER/relative.js'],
];

attack('an MCP server of the person that names a file of the folder', () => expectNothingRuns(NAMING), !skipped);

test('a package runner of the person starts in an empty folder and lists the workspace as its root', async () => {
  const { engine, evil, listPlanted } = await startInHostileFolder(['npx', '-y', NAME]);
  await engine.ask('Look');
  const [look] = engine.of('tool-end').map(({ entry }) => entry.output);
  expect(JSON.parse(look!)).toEqual({
    cwd: expect.stringMatching(/caches\/servers$/) as string,
    entries: [],
    roots: [pathToFileURL(engine.folder).href],
  });
  expect([await listPlanted(), evil.connections]).toEqual([[], 0]);
});

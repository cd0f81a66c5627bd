/** Tests the decision in which location a server starts: by the paths in its entry, after links are resolved. */
import { access, chmod, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { McpLaunch } from '#contract/mcp/mcp-entry.ts';
import { findStartPlace, planServerStart } from '#core/mcp/server-start.ts';
import { sandbox } from '../workspace/shell/support.ts';
import { NO_OPTIONS } from '#core/workspace/shell/sandbox.ts';
import { folderWith, workspaceIn } from '../../support/workspace.ts';

interface ServerEntry {
  source?: 'user' | 'project' | 'client';
  command?: string;
  args?: string[];
  env?: Record<string, string>;
  cwd?: string;
}

/** A workspace `project`, and a folder `tools` beside it, with links between them. */
async function makePlan() {
  const root = await folderWith({
    'project/server.js': '',
    'project/lib/a.js': '',
    'project/node_modules/.bin/local': '#!/bin/sh\n',
    'tools/server.js': '',
    'tools/npx': '#!/bin/sh\n',
    'tools/remote': '#!/bin/sh\n',
  });
  const [folder, tools, neutralFolder] = [join(root, 'project'), join(root, 'tools'), join(root, 'neutral')];
  for (const file of ['project/node_modules/.bin/local', 'tools/npx', 'tools/remote'])
    await chmod(join(root, file), 0o755);
  await symlink(join(tools, 'server.js'), join(folder, 'out.js'));
  await symlink(join(folder, 'server.js'), join(tools, 'in.js'));
  await symlink(join(folder, 'lib'), join(tools, 'lib'));
  await symlink(join(folder, 'out.js'), join(tools, 'through.js'));
  await symlink(join(folder, 'missing'), join(tools, 'broken'));
  await symlink(join(folder, 'server.js'), join(tools, 'linked'));
  await chmod(join(folder, 'server.js'), 0o755);
  const PATH = [join(folder, 'node_modules/.bin'), tools, '/usr/bin', '/bin'].join(':');
  const confinedBy = { sandbox: sandbox!, workspace: workspaceIn(folder), options: NO_OPTIONS };
  const fill = (text: string) => text.replaceAll('WS', folder).replaceAll('TOOLS', tools);
  const plan = ({ source = 'user', command = 'remote', args = [], env = {}, cwd }: ServerEntry) =>
    planServerStart(
      {
        source,
        transport: {
          kind: 'stdio',
          command: fill(command),
          args: args.map(fill),
          env: Object.fromEntries(Object.entries(env).map(([name, value]) => [name, fill(value)])),
          cwd: cwd === undefined ? null : fill(cwd),
        },
      },
      folder,
      { env: { PATH }, neutralFolder, sandboxFor: () => Promise.resolve(confinedBy) },
    );
  return { plan, folder, tools, neutralFolder };
}

/** Entries whose arguments and variables name something in the workspace. */
const NAMING: [string, ServerEntry][] = [
  ['a relative argument', { args: ['server.js'] }],
  ['an absolute argument', { args: ['WS/server.js'] }],
  ['an argument that names no file yet', { args: ['./later.js'] }],
  ['the value of an option', { args: ['--config=./lib/a.js'] }],
  ['the value behind a short option', { args: ['-r./lib/a.js'] }],
  ['a bare value behind a short option', { args: ['-rlib/a.js'] }],
  ['a bare value of an option', { args: ['--config=server.js'] }],
  ['one of several values', { args: ['a,type=bind,src=lib'] }],
  ['a file address', { args: ['file://WS/server.js'] }],
  ['an encoded file address', { args: ['file://TOOLS%2Flib/a.js'] }],
  ['the workspace itself', { args: ['.'] }],
  ['the path of the workspace in a text', { args: ['x:WS:y'] }],
  ['the path of the workspace in an address', { args: ['x://hostWS/a'] }],
  ['a link in the workspace to a file outside', { args: ['out.js'] }],
  ['a link outside to a file inside', { args: ['TOOLS/in.js'] }],
  ['a file below a link to a folder inside', { args: ['TOOLS/lib/a.js'] }],
  ['a missing file below such a link', { args: ['TOOLS/lib/later.js'] }],
  ['a link through the workspace to a file outside', { args: ['TOOLS/through.js'] }],
  ['a broken link', { args: ['TOOLS/broken'] }],
  ['a path above and back', { args: ['TOOLS/../project/server.js'] }],
  ['a path of the process', { args: ['/proc/self/cwd/server.js'] }],
  ['a variable', { env: { NODE_OPTIONS: '--require WS/server.js' } }],
];

const CONFINED: [string, ServerEntry][] = [
  ['a server of a project', { source: 'project', command: 'node', args: ['TOOLS/server.js'] }],
  ['a program in the workspace', { command: 'WS/server.js' }],
  ['a program of node_modules/.bin in PATH', { command: 'local' }],
  ['a program that is a link to one inside', { command: 'TOOLS/linked' }],
  ['code of a shell', { command: 'sh', args: ['-c', 'exec node *.js'] }],
  ['code of a wrapped shell', { command: 'timeout', args: ['9', 'bash', '-lc', 'x'] }],
  ['code of an interpreter', { command: 'node', args: ['--no-warnings', '-e', 'x'] }],
  ['a module that an interpreter finds by name', { command: 'node', args: ['--import', 'later', 'TOOLS/server.js'] }],
  ['a folder in the workspace', { cwd: 'WS/lib' }],
  ['the workspace as a relative folder', { cwd: '.' }],
  ['a runner with a file', { source: 'project', command: 'npx', args: ['-y', 'files', 'lib'] }],
  ['a runner of a local file', { source: 'project', command: 'npx', args: ['-y', './lib'] }],
  ['a runner that may ask', { source: 'project', command: 'npx', args: ['--no', 'files'] }],
  ['a runner with a command line', { source: 'project', command: 'npx', args: ['-y', '-c', 'files'] }],
  ['a runner of a repository', { source: 'project', command: 'npx', args: ['-y', 'github:me/files'] }],
  ['a container with a folder', { source: 'project', command: 'docker', args: ['run', '-v', './lib:/lib', 'image'] }],
  ['a runner in a folder', { source: 'project', command: 'npx', args: ['-y', 'files'], cwd: '.' }],
  ['a runner at a path', { source: 'project', command: './npx', args: ['-y', 'files'] }],
];

/** A project starts package runners in the neutral folder, unless an argument names something in the workspace. */
const asRunner = ({ args = [], ...entry }: ServerEntry): ServerEntry => ({
  source: 'project',
  command: 'npx',
  args: ['-y', 'files', ...args],
  ...entry,
});

test('confines a server that starts, or could start, from the workspace', async () => {
  const { plan } = await makePlan();
  const found = await Promise.all(
    [...CONFINED, ...NAMING.map(([name, entry]): [string, ServerEntry] => [name, asRunner(entry)])].map(
      async ([name, entry]) => [name, (await plan(entry)).confinedBy !== null] as const,
    ),
  );
  expect(found.filter(([, isConfined]) => !isConfined)).toEqual([]);
});

test('starts a package runner of a project in an empty folder, without the programs of the workspace', async () => {
  const { plan, tools, neutralFolder } = await makePlan();
  const runners: [string, ...string[]][] = [
    ['npx', '-y', '@scope/files@1.2.3', '--level=2', 'stdio'],
    ['npx', '--yes', 'server.js'],
    ['uvx', 'files[all]==1.2', '--repository', '/usr'],
    ['docker', 'run', '-i', '--rm', 'image:2', 'node', '-e', 'x'],
  ];
  for (const [command, ...args] of runners) {
    const { program, env, confinedBy } = await plan({ source: 'project', command, args });
    expect([command, confinedBy, program.cwd]).toEqual([command, null, neutralFolder]);
    expect(env['PATH']).toBe([tools, '/usr/bin', '/bin'].join(':'));
  }
});

test('confines a server without a folder if the neutral folder is in the workspace', async () => {
  const { folder } = await makePlan();
  const confinedBy = { sandbox: sandbox!, workspace: workspaceIn(folder), options: NO_OPTIONS };
  const transport = { kind: 'stdio' as const, command: 'npx', args: ['-y', 'files'], env: {}, cwd: null };
  const ports = { env: {}, neutralFolder: join(folder, 'neutral'), sandboxFor: () => Promise.resolve(confinedBy) };
  for (const source of ['project', 'user', 'client'] as const)
    expect((await planServerStart({ source, transport }, folder, ports)).confinedBy).toBe(confinedBy);
});

test('starts a server of the person or of a client in the neutral folder', async () => {
  const { plan, neutralFolder, tools } = await makePlan();
  const free: ServerEntry[] = [
    { args: ['stdio', '--port=8080', 'TOOLS/server.js', '@scope/name', 'https://example.org/a', 'WS-2/a.js'] },
    { command: 'node', args: ['TOOLS/server.js', '-p', '1'] },
    { command: 'npx', args: ['-y', '@scope/files'] },
    { command: 'npx', args: ['server.js'] },
    { command: 'node', args: ['./server.js'], env: { FILE: 'lib/a.js' } },
    { command: './server.js' },
    { source: 'client', command: 'npx', args: ['-y', 'files'] },
    { source: 'client', command: 'TOOLS/remote' },
  ];
  for (const entry of free)
    expect(await plan(entry)).toMatchObject({
      confinedBy: null,
      program: { cwd: neutralFolder },
      env: { PATH: expect.stringMatching(/^[^:]*tools:/) as string },
    });
  expect((await plan({ cwd: 'TOOLS' })).program.cwd).toBe(tools);
});

test('starts a server of the person that names the workspace in the sandbox, but not in the workspace', async () => {
  const { plan } = await makePlan();
  for (const args of [
    ['-y', 'files', 'WS'],
    ['-y', 'files', 'TOOLS/in.js'],
    ['files', '--root=WS/lib'],
  ])
    expect((await plan({ command: 'npx', args })).program.cwd).toBe('/');
  expect((await plan({ command: 'npx', args: ['-y', 'files', 'WS'] })).confinedBy).not.toBeNull();
});

test('starts a server of the workspace without a sandbox on a machine that has none', async () => {
  const { folder } = await makePlan();
  const transport = { kind: 'stdio' as const, command: './server.js', args: [], env: {}, cwd: null };
  const ports = { env: { PATH: `${folder}:/bin` }, neutralFolder: null, sandboxFor: () => Promise.resolve(null) };
  expect(await planServerStart({ source: 'project', transport }, folder, ports)).toEqual({
    program: { command: './server.js', args: [], env: {}, cwd: folder },
    env: ports.env,
    confinedBy: null,
    missedFile: null,
  });
});

test('finds where a server of a project starts before its variables are filled in, and creates nothing', async () => {
  const { folder, neutralFolder } = await makePlan();
  const confinedBy = { sandbox: sandbox!, workspace: workspaceIn(folder), options: NO_OPTIONS };
  const find = (launch: Partial<McpLaunch>, found: typeof confinedBy | null = confinedBy) =>
    findStartPlace({ args: [], env: {}, headers: {}, ...launch }, folder, {
      env: {},
      neutralFolder,
      sandboxFor: () => Promise.resolve(found),
    });
  expect(await find({ command: 'node', args: ['${HOME}/server.js'] })).toBe('sandbox');
  expect(await find({ command: 'npx', args: ['-y', 'files', '${HOME}'] })).toBe('outside');
  expect(await find({ command: 'node' }, null)).toBe('no-sandbox');
  expect(await find({ url: 'https://example.org' })).toBeNull();
  await expect(access(neutralFolder)).rejects.toThrow('ENOENT');
});

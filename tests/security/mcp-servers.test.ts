/** MCP servers whose files an agent can write: they run in the sandbox, and end with the program. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, copyFile, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { McpServerConfig } from '#core/mcp/server-config.ts';
import { ServerProcess } from '#core/mcp/server-process.ts';
import { NO_OPTIONS, type Sandbox } from '#core/workspace/shell/sandbox.ts';
import { said, serverOf, useOf } from '../core/mcp/support.ts';
import { processesWith, sandbox, skipped, uniqueSleep, words } from '../core/workspace/shell/support.ts';
import { startEngine } from '../support/engine.ts';
import { eventually } from '../support/eventually.ts';
import { Script, text, toolUse } from '../support/fake-model/script.ts';
import { ROOT } from '../support/program.ts';
import { variations } from '../support/samples.ts';
import { folderWith, workspaceIn } from '../support/workspace.ts';

/** A server with one tool, which evaluates its argument. */
const SERVER = `
import { execSync } from 'node:child_process';
import fs from 'node:fs';
import { createInterface } from 'node:readline';
const evaluate = async (code) => {
  try { return JSON.stringify(await eval(code)) ?? 'undefined'; } catch (error) { return String(error.code ?? error); }
};
const METHODS = {
  initialize: () => ({ protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } }),
  'tools/list': () => ({ tools: [{ name: 'evaluate', inputSchema: { type: 'object' } }] }),
  'tools/call': async ({ arguments: { code } }) => ({ content: [{ type: 'text', text: await evaluate(code) }] }),
};
createInterface({ input: process.stdin }).on('line', async (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result: await METHODS[method]?.(params) }) + '\\n');
});
`;

type StdioTransportSettings = Extract<McpServerConfig['transport'], { kind: 'stdio' }>;

/** A home folder with secrets, a workspace with a server, and another workspace. */
async function makeHome() {
  const home = await folderWith({
    'project/server.mjs': SERVER,
    'project/.git/config': '[core]\n',
    'other/secret.txt': 'HIDDEN',
    '.ssh/id_ed25519': 'HIDDEN',
    '.config/triad/key': 'HIDDEN',
    'bin/notes.txt': '',
  });
  const folder = join(home, 'project');
  const own = [join(home, '.config/triad')];
  const env = { PATH: process.env['PATH'], HOME: home };
  const confine = (made: Sandbox = sandbox!) => {
    return { sandbox: made, workspace: workspaceIn(folder, { own }), options: NO_OPTIONS };
  };
  const start = (more: Partial<StdioTransportSettings> = {}, ports: Parameters<typeof useOf>[2] = {}) => {
    const transport = { kind: 'stdio' as const, command: 'node', args: ['server.mjs'], env: {}, cwd: null, ...more };
    const server = serverOf('own', transport, { source: 'project' });
    return useOf(server, folder, { env, sandboxFor: () => Promise.resolve(confine()), ...ports });
  };
  return { home, folder, env, confine, start };
}

const evaluate = (use: Parameters<typeof said>[0], code: string): Promise<string> => said(use, 'evaluate', { code });

describe.skipIf(skipped)(`a server of the workspace (${words})`, () => {
  test('cannot read the home folder or other workspaces, and writes only in its own workspace', async () => {
    const { home, folder, start } = await makeHome();
    const use = start();
    for (const path of ['.ssh/id_ed25519', '.config/triad/key', 'other/secret.txt'])
      expect(await evaluate(use, `fs.readFileSync('${home}/${path}', 'utf8')`)).toBe('ENOENT');
    for (const path of [`${home}/new`, `${home}/other/new`, '/usr/new', 'new', '.git/config', '.git/new'])
      await evaluate(use, `fs.writeFileSync('${path}', 'new')`);
    expect(await readdir(home)).toEqual(['.config', '.ssh', 'bin', 'other', 'project']);
    expect(await readdir(join(home, 'other'))).toEqual(['secret.txt']);
    expect(await readdir('/usr')).not.toContain('new');
    expect(await readFile(join(folder, 'new'), 'utf8')).toBe('new');
    expect(await readdir(join(folder, '.git'))).toEqual(['config']);
    expect(await readFile(join(folder, '.git/config'), 'utf8')).toBe('[core]\n');
    expect(use.pool.state(folder)).toMatchObject([{ status: 'ready', isSandboxed: true }]);
  });

  test('can connect to a local server, and inherits no other file descriptors', async () => {
    const { start } = await makeHome();
    const http = createServer((_, response) => response.end('hello')).listen(0, '127.0.0.1');
    onTestFinished(() => void http.close());
    await once(http, 'listening');
    const use = start();
    const { port } = http.address() as AddressInfo;
    expect(await evaluate(use, `fetch('http://127.0.0.1:${port}').then((answer) => answer.text())`)).toBe('"hello"');
    const list = "execSync('ls -l /proc/$PPID/fd | grep -v anon_inode').toString()";
    expect(await evaluate(use, list)).not.toMatch(/project|triad-/);
  });

  test('receives its own variables, which no outside program sees, and no secrets of the environment', async () => {
    const { home, folder, env, start } = await makeHome();
    const names = Array.from(
      { length: 60 },
      (_, index) => `${['API_KEY', 'TOKEN', 'DATABASE_URL'][index % 3]}_${index}`,
    );
    const secrets = Object.fromEntries(names.map((name) => [name, 'HIDDEN-0123456789']));
    await writeFile(join(folder, 'evil.sh'), `touch '${home}/planted'; touch '${folder}/planted'\n`);
    const own = { MY_TOKEN: 'own-0123456789', EMPTY: '', BASH_ENV: join(folder, 'evil.sh') };
    const use = start({ env: own }, { env: { ...env, ...secrets } });
    const seen = JSON.parse(await evaluate(use, 'process.env')) as Record<string, string>;
    expect(seen).toMatchObject({ ...own, HOME: home });
    expect(JSON.stringify(seen)).not.toContain('HIDDEN');
    expect(await readdir(home)).not.toContain('planted');
    expect(await readdir(folder)).not.toContain('planted');
    // Other users can read the command line of each process.
    expect(await processesWith(own.MY_TOKEN)).toEqual([]);
  });

  test('runs no program of the workspace outside the sandbox, even if PATH names its folder', async () => {
    const { home, folder, env, start } = await makeHome();
    const bin = join(folder, 'node_modules/.bin');
    await mkdir(bin, { recursive: true });
    for (const name of ['grep', 'sh', 'bash', 'bwrap', 'env', 'kill', 'ls'])
      await writeFile(join(bin, name), `#!/bin/sh\ntouch '${home}/planted'\n`, { mode: 0o755 });
    await symlink(process.execPath, join(bin, 'local-node'));
    const ports = { env: { ...env, PATH: `${bin}:${env.PATH}` } };
    const use = start({ command: 'local-node' }, ports);
    expect(await evaluate(use, 'process.cwd()')).toBe(JSON.stringify(folder));
    await use.pool.end();
    expect(await readdir(home)).not.toContain('planted');
  });

  test('cannot receive sandbox arguments through a variable', async () => {
    const { home, start } = await makeHome();
    const use = start({ env: { A: `x\0--bind\0${home}\0${home}` } });
    await expect(evaluate(use, '1')).rejects.toThrow('The variable "A" has a character that none can have');
  });

  test('reports a program missing in the sandbox, and a failed sandbox', async () => {
    const { home, start, confine } = await makeHome();
    await writeFile(join(home, 'bin/tool'), '#!/bin/sh\n', { mode: 0o755 });
    await expect(evaluate(start({ command: join(home, 'bin/tool') }), '1')).rejects.toThrow(
      `The MCP server "own" could not be started: the command ${home}/bin/tool was not found in the sandbox`,
    );
    let launches = 0;
    const failing: Sandbox = {
      ...sandbox!,
      async launch(...place) {
        launches += 1;
        const launch = await sandbox!.launch(...place);
        return { ...launch, check: () => Promise.resolve('A folder was replaced') };
      },
    };
    const use = start({}, { sandboxFor: () => Promise.resolve(confine(failing)) });
    await expect(evaluate(use, '1')).rejects.toThrow(
      'The MCP server "own" could not be started in the sandbox: A folder was replaced',
    );
    expect(launches).toBe(3);
  });

  test('runs after an agent rewrote it only with approval, and with unchanged rights', async () => {
    const canary = join(await folderWith(), 'canary');
    const files = {
      'server.mjs': SERVER,
      '.mcp.json': JSON.stringify({ mcpServers: { own: { command: 'node', args: ['server.mjs'] } } }),
    };
    const plant = `import { writeFileSync } from 'node:fs'; for (const path of ['ran', '${canary}']) try { writeFileSync(path, ''); } catch {}`;
    const rewrite = `{ cat <<'END'\n${plant}\nEND\ncat server.mjs; } > new.mjs; mv new.mjs server.mjs`;
    const script = new Script().step([toolUse('bash', { command: rewrite })]).step([text('Done.')]);
    const engine = await startEngine(script, { files, settings: '[permissions]\nmode = "auto"\n', person: () => null });
    const { runtime, folder } = engine;
    const look = await runtime.request('trust.look', {});
    expect(look.files[0]?.says).toBe(
      'MCP servers: starts own: node server.mjs (runs in the sandbox, with the network)',
    );
    await runtime.request('trust.set', { folder, files: look.files.map(({ path, hash }) => ({ path, hash: hash! })) });
    const { workflowId } = await engine.send('Work');
    const { approval } = await engine.event('approval-request', (one) => one.approval.subject.kind === 'control-files');
    await expect(runtime.request('mcp.restart', { name: 'own' })).rejects.toThrow(
      'could not be started: Answer the question about changed files first',
    );
    expect(await readdir(folder)).not.toContain('ran');
    await runtime.request('approval.decide', { approvalId: approval.id, item: 0, answer: { kind: 'allow' } });
    await engine.ended(workflowId);
    const server = await runtime.request('mcp.restart', { name: 'own' });
    expect(server.process).toMatchObject({ status: 'ready', isSandboxed: true });
    expect(await readdir(folder)).toContain('ran');
    await expect(readFile(canary)).rejects.toThrow('ENOENT');
  });
});

describe.skipIf(skipped)(`stopping a server in the sandbox (${words})`, () => {
  const startScript = async (script: string) => {
    const { confine, env, folder } = await makeHome();
    const program = { command: 'sh', args: ['-c', script], env: {}, cwd: folder };
    const server = await ServerProcess.start({ program, env, confinedBy: confine(), missedFile: null });
    onTestFinished(() => server.kill());
    await once(server.stdout, 'data');
    return server;
  };

  test('closes its input, then sends SIGTERM, then SIGKILL', async () => {
    const [mark, kin] = [`mark-${process.pid}`, uniqueSleep()];
    const polite = await startScript(`setsid sleep ${kin} & echo ready; read line; exit 3 # ${mark}`);
    await polite.close();
    expect(await polite.ended()).toBe('ended with exit code 3');
    const stubborn = await startScript(`echo ready; exec sleep 60 # ${mark}`);
    const began = performance.now();
    await stubborn.close();
    expect(await stubborn.ended()).toBe('was ended by SIGTERM');
    expect(performance.now() - began).toBeLessThan(2000);
    const deaf = await startScript(
      `trap "" TERM HUP INT; echo ready; setsid sleep ${kin} & sleep 60; sleep 60 # ${mark}`,
    );
    await deaf.close();
    expect(await deaf.ended()).toBe('was ended by SIGKILL');
    expect([...(await processesWith(mark)), ...(await processesWith(kin))]).toEqual([]);
  });

  test('also works while its sandbox is created, and leaves no file descriptor open', async () => {
    const { start, confine } = await makeHome();
    const mark = `late-${process.pid}`;
    const countDescriptors = async () => (await readdir('/proc/self/fd')).length;
    const launched = Promise.withResolvers<void>();
    const go = Promise.withResolvers<void>();
    let isMade = false;
    const slow: Sandbox = {
      ...sandbox!,
      async launch(...place) {
        launched.resolve();
        await go.promise;
        const launch = await sandbox!.launch(...place);
        isMade = true;
        return launch;
      },
    };
    const before = await countDescriptors();
    const args = ['server.mjs', mark];
    const use = start({ args }, { sandboxFor: () => Promise.resolve(confine(slow)) });
    const answer = evaluate(use, '1').catch((error: { code: string }) => error.code);
    await launched.promise;
    const end = use.pool.end();
    go.resolve();
    await end;
    expect(isMade).toBe(true);
    expect(await answer).toBe('interrupted');
    expect(await processesWith(mark)).toEqual([]);
    const other = start({ args });
    expect(await evaluate(other, '1')).toBe('1');
    await other.pool.end();
    expect(await countDescriptors()).toBeLessThanOrEqual(before + 2);
  });

  test.for(variations(['SIGKILL', 'exit'] as const))('happens when the program ends (%s)', async (way) => {
    const { folder } = await makeHome();
    const name = `server-${process.pid}-${way}.mts`;
    await copyFile(join(ROOT, 'tests/support/lying-server.ts'), join(folder, name));
    const holder = join(ROOT, 'tests/core/mcp/child/hold-pool.ts');
    const child = spawn(process.execPath, [holder, join(folder, name), folder], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    await once(createInterface({ input: child.stdout }), 'line');
    expect((await processesWith(name)).length).toBeGreaterThan(2);
    const exited = once(child, 'exit');
    if (way === 'SIGKILL') child.kill(way);
    else child.stdin.end('exit\n');
    await exited;
    await eventually(async () => expect(await processesWith(name)).toEqual([]));
  });
});

test('a package runner of a project starts in an empty folder, where no program of the workspace is found', async () => {
  const { home, folder, start, env } = await makeHome();
  const neutralFolder = join(home, '.config/triad/servers');
  await writeFile(join(home, 'bin/server.mjs'), SERVER);
  await mkdir(join(folder, 'node_modules/.bin'), { recursive: true });
  await writeFile(join(folder, 'node_modules/.bin/node'), `#!/bin/sh\ntouch ${home}/planted\n`);
  await writeFile(join(home, 'bin/npx'), `#!/bin/sh\nexec node ${home}/bin/server.mjs\n`);
  for (const file of [join(folder, 'node_modules/.bin/node'), join(home, 'bin/npx')]) await chmod(file, 0o755);
  const PATH = [join(folder, 'node_modules/.bin'), join(home, 'bin'), env.PATH].join(':');
  const ports = { neutralFolder, env: { ...env, PATH } };
  const use = start({ command: 'npx', args: ['-y', 'some-server'] }, ports);
  expect(JSON.parse(await evaluate(use, '[process.cwd(), fs.readdirSync(".")]'))).toEqual([neutralFolder, []]);
  expect(use.pool.state(folder)).toMatchObject([{ isSandboxed: false }]);
  expect(await readdir(home)).not.toContain('planted');
});

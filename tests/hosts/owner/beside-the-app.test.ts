/** Commands beside the running app: they are its clients, with folders of their own and its endpoint. */
import { realpath, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { plainAnswer } from '../../support/fake-model/scenarios.ts';
import { folderWith } from '../../support/workspace.ts';
import { inProcess } from '../support/engine.ts';
import { becomesOwner, ownerPid, waits } from '../support/owner.ts';
import { machine } from '../support/process.ts';
import { fullTest } from '../../support/samples.ts';

fullTest([
  'tests/core/host/ownership/endpoint.test.ts › rejects a client with another version, endpoint or store and says what to do: %o',
  'tests/core/host/ownership/endpoint.test.ts › each client of the owner uses its own folder as the default folder',
  'tests/hosts/cli/commands/serve.test.ts › continues with its own runtime when the owner exits',
])('run, list and show work as clients of the running app, and a second app takes over', async () => {
  const home = await machine(plainAnswer());
  // What a process that died long ago has left.
  const stale = {
    url: 'http://127.0.0.1:9',
    token: '0'.repeat(64),
    pid: 1,
    startedAt: '2026-01-01T00:00:00Z',
  };
  await writeFile(join(home.home, 'instance.json'), JSON.stringify(stale));
  const app = await home.app();
  await becomesOwner(home, app);
  await expect.poll(app.out, waits).toContain('http://');

  const folder = await realpath(await folderWith({ 'other.txt': 'other\n' }));
  const run = await home.triad(['run', 'Say hello'], '', { folder });
  expect([run.code, run.out]).toEqual([0, 'Hello, this is the whole answer.\n']);
  const list = await home.triad(['sessions', 'list', '--json']);
  const [session] = JSON.parse(list.out) as { id: string }[];
  const here = inProcess(home, 'disk');
  const shown = await here(['sessions', 'show', session?.id ?? '', '--json']);
  expect(JSON.parse(shown.out)).toMatchObject({ folder, workflows: [{ outcome: 'completed' }] });

  const other = await here(['run', 'x'], '', { env: { ANTHROPIC_BASE_URL: 'http://127.0.0.1:9/' } });
  expect([other.code, other.out]).toEqual([1, '']);
  expect(other.err).toBe(
    `triad: The Triad that is running (pid ${app.child.pid}) uses the endpoint ${home.model.url}, but ANTHROPIC_BASE_URL is http://127.0.0.1:9/: unset it, stop it, or set TRIAD_HOME to another folder.\n`,
  );
  const store = await here(['run', 'x'], '', { env: { TRIAD_STORE: 'wss://db.example.org' } });
  expect([store.code, store.err]).toEqual([
    2,
    'triad: The URL of the store (wss://db.example.org…) does not name a namespace and a database: use wss://HOST/NAMESPACE/DATABASE, with letters, digits, _ and - in both names.\n',
  ]);

  const second = await home.app();
  await expect.poll(second.out, waits).toContain('http://');
  app.child.kill('SIGTERM');
  expect(await app.exit).toBe(143);
  await expect.poll(second.err, waits).toContain('has ended: this one does it now.');
  expect(await ownerPid(home)).toBe(second.child.pid);
});

/** Sub-agents that wait for their turn say so, on their cards and afterwards in every record. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Gate } from '../../tests/support/gate.ts';
import { leadSpawns } from '../support/scripts.ts';
import { triad } from '../support/terminal.ts';
import { expect, fullSpec, test } from '../support/test.ts';

test(
  'with a limit of one concurrent sub-agent the others are queued, and the history stores their waiting time',
  fullSpec([
    'tests/core/workflows/scheduling.test.ts › with one slot sub-agents start in the order of the calls, whatever the order of the approvals',
    'tests/core/host/records/sessions/pages.test.ts › the queue depth of a session is the largest recorded depth, and 0 without a record',
    'tests/hosts/cli/render/trace.test.ts › splits time into queued, waiting, model and tools, and counts parallel tools once',
  ]),
  async ({ start }) => {
    const turn = new Gate();
    const app = await start(leadSpawns(['alpha', 'beta', 'gamma'], { alpha: { hold: { until: () => turn.pass() } } }), {
      before: async ({ home }) => {
        await mkdir(home, { recursive: true });
        await writeFile(join(home, 'config.toml'), '[limits]\nmax_concurrent = 1\n');
        return () => Promise.resolve();
      },
    });
    const { page } = app;
    await app.send('Look at every part.');
    for (const name of ['alpha', 'beta', 'gamma']) await app.allow(name);
    await app.expectCard('alpha', 'running');
    for (const name of ['beta', 'gamma']) await app.expectCard(name, 'queued');
    expect(app.model.requests, 'the lead and the first one').toHaveLength(2);
    turn.open();
    await app.expectOutcome('completed');
    expect(app.model.requests.map(({ rule }) => rule)).toEqual([
      ...['lead starts', 'child on part alpha', 'child on part beta', 'child on part gamma', 'lead answers'],
    ]);

    const id = app.path.split('/').at(-1) ?? '';
    const trace = JSON.parse(await triad(app, 'sessions', 'trace', id, '--json')) as {
      workflows: { maxQueueDepth: number; runs: { children: { times: { queuedMs: number } }[] }[] }[];
    };
    expect(trace.workflows[0]?.maxQueueDepth).toBe(2);
    expect(await triad(app, 'sessions', 'trace', id)).toContain('up to 2 in the queue');
    const waited = trace.workflows[0]?.runs[0]?.children.map(({ times }) => times.queuedMs) ?? [];
    for (const ms of waited.slice(1)) expect(ms).toBeGreaterThan(0);

    await page.getByRole('link', { name: 'Open in history' }).click();
    const runs = page.getByRole('list', { name: 'Runs' });
    for (const name of ['beta', 'gamma']) {
      const run = runs.getByRole('button', { name: new RegExp(name) });
      await expect(run).toContainText(/in the queue/);
      const lane = runs.getByRole('listitem').filter({ has: page.getByRole('button', { name: new RegExp(name) }) });
      await expect(lane.locator('.queue').first()).toBeVisible();
    }
  },
);

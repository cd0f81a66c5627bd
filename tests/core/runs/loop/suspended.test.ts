/** A process that was stopped for a while goes on as if nothing had been: no run is silent, no budget of time is used up. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished } from 'vitest';
import { live } from '../../../support/crash.ts';
import { startFakeModel } from '../../../support/fake-model/server.ts';
import { Script, text } from '../../../support/fake-model/script.ts';
import { Gate } from '../../../support/gate.ts';
import { fullTest } from '../../../support/samples.ts';

const STOPPED_MS = 3_500;

fullTest(['tests/core/base/watchdog.test.ts › time in which a process was suspended does not count as silence'])(
  'a run continues after SIGSTOP and SIGCONT in the middle of a stream',
  { timeout: 60_000 },
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'triad-suspended-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const held = new Gate();
    const script = new Script().on({}).reply([text('The whole answer.', { deltas: 4 })], { hold: held.at(3) });
    const model = await startFakeModel(script);
    onTestFinished(() => model.close());
    // Both bounds are shorter than the process stands still.
    const settings = '[limits]\ninactivity_seconds = 2\n[limits.run]\nmax_minutes = 0.05\n';
    let pid: number | undefined;
    const result = live({
      mode: 'start',
      data: join(folder, 'store'),
      folder,
      url: model.url,
      settings,
      started: (child) => (pid = child.pid),
    });
    await model.waitFor(() => true, 20_000);
    process.kill(pid!, 'SIGSTOP');
    await sleep(STOPPED_MS);
    process.kill(pid!, 'SIGCONT');
    // Woken, it first hears of its timers and only then of the stream.
    await sleep(300);
    held.open();
    const ended = await result;
    expect(ended?.end).toMatchObject({ outcome: 'completed', text: 'The whole answer.' });
    expect(ended?.runs[0]?.workedMs).toBeLessThan(STOPPED_MS);
  },
);

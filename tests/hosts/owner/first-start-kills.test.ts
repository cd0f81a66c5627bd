/**
 * The very first start, ended at any instant by a signal or by `kill -9`: the next one works, and says nothing of
 * damage. `TEST_SEED` chooses the instants.
 */
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { Random } from '../../soak/random.ts';
import { plainAnswer } from '../../support/fake-model/scenarios.ts';
import { machine } from '../support/process.ts';
import { fullTest, TEST_SEED } from '../../support/samples.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGKILL'] as const;
const EACH = 4;
const ANSWER = 'Hello, this is the whole answer.\n';

fullTest([
  'tests/core/host/ownership/ownership.test.ts › a claim removes old drafts of instance files left by killed processes, but keeps recent drafts',
  'tests/core/store/opening/migrate.test.ts › a failed migration file changes nothing',
])('a first start that is ended at any instant leaves a home that works', { timeout: 1_800_000 }, async () => {
  const { start, triad, home } = await machine(plainAnswer());
  const placed = async (name: string) => {
    const own = join(home, name);
    await mkdir(own);
    return { env: { TRIAD_HOME: own } };
  };
  const began = performance.now();
  expect(await triad(['run', 'x'], '', await placed('whole'))).toMatchObject({ code: 0, out: ANSWER });
  const whole = performance.now() - began;
  const random = new Random('first start', TEST_SEED);
  const kills = Array.from({ length: EACH }, () => SIGNALS).flat();
  const points = kills.map((signal, index) => ({ signal, index, afterMs: random.next() * whole }));
  const lane = async () => {
    for (let point = points.pop(); point !== undefined; point = points.pop()) {
      const { signal, index, afterMs } = point;
      const place = await placed(String(index));
      const first = start(['run', 'x'], '', place);
      await sleep(afterMs);
      first.child.kill(signal);
      await first.exit;
      const { code, out, err } = await triad(['run', 'y'], '', place);
      expect([code, out, err], `${signal} after ${afterMs} ms: ${first.err()}`).toEqual([
        0,
        ANSWER,
        expect.stringMatching(/^completed · .*\ncontinue with: .*\n$/),
      ]);
      const left = (await readdir(place.env.TRIAD_HOME)).filter((name) => /set-aside|check|backups|partial/.test(name));
      expect(left, `${signal} after ${afterMs} ms`).toEqual([]);
      await rm(place.env.TRIAD_HOME, { recursive: true });
    }
  };
  await Promise.all([lane(), lane()]);
});

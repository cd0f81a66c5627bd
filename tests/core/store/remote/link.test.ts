/** How long a call is tried again on new connections. */
import { expect, onTestFinished, test, vi } from 'vitest';
import { TriadError } from '#core/base/errors.ts';
import { Link } from '#core/store/remote/link.ts';
import { Cut, type Session } from '#core/store/remote/session.ts';

/** `answers`: whether each call of this time gets one; null: the process is asleep for an hour meanwhile. */
async function call(answers: (boolean | null)[]): Promise<number> {
  let now = 0;
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now);
  onTestFinished(() => clock.mockRestore());
  const session: Session = { query: vi.fn(), transaction: vi.fn(), version: '3', end: () => undefined };
  const link = new Link({
    open: () => Promise.resolve(session),
    unreachable: (_, waitedMs) => new TriadError('store_failed', `for ${waitedMs} ms`),
    callMs: 400,
    patienceMs: 1000,
  });
  let calls = 0;
  await link.run(async () => {
    const answer = answers[calls++];
    now += answer === null ? 3_600_000 : 400;
    if (answer !== true) throw new Cut('there was no answer');
    return Promise.resolve();
  });
  return calls;
}

test('gives up after the time limit, and does not count the time in which the process slept', async () => {
  expect(await call([null, true])).toBe(2);
  await expect(call([])).rejects.toThrow('for 1550 ms');
});

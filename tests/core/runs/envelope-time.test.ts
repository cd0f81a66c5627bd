/** The processor time that a sub-agent costs before its first request. */
import { expect, test } from 'vitest';
import { canonicalHash } from '#core/base/hash.ts';
import { agentsWith, built, leadOf, spawning } from './envelope-support.ts';

const COUNT = 200;
/** Several times what it takes, because other tests run at the same time. */
const MAX_MS = 5;

test('creates a sub-agent with its envelope and hash within milliseconds', () => {
  const lead = leadOf();
  const envelopes = built();
  const agents = agentsWith();
  const create = (index: number): string =>
    canonicalHash(envelopes.child(spawning({ name: `a${index}` }), lead, agents));
  create(0);
  const before = process.cpuUsage();
  const hashes = Array.from({ length: COUNT }, (_, index) => create(index));
  const { user, system } = process.cpuUsage(before);
  expect(new Set(hashes).size).toBe(COUNT);
  expect((user + system) / 1000 / COUNT).toBeLessThan(MAX_MS);
});

/** What holds of a store holds of one on a server: the same tests, over a WebSocket. */
import { onTestFinished, test, vi } from 'vitest';
import { inFullRun } from '../../../support/samples.ts';
import { everyStore } from '../support.ts';
import { sharedServer, storeOf } from './support.ts';
import { commit, eventOf } from './writing.ts';

everyStore.isOnServer = true;

await import('../round-trip.test.ts');
if (inFullRun) {
  await import('../executions.test.ts');
  await import('../grants-given.test.ts');
  await import('../rebuild.test.ts');
  await import('../rebuild-all.test.ts');
  await import('../lists/execution-list.test.ts');
  await import('../lists/lists.test.ts');
  await import('../lists/session-work.test.ts');
  await import('../lists/workflow-list.test.ts');
  await import('../rows/run-parts.test.ts');
  await import('../search/search.test.ts');
  await import('../trash/trash.test.ts');
}

test('a rejected ping of the driver does not end the connection', async () => {
  vi.useFakeTimers({ toFake: ['setInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const server = await sharedServer();
  const store = await storeOf(server);
  const pinged = Promise.withResolvers<void>();
  server.fault = ({ method }) => {
    if (method !== 'ping') return null;
    pinged.resolve();
    return { error: 'Not now' };
  };
  vi.advanceTimersByTime(31_000);
  await pinged.promise;
  await commit(store, eventOf('c', 1));
});

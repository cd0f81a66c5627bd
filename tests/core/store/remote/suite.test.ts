/** What holds of a store holds of one on a server: the same tests, over a WebSocket. */
import { inSoak } from '../../../support/samples.ts';
import { everyStore } from '../support.ts';

everyStore.isOnServer = true;

await import('../round-trip.test.ts');
if (inSoak) {
  await import('../executions.test.ts');
  await import('../grants-given.test.ts');
  await import('../rebuild.test.ts');
  await import('../rebuild-all.test.ts');
  await import('../commits/lagging.test.ts');
  await import('../lists/execution-list.test.ts');
  await import('../lists/lists.test.ts');
  await import('../lists/session-work.test.ts');
  await import('../lists/workflow-list.test.ts');
  await import('../rows/run-parts.test.ts');
  await import('../rows/legacy-rows.test.ts');
  await import('../search/search.test.ts');
  await import('../trash/trash.test.ts');
}

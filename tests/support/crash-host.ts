/**
 * A process that runs or resumes one workflow on a store in a folder, and kills itself the instant after a given event
 * was stored: `node crash-host.ts start|resume DATA MODEL_URL WORKSPACE [KILL_AFTER_SEQ]`. Prints the workflow's end.
 */
import type { DurableEvent } from '#contract/event.ts';
import { openStore } from '#core/store/surreal.ts';
import type { Store } from '#core/store/store.ts';
import { answering, composeRuntime, settingsOf, yes } from './compose.ts';

const [mode, data, url, folder, killAfter] = process.argv.slice(2) as [
  string,
  string,
  string,
  string,
  string | undefined,
];

/** Stores event by event, so that every instant between two events is one at which the process can die. */
function killing(store: Store, after: number): Store {
  const commit: Store['commit'] = async (events, writes) => {
    if (events.length > 1) throw new Error('the groups of this host have one event');
    await store.commit(events, writes);
    if (events.some((event) => event.seq === after)) process.kill(process.pid, 'SIGKILL');
  };
  return { ...store, commit };
}

const opened = await openStore({ url: `rocksdb://${data}` });
const store = killAfter === undefined ? opened : killing(opened, Number(killAfter));
const runtime = await composeRuntime({
  ...{
    store,
    folder,
    url,
    settings: settingsOf(process.env['CRASH_HOST_SETTINGS'] ?? ''),
    ...(process.env['CRASH_HOST_FILES'] ? { data: process.env['CRASH_HOST_FILES'] } : {}),
  },
  ...(killAfter === undefined ? {} : { groupSize: 1 }),
});
await answering(runtime, yes);

const ended = Promise.withResolvers<DurableEvent>();
const finish = (event: { type: string }): void => {
  if (event.type === 'workflow-end') ended.resolve(event as DurableEvent);
};
if (mode === 'start') {
  const { id: conversationId } = await runtime.request('conversation.create', {});
  await runtime.subscribe('conversation', { conversationId }, finish);
  await runtime.request('message.send', { conversationId, text: 'Look at all parts' });
} else {
  const { items } = await runtime.request('workflow.list', {});
  const [workflow] = items;
  if (!workflow) throw new Error('the workflow is lost');
  await runtime.subscribe('conversation', { conversationId: workflow.conversationId }, finish);
  if (workflow.outcome === 'interrupted')
    await runtime.request('workflow.resume', { workflowId: workflow.id });
  else ended.resolve((await store.events(workflow.conversationId, workflow.lastSeq, workflow.lastSeq))[0]!);
}
const end = await ended.promise;
const events = await store.events(end.conversationId, 1, 1_000_000);
const detail = await runtime.request('workflow.get', { workflowId: end.workflowId });
await new Promise((done) =>
  process.stdout.write(JSON.stringify({ end, events, runs: detail.runs, workflow: detail.workflow }), done),
);
await runtime.close();
// The engine of a store that was made in this process keeps its threads, and with them the process.
process.exit(0);

/**
 * A process of its own that runs a workflow on a store in a folder until the history cannot be written, and says with
 * which error: `node full.ts DATA MODEL_URL WORKSPACE`.
 */
import { openStore } from '#core/store/surreal.ts';
import { answering, composeRuntime, settingsOf, yes } from '../../../support/compose.ts';

const [data = '', url = '', folder = ''] = process.argv.slice(2);
const failed = Promise.withResolvers<Error>();
const runtime = await composeRuntime({
  store: await openStore({ url: `rocksdb://${data}` }),
  folder,
  url,
  settings: settingsOf(''),
  onFailure: failed.resolve,
});
await answering(runtime, yes);
const { id: conversationId } = await runtime.request('conversation.create', {});
let seq = 0;
await runtime.subscribe('conversation', { conversationId }, (event) => {
  if ('seq' in event) seq = event.seq;
});
await runtime.request('message.send', { conversationId, text: 'Look at all parts' });
const { message } = await failed.promise;
await runtime.close().catch(() => undefined);
// What was shown last: all of it must be there later.
await new Promise((done) =>
  process.stdout.write(`${JSON.stringify({ message, seq, conversationId })}\n`, () => done(undefined)),
);
process.exit(0);

/**
 * A process that runs a workflow on a store in a folder whose disk becomes full: `node full.ts DATA MODEL_URL WORKSPACE`.
 * Prints a line when work waits for space, with the message and the last shown event, and one with the outcome.
 */
import { writeSync } from 'node:fs';
import { openStore } from '#core/store/surreal.ts';
import { answering, composeRuntime, settingsOf, yes } from '../../../support/compose.ts';

const [data = '', url = '', folder = ''] = process.argv.slice(2);
const print = (value: unknown): void => void writeSync(1, `${JSON.stringify(value)}\n`);
const store = await openStore({ url: `rocksdb://${data}` });
const runtime = await composeRuntime({ store, folder, url, settings: settingsOf('') });
await answering(runtime, yes);
const { id: conversationId } = await runtime.request('conversation.create', {});
let seq = 0;
const ended = Promise.withResolvers<string>();
await runtime.subscribe('conversation', { conversationId }, (event) => {
  if ('seq' in event) seq = event.seq;
  if (event.type === 'workflow-end') ended.resolve(event.outcome);
});
let isFull = false;
await runtime.subscribe('attention', { canAnswer: false }, ({ diskFull }) => {
  if (diskFull && !isFull) print({ message: diskFull.message, seq, conversationId });
  isFull = diskFull !== undefined;
});
await runtime.request('message.send', { conversationId, text: 'Look at all parts' });
print({ outcome: await ended.promise });
await runtime.close();
process.exit(0);

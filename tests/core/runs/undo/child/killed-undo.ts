/**
 * A process of its own that undoes, redoes or rewinds, and kills itself before one of its steps:
 * `node killed-undo.ts STORE FOLDER CONVERSATION WORKFLOW KIND DIRECTION STEP`. Prints the number of steps if it was not
 * killed.
 */
import { writeSync } from 'node:fs';
import { composeRuntime, settingsOf } from '../../../../support/compose.ts';
import { storeAt } from '../../../../support/stores/on-disk.ts';
import { countingStore, interruptAt } from '../interrupt.ts';

const [data = '', folder = '', conversationId = '', workflowId = '', kind, direction, step] = process.argv.slice(2);
const store = countingStore(await storeAt(data));
const runtime = await composeRuntime({ store, folder, url: 'http://127.0.0.1:9', settings: settingsOf('') });
const isBack = direction === 'back';
const { end, error, steps } = await interruptAt(
  Number(step),
  { kind: 'signal' },
  [folder, `${folder}-replaced`],
  async () => {
    const target = { fromWorkflowId: workflowId };
    if (kind === 'rewind' && isBack) await runtime.request('conversation.rewind', { conversationId, workflowId });
    else await runtime.request('change.undo', { conversationId, target, redo: !isBack });
  },
);
if (end === 'failed') throw error;
await runtime.close();
writeSync(1, `${steps}\n`);
process.exit(0);

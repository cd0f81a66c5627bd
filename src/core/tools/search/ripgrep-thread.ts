/** The thread that starts ripgrep for a search, one question after the other, and ends when nothing of it is left. */
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { filesWithMatch, type Question, type RipgrepTask } from './ripgrep.ts';

const { port, ...task } = workerData as RipgrepTask & { port: MessagePort };
const over = new AbortController();
let last: Promise<void> = Promise.resolve();

port.on('message', (question: Question) => {
  last = last.then(async () => port.postMessage(await filesWithMatch(task, question, over.signal)));
});
// Without these two nothing keeps the thread.
parentPort?.once('message', () => {
  over.abort();
  port.close();
});

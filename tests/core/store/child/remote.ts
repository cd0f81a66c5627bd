/** A process of its own that writes events into a store on a server, until it may not any more: it says why, and ends. */
import { writeSync } from 'node:fs';
import { errorInfo } from '#core/base/errors.ts';
import { commit, eventOf, SHORT } from '../remote/writing.ts';
import { openStore } from '#core/store/surreal.ts';

const [url = '', conversationId = '', name = '', pauseMs = '0'] = process.argv.slice(2);
const say = (line: string): void => void writeSync(1, `${line}\n`);

try {
  const store = await openStore({ url, remote: { times: SHORT, holder: { installation: name, name } } });
  for (let seq = (await store.lastSeq(conversationId)) + 1; ; seq++) {
    await commit(store, eventOf(conversationId, seq, name)).catch((error: unknown) => {
      throw store.lost.aborted ? store.lost.reason : error;
    });
    say(`${seq}`);
    await new Promise((resolve) => setTimeout(resolve, Number(pauseMs)));
  }
} catch (error) {
  const { code, message } = errorInfo(error);
  say(JSON.stringify({ code, message }));
}
process.exit();

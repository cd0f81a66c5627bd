/** A process that goes on with one workflow after another, each on the store that a killed process has left: see `crash.ts`. */
import { errorInfo } from '#core/base/errors.ts';
import { openStore } from '#core/store/surreal.ts';
import { lifeOf } from './crash-life.ts';
import type { Left, Resumed } from './crash.ts';

async function resume({ data, ...left }: Left): Promise<Resumed> {
  try {
    const store = await openStore({ url: `rocksdb://${data}` });
    return { ok: true, result: await lifeOf({ ...left, mode: 'resume', store }) };
  } catch (error) {
    return { ok: false, why: errorInfo(error).message };
  }
}

// The test has ended, so no answer can be sent.
process.once('disconnect', () => process.exit());
process.on('message', (left: Left) => void resume(left).then((resumed) => process.send?.(resumed)));

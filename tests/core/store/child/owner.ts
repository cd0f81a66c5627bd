/** A process of its own that claims a data folder when it is told to, and keeps it until it is told to let go. */
import { createInterface } from 'node:readline';
import { errorInfo } from '#core/base/errors.ts';
import { claimOwnership } from '#core/host/ownership/ownership.ts';
import { becomeNobody } from './become-nobody.ts';

const folder = process.argv[2] ?? '';
const lines = createInterface(process.stdin)[Symbol.asyncIterator]();

becomeNobody();
console.log('ready');
await lines.next();
try {
  const claim = await claimOwnership(folder, { signal: AbortSignal.timeout(15_000) });
  const own = claim.kind === 'own';
  console.log(JSON.stringify(own ? { owner: claim.ownership.instance } : { found: claim.owner }));
  if (own) {
    await lines.next();
    await claim.ownership.release();
    console.log('released');
  }
} catch (error) {
  const { code, message } = errorInfo(error);
  console.log(JSON.stringify({ code, message }));
}
process.exit();

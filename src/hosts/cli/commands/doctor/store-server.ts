/** Looks at the server of a store that is on one: whether it can be used, how far away it is, who holds the lease. */
import { errorInfo } from '#core/base/errors.ts';
import type { Folders } from '#core/settings/folders.ts';
import { fileSecrets } from '#core/settings/secrets.ts';
import { remoteAddress } from '#core/store/remote/address.ts';
import { loginFor } from '#core/store/remote/login.ts';
import { lookAtServer } from '#core/store/remote/look.ts';
import { duration } from '../../render/format.ts';
import { type Finding, ok, problem, warning } from './finding.ts';

const PATIENCE_MS = 5000;
/** Each step of the work waits for a few round trips. */
const FAR_MS = 100;

/** Nothing for a store on this machine. To be called before the store is opened, which takes the lease. */
export async function checkStoreServer(
  { config }: Folders,
  env: Readonly<Record<string, string | undefined>>,
  signal: AbortSignal,
): Promise<Finding[]> {
  const title = 'store server';
  try {
    const address = remoteAddress(env['TRIAD_STORE'] ?? '');
    if (address === null) return [];
    const login = await loginFor(address, fileSecrets(config), env);
    const { version, roundTripMs, holder } = await lookAtServer(address, { login, callMs: PATIENCE_MS, signal });
    const lease =
      holder === null ? 'nobody holds the lease' : `the lease is held by ${holder.name} since ${holder.since}`;
    const text = `${address.name}, SurrealDB ${version}, answers in ${duration(roundTripMs)}; ${lease}`;
    if (roundTripMs < FAR_MS) return [ok(title, text)];
    return [warning(title, text, 'use a server that is nearer: every step waits for it')];
  } catch (error) {
    signal.throwIfAborted();
    return [problem(title, errorInfo(error).message.replace(/\.$/, ''), 'see docs/shared-store.md')];
  }
}

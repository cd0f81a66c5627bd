/** A look at the server of a store from outside: nothing is changed, and no lease is needed. */
import { isTableMissing } from '../opening/migrate.ts';
import type { RemoteAddress } from './address.ts';
import { type LeaseRow, READ } from './lease.ts';
import { unfit } from './login.ts';
import type { Login } from './options.ts';
import { Cut, openSession } from './session.ts';

export interface RemoteLook {
  version: string;
  /** Time of a round trip, the middle one of some, in milliseconds. */
  roundTripMs: number;
  /** Null where nobody holds it. */
  holder: Pick<LeaseRow, 'name' | 'since'> | null;
}

const TRIPS = 5;

/** Rejects as `openSession` does, or with `store_failed` where the server refuses the look. */
export async function lookAtServer(
  address: RemoteAddress,
  options: { login: Login | null; callMs: number; signal: AbortSignal },
): Promise<RemoteLook> {
  const session = await openSession(address, options);
  try {
    const trips: number[] = [];
    for (let trip = 0; trip < TRIPS; trip++) {
      const start = performance.now();
      await session.query('RETURN 1');
      trips.push(performance.now() - start);
    }
    const [lease] = (await session.query(READ).catch((error: unknown) => {
      if (isTableMissing(error)) return [undefined];
      throw error;
    })) as [LeaseRow | undefined];
    const isHeld = lease !== undefined && lease.process !== '' && lease.leftMs > 0;
    return {
      version: session.version,
      roundTripMs: trips.sort((a, b) => a - b)[Math.floor(TRIPS / 2)]!,
      holder: isHeld ? lease : null,
    };
  } catch (error) {
    throw error instanceof Cut ? error : unfit(address, error);
  } finally {
    session.end();
  }
}

/** The methods of telemetry. */
import type { Store } from '#core/store/store.ts';
import { findSpan } from '../../telemetry/find-span.ts';
import type { Telemetry } from '../../telemetry/telemetry.ts';
import type { Handlers } from './handlers.ts';

type Mine = 'telemetry.state' | 'telemetry.test' | 'telemetry.set-headers' | 'trace.find';

export function telemetryMethods(store: Store, telemetry: Telemetry): Pick<Handlers, Mine> {
  return {
    'telemetry.state': () => telemetry.state(),
    'telemetry.test': async () => ({ fault: await telemetry.test() }),
    'telemetry.set-headers': ({ headers }) => telemetry.setHeaders(headers),
    'trace.find': ({ id }) => findSpan(store, id),
  };
}

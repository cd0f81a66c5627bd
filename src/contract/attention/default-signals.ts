/** How a person is called who has said nothing about it; apart from the schema, which pages do without. */
import type { Signals } from './signals.ts';

export const DEFAULT_SIGNALS: Signals = {
  soundBlocked: false,
  soundDone: false,
  volume: 50,
  repeats: 3,
  notifications: 'blocked',
  awaySeconds: 60,
  quietFrom: null,
  quietTo: null,
};

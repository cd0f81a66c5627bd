/** One opened way to a runtime: frames in order, until it closes once and for all. */
import type { ClientFrame, ServerFrame } from '#contract/frames.ts';

/**
 * Why only the person can mend it: this browser has no key, or none that the host knows (`stranger`); the printed URL was
 * used before (`token`); this browser can keep no key (`storage`).
 */
export type Refusal = 'stranger' | 'token' | 'storage';

export interface Link {
  onopen: (() => void) | null;
  onframe: ((frame: ServerFrame) => void) | null;
  /** Called once, also where the link never opened; null where another try may help. */
  onclose: ((refusal: Refusal | null) => void) | null;
  /** Does nothing while it is not open. */
  send(frame: ClientFrame): void;
  close(): void;
}

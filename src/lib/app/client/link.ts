/** One opened way to a runtime: frames in order, until it closes once and for all. */
import type { ClientFrame, ServerFrame } from '#contract/frames.ts';

/**
 * Why only the person can fix it: this browser has no key, or none that the host knows (`stranger`); the printed URL was
 * used before (`token`); this browser can store no key (`storage`); a service worker of another program controls this page
 * (`worker`).
 */
export type Refusal = 'stranger' | 'token' | 'storage' | 'worker';

export interface Link {
  onopen: (() => void) | null;
  onframe: ((frame: ServerFrame) => void) | null;
  /** Called once, also where the link never opened; null where another try may help. */
  onclose: ((refusal: Refusal | null) => void) | null;
  /** Does nothing while it is not open. */
  send(frame: ClientFrame): void;
  close(): void;
}

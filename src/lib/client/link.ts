/** One opened way to a runtime: frames in order, until it closes once and for all. */
import type { ClientFrame, ServerFrame } from '#contract/rpc.ts';

export interface Link {
  onopen: (() => void) | null;
  onframe: ((frame: ServerFrame) => void) | null;
  /** Called once, also where the link never opened. */
  onclose: (() => void) | null;
  /** Does nothing while it is not open. */
  send(frame: ClientFrame): void;
  close(): void;
}

import type { ModelError } from '../model.ts';
import type { Origin } from '../thinking.ts';

/** What the readers of both protocols need of their request. */
export interface ReaderPorts {
  origin: Origin;
  /** A tool's own name, by the one that was sent. */
  nameBack: (name: string) => string;
  /** The error that an endpoint told within its stream. */
  fail: (raw: unknown) => ModelError;
}

/** What a command has of the world: its streams, its environment and the signal that stops it. */
import type { Readable } from 'node:stream';
import type { Connected } from '#core/hosting/connect-or-own.ts';
import type { Screen } from './screen.ts';
import type { Terminal } from './terminal.ts';

export interface Io {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Where the person is: relative folders and new conversations start here. */
  readonly folder: string;
  /** Folder of the built web client. */
  readonly webRoot: string;
  readonly stdin: Readable & { isTTY?: boolean };
  readonly screen: Screen;
  /** Aborts with an `Interruption`. */
  readonly signal: AbortSignal;
  /** The terminal that the person sits at, wherever the streams go; null where there is none. */
  openTerminal(): Promise<Terminal | null>;
  /** `works`: whether model requests are likely. */
  connect(options: { works: boolean }): Promise<Connected>;
}

/** The environment of a command: streams, variables, folders and the signal that stops it. */
import type { Readable } from 'node:stream';
import type { Connected } from '#core/host/ownership/connect-or-own.ts';
import type { Screen } from './screen.ts';
import type { Terminal } from './terminal.ts';

export interface Io {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The current folder, for relative paths and new conversations. */
  readonly folder: string;
  /** Folder of the built web client. */
  readonly webRoot: string;
  readonly stdin: Readable & { isTTY?: boolean };
  readonly screen: Screen;
  /** Aborts with an `Interruption`. */
  readonly signal: AbortSignal;
  /** Opens the terminal of the person, also if the streams are redirected; null if there is none. */
  openTerminal(): Promise<Terminal | null>;
  /** Connects to the runtime. `works`: model requests are likely. */
  connect(options: { works: boolean }): Promise<Connected>;
}

/** Sets the exit code of the process, which is 0 otherwise. */
export type Exit = (code: number) => void;

/** What every host hands in to get to the runtime; nothing here is looked up anywhere else. */
import type { Folders } from '../settings/folders.ts';
import type { Secrets } from '../settings/secrets.ts';

export interface HostingOptions {
  folders: Folders;
  secrets: Secrets;
  /** Of the process; an empty variable counts as one that is not set. */
  environment: {
    apiKey: string | undefined;
    baseUrl: string | undefined;
    /** Another store than the one in the data folder. */
    storeUrl: string | undefined;
  };
  /** Of this program. */
  version: string;
  /** Of conversations that name none. */
  folder: string;
  /** Whether model requests are likely: then what they need is loaded ahead, and the endpoint must be the owner's. */
  works: boolean;
  /** Gives the attempt up. */
  signal: AbortSignal;
  /** Gets a line for each thing that the person should know and that stops nothing. */
  warn: (line: string) => void;
  /** Gets lines for developers. */
  report: (line: string) => void;
}

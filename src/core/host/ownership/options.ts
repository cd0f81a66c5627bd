/** What every host provides to get a runtime; nothing here is looked up elsewhere. */
import type { Environment } from '#core/base/child-environment.ts';
import type { Folders } from '#core/settings/folders.ts';
import type { Secrets } from '#core/settings/secrets.ts';

export interface HostingOptions {
  folders: Folders;
  secrets: Secrets;
  /** Environment variables of the process; an empty one counts as not set. */
  environment: {
    apiKey: string | undefined;
    baseUrl: string | undefined;
    /** Overrides the store in the data folder. */
    storeUrl: string | undefined;
    /** All of it, for commands of agents, which get it without secrets. */
    programs: Environment;
  };
  /** Version of this program. */
  version: string;
  /** Default folder for new conversations. */
  folder: string;
  /** Whether model requests are likely: preloads what they need, and requires the same endpoint as the owner's. */
  works: boolean;
  /** Cancels the attempt. */
  signal: AbortSignal;
  /** Gets warnings for the person, one line each. */
  warn: (line: string) => void;
  /** Gets lines for developers. */
  report: (line: string) => void;
}

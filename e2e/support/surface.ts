/** How the app comes before a person, so that a spec need not know: tabs of a browser, or windows of the desktop. */
import type { Page } from '@playwright/test';
import type { Complaints } from './complaints.ts';

export interface SurfaceOptions {
  home: string;
  /** Where the program is started: the folder of new conversations. */
  workspace: string;
  env: Readonly<Record<string, string>>;
  complaints: Complaints;
  /** The program is killed by the test, so nothing else may run in its process. */
  ownProcess: boolean;
  /** The test changes what cannot be undone in a tab: its clock, what it loads. */
  ownContext: boolean;
}

export interface Surface {
  /** What the person looks at; after a restart it may be another one. */
  readonly page: Page;
  /** Null in a browser. */
  readonly desktop: Desktop | null;
  /** Another tab or window at a path of the app. */
  another(path: string): Promise<Page>;
  /** The program dies in the middle of whatever it does, and is started again on the same home. */
  crashAndRestart(): Promise<void>;
  /** Asks it to stop; kills it where it does not. */
  close(): Promise<void>;
  /** What the program wrote to stderr so far. */
  notes(): string;
}

export type OpenSurface = (options: SurfaceOptions) => Promise<Surface>;

/** The machine around a desktop. */
export interface Desktop {
  /** Chooses an item of the menu. */
  choose(label: string): Promise<void>;
  /** All that the app asked of the machine under this name, in order: `external`, `notification`, `badge` … */
  asked(what: string): unknown[];
  /** Plays a part that no page can: `look away`, `permission`, `quit` … */
  act(action: string, argument?: string): Promise<unknown>;
  /** Starts the app a second time, on the same home; resolves with how that one ended. */
  startSecond(argument?: string): Promise<number | null>;
  /** How the app ended. */
  ended(): Promise<number | null>;
}

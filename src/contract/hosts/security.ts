/** What protects the person while the program runs, as it was found, not as it was meant. */
import { z } from 'zod';
import { Instant } from '../ids.ts';
import { method, nothing } from '../method.ts';

/** What a request was made for; `other`: by a part that says nothing of it. */
export const Purpose = z.enum(['model', 'fetch', 'search', 'mcp', 'telemetry', 'store', 'updates', 'other']);
export type Purpose = z.infer<typeof Purpose>;

const count = z.int().positive();
const Contacted = z.object({
  /** With its port where that is not the usual one. */
  host: z.string(),
  by: Purpose,
  count,
  /** When it was last asked. */
  last: Instant,
});
export type Contacted = z.infer<typeof Contacted>;

/** What the desktop refuses to a page, whatever got into it. */
export const Refused = z.enum([
  'message',
  'navigation',
  'window',
  'link',
  'webview',
  'permission',
  'device',
  'path',
  'request',
  'content',
]);
export type Refused = z.infer<typeof Refused>;

const RefusedCount = z.object({ what: Refused, count, last: Instant, newest: z.string() });
export type RefusedCount = z.infer<typeof RefusedCount>;

/** The switches in the program file of Electron, in the order of its wire. */
export const FUSES = [
  'RunAsNode',
  'EnableCookieEncryption',
  'EnableNodeOptionsEnvironmentVariable',
  'EnableNodeCliInspectArguments',
  'EnableEmbeddedAsarIntegrityValidation',
  'OnlyLoadAppFromAsar',
  'LoadBrowserProcessSpecificV8Snapshot',
  'GrantFileProtocolExtraPrivileges',
  'WasmTrapHandlers',
] as const;
const Fuse = z.object({ name: z.enum(FUSES), on: z.boolean() });
export type Fuse = z.infer<typeof Fuse>;

/** Of the desktop: what its processes say of themselves. */
export const ShellState = z.object({
  electron: z.string(),
  /** Of every page that is open; null while none has said so. */
  sandbox: z.boolean().nullable(),
  isolation: z.boolean().nullable(),
  /** `unpacked`: the program runs from its sources; `unreadable`: its file has no wire that is known. */
  fuses: z.union([z.enum(['unpacked', 'unreadable']), z.array(Fuse)]),
  /** Since the start, by what it is; nothing that was never refused. */
  refused: z.array(RefusedCount),
});
export type ShellState = z.infer<typeof ShellState>;

export const SecurityState = z.object({
  /** What holds commands of agents; null: nothing does. */
  commands: z.enum(['bubblewrap', 'seatbelt']).nullable(),
  /**
   * Since the start of the program that owns the data folder, the newest first; what commands and MCP servers on this
   * machine ask for by themselves is not seen. `left`: hosts that were too many to be listed.
   */
  hosts: z.object({ since: Instant, contacted: z.array(Contacted), left: z.int().nonnegative() }),
  /** Null where no desktop is in between: what holds a page is up to the browser. */
  shell: ShellState.nullable(),
});
export type SecurityState = z.infer<typeof SecurityState>;

export const securityMethods = {
  'security.state': method(nothing, SecurityState),
} as const;

/** What protects the person from a page, as the processes say of themselves; the runtime knows the rest. */
import { app, type WebContents } from 'electron';
import { z } from 'zod';
import type { ShellState } from '#contract/hosts/security.ts';
import type { Client } from '#contract/rpc.ts';
import { answering } from './answering.ts';
import type { Refusals } from './refusals.ts';
import { fusesIn, wireFile } from './fuses.ts';

/** What the preload tells of its page: of its process, and what the content policy forbade there. */
const Told = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('process'), sandbox: z.boolean(), isolation: z.boolean() }),
  z.strictObject({ kind: z.literal('content'), directive: z.string().max(100), blocked: z.string().max(4000) }),
]);

type Protection = Pick<ShellState, 'sandbox' | 'isolation'>;

export class SecurityFacts {
  readonly #refusals: Refusals;
  readonly #pages = new Map<WebContents, { sandbox: boolean; isolation: boolean }>();
  #fuses: Promise<ShellState['fuses']> | null = null;

  constructor(refusals: Refusals) {
    this.#refusals = refusals;
  }

  /** `value`: from the preload of a page that was let in; it may be anything. */
  told(contents: WebContents, value: unknown): void {
    const { data } = Told.safeParse(value);
    if (data === undefined) return this.#refusals.note('message', 'about a page, that is none');
    if (data.kind === 'content') return this.#refusals.note('content', `by ${data.directive}: ${data.blocked}`);
    if (!this.#pages.has(contents)) contents.once('destroyed', () => this.#pages.delete(contents));
    this.#pages.set(contents, { sandbox: data.sandbox, isolation: data.isolation });
  }

  async state(): Promise<ShellState> {
    this.#fuses ??= readFuses();
    return {
      electron: process.versions['electron'] ?? '',
      ...this.#protection(),
      fuses: await this.#fuses,
      refused: this.#refusals.list(),
    };
  }

  /** The weakest counts. */
  #protection(): Protection {
    const pages = [...this.#pages.values()];
    if (pages.length === 0) return { sandbox: null, isolation: null };
    return { sandbox: pages.every(({ sandbox }) => sandbox), isolation: pages.every(({ isolation }) => isolation) };
  }
}

async function readFuses(): Promise<ShellState['fuses']> {
  if (!app.isPackaged) return 'unpacked';
  return (await fusesIn(wireFile(process.execPath, process.platform))) ?? 'unreadable';
}

/** The same runtime, which also says what holds the pages of this desktop. */
export function withShell(client: Client, facts: Pick<SecurityFacts, 'state'>): Client {
  return answering(client, 'security.state', async (input) => {
    // The runtime parses the input.
    const [found, shell] = await Promise.all([client.request('security.state', input), facts.state()]);
    return { ...found, shell };
  });
}

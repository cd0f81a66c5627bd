/** What servers were last heard to offer, and which of it the person knows: a run is offered nothing that was changed behind their back. */
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { writeAtomically } from '../base/atomic-file.ts';
import { TriadError } from '../base/errors.ts';
import { canonicalHash } from '../base/hash.ts';
import { redactKeysIn } from '../base/redact.ts';
import { SerialQueue } from '../base/serial-queue.ts';

/** What decides whether two versions of a tool are the same to a person and a model. */
const Described = z.object({
  name: z.string(),
  title: z.string().nullable(),
  description: z.string(),
  inputSchema: z.record(z.string(), z.unknown()),
});
export type Described = z.infer<typeof Described>;

const Listing = z.object({
  at: z.string(),
  tools: z.array(Described),
  /** As the person last agreed to them, by name. */
  known: z.record(z.string(), Described),
  /** Whether it has resources, or templates of them. */
  resources: z.boolean(),
});
export type Listing = z.infer<typeof Listing>;

type ToolState = 'known' | 'changed' | 'new';

/** Those of a data folder; null: they are kept in memory. */
export const listingsIn = (data: string | null): Listings => new Listings(data === null ? null : join(data, 'mcp'));

/** One file for each configuration; without a folder they are kept in memory. */
export class Listings {
  readonly #folder: string | null;
  readonly #read = new Map<string, Promise<Listing | null>>();
  readonly #changes = new SerialQueue();

  constructor(folder: string | null) {
    this.#folder = folder;
  }

  /** Null where the server of this configuration was never heard. */
  get(config: string): Promise<Listing | null> {
    const known = this.#read.get(config) ?? this.#load(config);
    this.#read.set(config, known);
    return known;
  }

  /** Stores what a server says now, without keys. What it said first the person knows: they have set it up. */
  async heard(config: string, said: { tools: readonly Described[]; resources: boolean }): Promise<Listing> {
    const tools = await redactKeysIn(said.tools.map(plain));
    return this.#change(config, (before) => {
      const known = before?.known ?? Object.fromEntries(tools.map((tool) => [tool.name, tool]));
      return { at: new Date().toISOString(), ...said, tools, known };
    });
  }

  /** The person agrees to tools as they were shown to them; the others stay as they were. Throws `conflict` where one has changed since. */
  accept(config: string, shown: readonly { tool: string; hash: string }[]): Promise<Listing> {
    return this.#change(config, (before) => {
      const listing = before ?? { at: '', tools: [], known: {}, resources: false };
      const now = shown.map(({ tool: name, hash }) => {
        const tool = listing.tools.find((one) => one.name === name);
        if (tool && describedHash(tool) === hash) return [name, tool] as const;
        throw new TriadError('conflict', `The server has changed what it says of ${name} again: look at it once more`);
      });
      return { ...listing, known: { ...listing.known, ...Object.fromEntries(now) } };
    });
  }

  #change(config: string, change: (before: Listing | null) => Listing): Promise<Listing> {
    return this.#changes.add(async () => {
      const before = await this.get(config);
      const next = change(before);
      const isSame = before !== null && canonicalHash({ ...before, at: '' }) === canonicalHash({ ...next, at: '' });
      if (isSame) return before;
      this.#read.set(config, Promise.resolve(next));
      if (this.#folder !== null) {
        await mkdir(this.#folder, { recursive: true, mode: 0o700 });
        await writeAtomically(this.#fileOf(config), JSON.stringify(next), { mode: 0o600 });
      }
      return next;
    });
  }

  async #load(config: string): Promise<Listing | null> {
    if (this.#folder === null) return null;
    // A damaged one is as good as none: the server says it again, and the person is asked about each call as ever.
    const text = await readFile(this.#fileOf(config), 'utf8').catch(() => null);
    try {
      return text === null ? null : Listing.parse(JSON.parse(text));
    } catch {
      return null;
    }
  }

  #fileOf(config: string): string {
    return join(this.#folder ?? '', `${config}.json`);
  }
}

/** A tool as it is shown to the person with a call of it. */
export interface ToolLook {
  state: ToolState;
  /** SHA-256 in hex of what it says of itself now. */
  hash: string;
  description: string;
  /** What the person knows of it, where that is something else. */
  before: string | null;
}

export function lookOf({ known }: Pick<Listing, 'known'>, tool: Described): ToolLook {
  const { description } = tool;
  const hash = describedHash(tool);
  const agreed = Object.hasOwn(known, tool.name) ? known[tool.name]! : null;
  if (agreed === null) return { state: 'new', hash, description, before: null };
  const state = describedHash(agreed) === hash ? 'known' : 'changed';
  return { state, hash, description, before: agreed.description === description ? null : agreed.description };
}

function describedHash(tool: Described): string {
  return canonicalHash(plain(tool));
}

function plain({ name, title, description, inputSchema }: Described): Described {
  return { name, title, description, inputSchema };
}

/** MCP servers that a client passes with a conversation: for it alone, gone with the client, and started only after the person's yes to exactly this. */
import { randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { McpServerName } from '#contract/agent.ts';
import type { LentServer } from '#contract/hosts/lent.ts';
import { MAX_MCP_SERVER_CHARS } from '#contract/limits.ts';
import { checkLaunch, MCP_PERMISSIONS, McpLaunch } from '#contract/mcp/mcp-entry.ts';
import { writeAtomically } from '../base/atomic-file.ts';
import { TriadError } from '../base/errors.ts';
import { canonicalHash } from '../base/hash.ts';
import { readOwnFile } from '../base/regular-file.ts';
import { newId } from '../base/ids.ts';
import { problemWords } from '../base/problem-words.ts';
import { SerialQueue } from '../base/serial-queue.ts';
import { Stopped } from '../base/stop.ts';
import { refuseWriteFault } from '../base/write-refusals.ts';
import { launchWords } from '../settings/mcp-json.ts';
import type { ConfiguredServer } from './configured.ts';

/** One as it was passed; `asked`: what the person says yes to, by its hash with a salt, and the values of secrets in it. */
interface Passed {
  server: ConfiguredServer & { lending: string };
  folder: string;
  asked: Readonly<Record<string, unknown>>;
}

/** What came of one that a client passes. */
interface Lending {
  gone: AbortController;
  /** Names of servers to which the person said no, and of those of which it was told why they are left out. */
  refused: Set<string>;
  told: Set<string>;
}

interface Ports {
  /** The data folder; null: a yes is kept in memory. */
  data: string | null;
  /** Ends what was started of a lending; resolves when nothing of it is left. */
  end: (lending: string) => Promise<void>;
}

const Agreed = z.object({
  /** So that nobody can try what values were agreed to. */
  salt: z.string(),
  agreed: z.array(z.object({ hash: z.string(), folder: z.string(), words: z.array(z.string()) })),
});
type Agreed = z.infer<typeof Agreed>;

const Launch = McpLaunch.superRefine(checkLaunch);
const TIMEOUT_MS = 60_000;

export class LentServers {
  readonly #ports: Ports;
  readonly #changes = new SerialQueue();
  /** By conversation, those that were passed first before the others. */
  readonly #passed = new Map<string, Passed[]>();
  /** Names that a client had passed to a conversation and took away. */
  readonly #gone = new Map<string, Set<string>>();
  readonly #lendings = new Map<string, Lending>();
  #inMemory: Agreed = { salt: randomBytes(16).toString('hex'), agreed: [] };

  constructor(ports: Ports) {
    this.#ports = ports;
  }

  /** `folder`: of the conversation. The returned function takes them away again, and ends those that run. */
  lend(
    { conversationId, folder }: { conversationId: string; folder: string },
    servers: readonly LentServer[],
  ): () => void {
    if (servers.length === 0) return () => undefined;
    const lending = newId();
    const gone = new AbortController();
    this.#lendings.set(lending, { gone, refused: new Set(), told: new Set() });
    const passed = servers.map((server) => passedOf(server, { lending, folder }));
    this.#passed.set(conversationId, [...(this.#passed.get(conversationId) ?? []), ...passed]);
    for (const { server } of passed) this.#gone.get(conversationId)?.delete(server.name);
    return () => {
      const left = (this.#passed.get(conversationId) ?? []).filter(({ server }) => server.lending !== lending);
      if (left.length > 0) this.#passed.set(conversationId, left);
      else this.#passed.delete(conversationId);
      const names = this.#gone.get(conversationId) ?? new Set();
      for (const { server } of passed) if (left.every((one) => one.server.name !== server.name)) names.add(server.name);
      this.#gone.set(conversationId, names);
      this.#lendings.delete(lending);
      gone.abort(new Stopped('user', 'The client that passed it has gone'));
      void this.#ports.end(lending);
    };
  }

  /** All that are passed to a conversation now; of two with one name the newer. Those without a yes are `untrusted`. */
  async of(conversationId: string): Promise<ConfiguredServer[]> {
    const passed = this.#passed.get(conversationId) ?? [];
    if (passed.length === 0) return [];
    const agreed = await this.#read();
    const newest = new Map(passed.map((one) => [one.server.name, one]));
    return [...newest.values()].map((one) => {
      const { server } = one;
      return server.state === 'faulty' || isAgreed(agreed, one) ? server : { ...server, state: 'untrusted' as const };
    });
  }

  /** Whether a client had passed one of this name to the conversation, and has gone. */
  hasLeft(conversationId: string, name: string): boolean {
    return this.#gone.get(conversationId)?.has(name) ?? false;
  }

  /** Whether the person said no to it while it was passed. */
  isRefused(server: ConfiguredServer): boolean {
    return this.#lendings.get(server.lending ?? '')?.refused.has(server.name) ?? true;
  }

  /** True once for each that a client passes. */
  isNews(server: ConfiguredServer): boolean {
    const told = this.#lendings.get(server.lending ?? '')?.told;
    if (!told || told.has(server.name)) return false;
    told.add(server.name);
    return true;
  }

  /** Aborts when its client takes it away. */
  goneSignal(server: ConfiguredServer): AbortSignal {
    return this.#lendings.get(server.lending ?? '')?.gone.signal ?? AbortSignal.abort();
  }

  /** The person's answer to it; a yes holds for exactly this in this folder, whenever it is passed again. */
  async answered(server: ConfiguredServer, allowed: boolean): Promise<void> {
    if (!allowed) return void this.#lendings.get(server.lending ?? '')?.refused.add(server.name);
    const one = [...this.#passed.values()]
      .flat()
      .find((passed) => passed.server.name === server.name && passed.server.lending === server.lending);
    // It has gone meanwhile: nothing is to be started.
    if (!one) return;
    await this.#changes.add(async () => {
      const agreed = await this.#read();
      if (isAgreed(agreed, one)) return;
      const { command, args } = one.server.launch;
      const words = command === undefined ? [] : [command, ...args];
      const entry = { hash: hashOf(agreed, one), folder: one.folder, words };
      await this.#write({ ...agreed, agreed: [...agreed.agreed, entry] });
    });
  }

  /** The commands with their arguments that may be started in a folder without a further yes, or are passed now. */
  async commandsIn(folder: string): Promise<string[][]> {
    const passed = [...this.#passed.values()].flat().filter((one) => one.folder === folder);
    const now = passed.map(({ server: { launch } }) => [...(launch.command ? [launch.command] : []), ...launch.args]);
    const { agreed } = await this.#read();
    return [...now, ...agreed.filter((one) => one.folder === folder).map(({ words }) => words)];
  }

  get #file(): string | null {
    return this.#ports.data === null ? null : join(this.#ports.data, 'mcp', 'agreed.json');
  }

  /** What cannot be read was not agreed to. */
  async #read(): Promise<Agreed> {
    const file = this.#file;
    if (file === null) return this.#inMemory;
    try {
      const text = readOwnFile(file);
      if (text === null) return this.#inMemory;
      await refuseWriteFault(file);
      return Agreed.parse(JSON.parse(text));
    } catch {
      return this.#inMemory;
    }
  }

  async #write(agreed: Agreed): Promise<void> {
    const file = this.#file;
    if (file === null) {
      this.#inMemory = agreed;
      return;
    }
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    await writeAtomically(file, JSON.stringify(agreed), { mode: 0o600 });
  }
}

function hashOf({ salt }: Agreed, { asked, folder }: Passed): string {
  return canonicalHash({ salt, folder, asked });
}

function isAgreed(agreed: Agreed, passed: Passed): boolean {
  const hash = hashOf(agreed, passed);
  return agreed.agreed.some((one) => one.hash === hash);
}

function passedOf(raw: LentServer, { lending, folder }: { lending: string; folder: string }): Passed {
  const name = plainName(raw.name);
  const { server, asked } = readLaunch(raw);
  const fault = McpServerName.safeParse(name).success ? server.fault : 'its name has no letters that a tool may have';
  const { launch } = server;
  const nameless = { ...launch, env: Object.keys(launch.env).sort(), headers: Object.keys(launch.headers).sort() };
  return {
    folder,
    asked,
    server: {
      name: fault === null ? name : raw.name,
      source: 'client',
      file: '',
      state: fault === null ? 'usable' : 'faulty',
      fault,
      launch,
      runs: launchWords(launch),
      config: canonicalHash({ folder, ...nameless }),
      sampling: false,
      timeoutMs: TIMEOUT_MS,
      offers: () => true,
      permissionsOf: () => MCP_PERMISSIONS,
      lending,
    },
  };
}

function readLaunch({ name: _, type, command, url, ...rest }: LentServer) {
  const faulty = (fault: string) => ({ server: { launch: { args: [], env: {}, headers: {} }, fault }, asked: {} });
  if (type === 'sse') return faulty('it speaks the older protocol over SSE, which Triad does not');
  const given =
    type === 'stdio'
      ? { command: command ?? '', args: rest.args, env: rest.env }
      : { url: url ?? '', headers: rest.headers };
  const launch = Launch.safeParse(given, { error: problemWords });
  if (launch.success) return { server: { launch: launch.data, fault: null }, asked: launch.data };
  const [issue] = launch.error.issues;
  return faulty(`${issue?.path.map(String).join('.')} ${issue?.message}`.trim());
}

/** In the letters that names of tools may have. */
function plainName(name: string): string {
  const letters = name.replaceAll(/[^a-zA-Z0-9_-]+/g, '-').replaceAll(/_{2,}/g, '_');
  return letters
    .replace(/^[-_]+/, '')
    .slice(0, MAX_MCP_SERVER_CHARS)
    .replace(/[-_]+$/, '');
}

/** Where its client has gone. */
export function takenAway(name: string): TriadError {
  return new TriadError(
    'disconnected',
    `The client that passed the MCP server "${name}" to this session has gone, and the server with it`,
  );
}

/** The sessions of one client: opening them, finding them, and taking them to another owner of the store. */
import { isAbsolute } from 'node:path';
import { realpath, stat } from 'node:fs/promises';
import {
  type AgentContext,
  type ClientCapabilities,
  type McpServer,
  RequestError,
  type SessionInfo,
} from '@agentclientprotocol/sdk';
import { z } from 'zod';
import { Id } from '#contract/ids.ts';
import type { Client } from '#contract/rpc.ts';
import { ZERO_TALLY } from '#domain/tally.ts';
import { Exclusive } from '#core/base/exclusive.ts';
import { Asker } from './asker.ts';
import { Choices } from './choices.ts';
import type { Door } from './door.ts';
import { checkServers } from './lent-host.ts';
import { Session } from './session.ts';
import { SessionUpdates } from './session-updates.ts';
import { Windows } from './windows.ts';

/** What a client may say of itself beside what the protocol has words for. */
const Ours = z.object({ subAgentSessions: z.boolean().optional().catch(undefined) }).catch({});

interface Place {
  id: string;
  /** Must be the folder of the conversation; null: not looked at. */
  cwd: string | null;
  mcpServers: readonly McpServer[];
}

interface Parts {
  door: Door;
  note: (line: string) => void;
  /** The client does not read what is written. */
  isBehind: () => boolean;
}

export class Sessions {
  readonly #parts: Parts;
  readonly #open = new Map<string, Session>();
  readonly #opening = new Exclusive('This session is being opened already');
  capabilities: ClientCapabilities = {};

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  all(): Session[] {
    return [...this.#open.values()];
  }

  /** Throws resource not found for one that was not opened. */
  get(sessionId: string): Session {
    const session = this.#open.get(sessionId);
    if (!session) throw notFound(sessionId, `The session ${sessionId.slice(0, 100)} is not open: load it first`);
    return session;
  }

  async create(context: AgentContext, cwd: string, mcpServers: readonly McpServer[]): Promise<Session> {
    const folder = await folderAt(cwd);
    checkServers(mcpServers);
    const { id } = await this.#parts.door.ask((client) => client.request('conversation.create', { folder }));
    return this.attach(context, { id, cwd: null, mcpServers });
  }

  /** With `replay` the client is told all of it. */
  attach(context: AgentContext, place: Place, replay = false): Promise<Session> {
    const { id } = place;
    return this.#opening.run(id, async () => {
      this.#refuseWorking(id);
      const [session, seq] = await this.#made(context, place, replay);
      // A prompt may have come meanwhile.
      this.#refuseWorking(id);
      this.#open.get(id)?.close();
      this.#open.set(id, session);
      try {
        await this.#parts.door.ask((client) => session.open(client, replay ? 0 : seq));
      } catch (error) {
        session.close();
        if (this.#open.get(id) === session) this.#open.delete(id);
        throw error;
      }
      return session;
    });
  }

  #refuseWorking(id: string): void {
    if (!this.#open.get(id)?.isWorking) return;
    throw RequestError.invalidParams({}, `A prompt runs in the session ${id}: wait for its end, or cancel it`);
  }

  /** With the number of its newest event. Throws for what cannot be opened. */
  async #made(
    context: AgentContext,
    { id, cwd, mcpServers }: Place,
    replay: boolean,
  ): Promise<readonly [Session, seq: number]> {
    const { door, note, isBehind } = this.#parts;
    checkServers(mcpServers);
    refuseStrange(id);
    const conversationId = id;
    const { seq, conversation, workflows } = await door.ask((client) =>
      client.request('conversation.snapshot', { conversationId }),
    );
    const { folder, deletedAt } = conversation;
    if (deletedAt) throw RequestError.invalidParams({}, `The session ${id} is in the trash: restore it first`);
    if (cwd !== null && (await folderAt(cwd)) !== folder)
      throw RequestError.invalidParams({}, `This session works in ${folder}: open it with that as its cwd`);
    const { session: shows, elicitation, _meta } = this.capabilities;
    const own = new Set<string>();
    const { subAgentSessions = false } = Ours.parse(_meta?.['triad'] ?? {});
    const windows = new Windows(door, id);
    await Promise.all([windows.begin(), windows.look()]);
    const updates = new SessionUpdates({
      conversation: replay ? { ...conversation, usage: ZERO_TALLY } : conversation,
      subAgentSessions,
      windows,
      notices: Boolean(shows?.notices),
      compactions: Boolean(shows?.compaction),
      isOwn: (workflowId) => own.has(workflowId),
    });
    const asker = new Asker({
      context,
      door,
      conversationId,
      note,
      forms: Boolean(elicitation?.form),
      asking: ({ approval: { request } }) => updates.asked(request.runId, request.toolCallId),
    });
    const chosen = workflows.at(-1)?.chosen ?? {};
    const choices = await door.ask((client) => Choices.of(client, conversation, chosen));
    const lent = { capabilities: this.capabilities, mcpServers };
    return [new Session({ id, folder, context, door, choices, asker, updates, own, lent, isBehind }), seq];
  }

  async list(cwd: string | null, cursor: string | null): Promise<{ sessions: SessionInfo[]; nextCursor?: string }> {
    const folder = cwd === null ? null : await folderAt(cwd);
    const page = { limit: 100, ...(cursor === null ? {} : { before: cursor }) };
    const { items, next } = await this.#parts.door.ask((client) => client.request('conversation.list', page));
    const sessions = items
      .filter((row) => row.lastSeq > 0 && (folder === null || row.folder === folder))
      .map(({ id, folder: at, title, updatedAt }) => ({ sessionId: id, cwd: at, title, updatedAt }));
    return { sessions, ...(next === null ? {} : { nextCursor: next }) };
  }

  /** What works in it is cancelled first, as the protocol says; nothing more begins in it. */
  async close(sessionId: string): Promise<void> {
    const session = this.get(sessionId);
    this.#open.delete(sessionId);
    try {
      await session.end();
    } finally {
      session.close();
    }
  }

  async remove(sessionId: string): Promise<void> {
    refuseStrange(sessionId);
    if (this.#open.has(sessionId)) await this.close(sessionId);
    await this.#parts.door.ask((client) => client.request('conversation.delete', { conversationId: sessionId }));
  }

  async reopen(client: Client): Promise<void> {
    for (const session of this.all()) await session.reopen(client);
  }
}

/** An id that is none of ours is of no session. */
function refuseStrange(sessionId: string): void {
  if (!Id.safeParse(sessionId).success) throw notFound(sessionId, `There is no session ${sessionId.slice(0, 100)}`);
}

function notFound(sessionId: string, message: string): RequestError {
  return new RequestError(-32002, message, { sessionId });
}

async function folderAt(cwd: string): Promise<string> {
  if (!isAbsolute(cwd)) throw RequestError.invalidParams({}, `"${cwd}" is no absolute path`);
  const found = await stat(cwd).catch(() => null);
  if (!found?.isDirectory()) throw RequestError.invalidParams({}, `There is no folder ${cwd}`);
  return realpath(cwd);
}

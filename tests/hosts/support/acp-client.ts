/** The official client of the Agent Client Protocol: what it was told and asked, and how it answers. */
import { Readable, Writable } from 'node:stream';
import type { ChildProcess } from 'node:child_process';
import {
  client as clientApp,
  type ClientApp,
  type ClientCapabilities,
  type ClientConnection,
  type ClientContext,
  type CreateElicitationResponse,
  type InitializeResponse,
  type McpServer,
  methods,
  ndJsonStream,
  type PromptRequest,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
  type SessionNotification,
  type SessionUpdate,
  type Stream,
} from '@agentclientprotocol/sdk';
import { expect } from 'vitest';

export const m = methods.agent;
const waits = { timeout: 20_000 };

type Answering = (
  asked: RequestPermissionRequest,
  signal: AbortSignal,
) => RequestPermissionResponse | Promise<RequestPermissionResponse>;

export function choose(optionId: string, triad?: object): RequestPermissionResponse {
  return { outcome: { outcome: 'selected', optionId }, ...(triad ? { _meta: { triad } } : {}) };
}

export class AcpClient {
  readonly connection: ClientConnection;
  readonly told: SessionNotification[] = [];
  readonly asked: RequestPermissionRequest[] = [];
  /** Requests that the agent took back. */
  readonly withdrawn: RequestPermissionRequest[] = [];
  answer: Answering = () => choose('allow');
  elicit: (params: unknown) => CreateElicitationResponse = () => ({ action: 'decline' });

  /** `more`: answers to what else the agent may ask. */
  constructor(stream: Stream, more: (app: ClientApp) => ClientApp = (app) => app) {
    this.connection = more(clientApp({ name: 'test' }))
      .onNotification(methods.client.session.update, ({ params }) => void this.told.push(params))
      .onRequest(methods.client.session.requestPermission, ({ params, signal }) => {
        this.asked.push(params);
        signal.addEventListener('abort', () => this.withdrawn.push(params));
        return this.answer(params, signal);
      })
      .onRequest(methods.client.elicitation.create, ({ params }) => this.elicit(params))
      .connect(stream);
  }

  get agent(): ClientContext {
    return this.connection.agent;
  }

  initialize(clientCapabilities: ClientCapabilities = {}): Promise<InitializeResponse> {
    return this.agent.request(m.initialize, { protocolVersion: 1, clientCapabilities });
  }

  async open(cwd: string, mcpServers: McpServer[] = []): Promise<string> {
    return (await this.agent.request(m.session.new, { cwd, mcpServers })).sessionId;
  }

  async prompt(sessionId: string, text: string): Promise<string> {
    const asked: PromptRequest = { sessionId, prompt: [{ type: 'text', text }] };
    return (await this.agent.request(m.session.prompt, asked)).stopReason;
  }

  updates(sessionId: string): SessionUpdate[] {
    return this.told.filter((one) => one.sessionId === sessionId).map(({ update }) => update);
  }

  /** What was said there, or thought, in one text. */
  text(sessionId: string, kind: SessionUpdate['sessionUpdate'] = 'agent_message_chunk'): string {
    return this.updates(sessionId)
      .flatMap((update) =>
        update.sessionUpdate === kind && 'content' in update && update.content && 'text' in update.content
          ? [update.content.text]
          : [],
      )
      .join('');
  }

  /** The tool calls of a session as they are now, each with all that was told of it. */
  calls(sessionId: string): Record<string, unknown>[] {
    const calls = new Map<string, Record<string, unknown>>();
    for (const { sessionUpdate: _, ...rest } of this.updates(sessionId))
      if ('toolCallId' in rest) calls.set(rest.toolCallId, { ...calls.get(rest.toolCallId), ...rest });
    return [...calls.values()];
  }

  async untilAsked(count: number): Promise<RequestPermissionRequest> {
    await expect.poll(() => this.asked.length, waits).toBeGreaterThanOrEqual(count);
    return this.asked[count - 1]!;
  }

  async untilSaid(sessionId: string, words: RegExp): Promise<void> {
    await expect.poll(() => this.text(sessionId), waits).toMatch(words);
  }

  close(): void {
    this.connection.close();
  }
}

/** Over the streams of a process that runs `triad acp`. */
export function clientOf({ stdin, stdout }: ChildProcess, more?: (app: ClientApp) => ClientApp): AcpClient {
  const bytes = Readable.toWeb(stdout!) as ReadableStream<Uint8Array>;
  return new AcpClient(ndJsonStream(Writable.toWeb(stdin!) as WritableStream<Uint8Array>, bytes), more);
}

/** What Triad says beside what the protocol has words for: `_meta.triad` of whatever this is. */
export function triadOf(told: object | undefined): Record<string, unknown> {
  const { _meta } = { ...told } as { _meta?: { triad?: Record<string, unknown> } | null };
  return _meta?.triad ?? {};
}

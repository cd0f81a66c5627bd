/** What every screen shares: the connection, the settings, the open questions and the list of conversations. */
import { createContext } from 'svelte';
import type { AppState, Input } from '#contract/rpc.ts';
import type { StopReceipt } from '#contract/view.ts';
import type { Connection, ConnectionStatus } from '#lib/client/connection.ts';
import { asRequestError, type RequestError } from '#lib/client/request-error.ts';
import { Highlighter } from '#lib/markdown/highlight.ts';
import { text } from '#lib/text.ts';
import { Attention } from './attention.svelte.ts';
import { Clock } from './clock.svelte.ts';
import { Conversations } from './conversations.svelte.ts';

/** Shows a short message that goes by itself. */
export interface Toasts {
  info(message: string): void;
  error(message: string): void;
}

export class App {
  status = $state<ConnectionStatus>('connecting');
  settings = $state.raw<AppState | null>(null);
  failure = $state.raw<RequestError | null>(null);
  readonly connection: Connection;
  readonly attention: Attention;
  readonly conversations: Conversations;
  readonly clock = new Clock();
  readonly highlighter = new Highlighter();
  readonly #toasts: Toasts;

  constructor(connection: Connection, toasts: Toasts) {
    this.connection = connection;
    this.#toasts = toasts;
    this.attention = new Attention(connection);
    this.conversations = new Conversations(connection);
    this.status = connection.status;
    connection.onStatus((status) => (this.status = status));
    connection.onOpen(() => void this.load());
    if (connection.status === 'open') void this.load();
  }

  async load(): Promise<void> {
    void this.conversations.refresh();
    try {
      this.settings = await this.connection.request('app.state', {});
      this.failure = null;
    } catch (error) {
      this.failure = asRequestError(error);
    }
  }

  /** Rejects with a `RequestError` for a key or an endpoint that cannot be used. */
  async setProvider(input: Input<'provider.set'>): Promise<void> {
    this.settings = await this.connection.request('provider.set', input);
  }

  stopRun(runId: string): Promise<void> {
    return this.#report(this.connection.request('run.stop', { runId }));
  }

  stopWorkflow(workflowId: string): Promise<void> {
    return this.#report(this.connection.request('workflow.stop', { workflowId }));
  }

  /** Whether it goes on now. */
  async resume(workflowId: string): Promise<boolean> {
    try {
      await this.connection.request('workflow.resume', { workflowId });
      return true;
    } catch (error) {
      this.#toasts.error(asRequestError(error).message);
      return false;
    }
  }

  warn(message: string): void {
    this.#toasts.error(message);
  }

  close(): void {
    this.attention.close();
    this.connection.close();
  }

  async #report(stopping: Promise<StopReceipt>): Promise<void> {
    try {
      this.#toasts.info(text.stopped(await stopping));
    } catch (error) {
      this.#toasts.error(asRequestError(error).message);
    }
  }
}

export const [getApp, setApp] = createContext<App>();

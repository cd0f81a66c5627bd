/** What every screen shares: the connection, the settings, the open questions and the list of conversations. */
import { createContext } from 'svelte';
import type { AppState } from '#contract/app-state.ts';
import type { Unlisted } from '#contract/missing.ts';
import type { LeadChoice, SentFile, SentImage } from '#contract/messages/sending.ts';
import type { Input } from '#contract/rpc.ts';
import type { ConversationRow, StopReceipt, WorkflowRow } from '#contract/view.ts';
import type { Connection, ConnectionStatus } from './client/connection.ts';
import type { Refusal } from './client/link.ts';
import { newMessageId } from './client/message-id.ts';
import { asRequestError, failureText, type RequestError } from '#lib/words/request-error.ts';
import { isTyping } from '#lib/ui/text-field.ts';
import { succeeds, type Toasts } from '#lib/ui/toasts.ts';
import { sentLanguage } from '#lib/view/language.ts';
import type { Extension } from '#lib/view/budgets.ts';
import { text } from '#lib/words/text.ts';
import { Attention } from './attention.svelte.ts';
import { Clock } from './clock.svelte.ts';
import { ContextWindows } from './context-windows.svelte.ts';
import { ConversationActions } from './conversation-actions.ts';
import { Forks, imagesOf } from './forks.ts';
import { HistoryBrowser } from './history-browser.svelte.ts';
import { PagedList } from './paged-list.svelte.ts';
import { Rail } from './rail.svelte.ts';
import { RunsAgain } from './runs-again.ts';

const CONVERSATIONS = 50;
const TRASHED = 100;

/** What goes out with the words of a message. */
export interface Sent extends Pick<LeadChoice, 'model' | 'provider'> {
  images?: SentImage[];
  files?: SentFile[];
  /** The id under which it goes out, each time that it does. */
  sentAs?: string;
}

/** Where a new conversation works, and who leads it. */
type Beginning = NonNullable<Input<'message.send'>['begin']>;

/** What the person sent, as it is stored. */
type Message = Pick<WorkflowRow, 'conversationId' | 'prompt' | 'images'>;

/** The box for messages that is on the screen, as other parts write into it. */
interface MessageBox {
  /** Where its files are found; undefined: in the folder for new conversations. */
  folder: string | undefined;
  /** Who reads what is written there: what is hidden from it is not found. */
  agent: string;
  /** Puts the path of a file or folder in at the cursor, and the focus behind it. */
  mention: (path: string) => void;
  /** Puts code behind what is written, and the cursor where the file is named into which it is to go. */
  insert: (code: string, language: string) => void;
  focus: () => void;
}

export class App {
  status = $state<ConnectionStatus>('connecting');
  /** Why the host does not let this browser in; null where it does, or was not asked yet. */
  refusal = $state<Refusal | null>(null);
  settings = $state.raw<AppState | null>(null);
  failure = $state.raw<RequestError | null>(null);
  /** Where the next conversation works, as a menu of the desktop said; null: in the usual folder. */
  nextFolder = $state<string | null>(null);
  readonly connection: Connection;
  readonly attention: Attention;
  /** What the store cannot list of all that is in it. */
  #unlisted = $state.raw<Unlisted | null>(null);
  readonly conversations: PagedList<ConversationRow>;
  readonly rail: Rail;
  readonly trash: PagedList<ConversationRow>;
  readonly history: HistoryBrowser;
  readonly conversationActions: ConversationActions;
  readonly forks: Forks;
  readonly again: RunsAgain;
  readonly clock = new Clock();
  readonly contexts: ContextWindows;
  readonly toasts: Toasts;
  /** The newest one on the screen; null where there is none. */
  box: MessageBox | null = null;
  #awaitsBox = false;

  constructor(connection: Connection, toasts: Toasts) {
    this.connection = connection;
    this.toasts = toasts;
    this.contexts = new ContextWindows(connection);
    this.attention = new Attention(connection, isTyping);
    this.conversations = new PagedList(
      ({ id }) => id,
      (before) =>
        connection.request('conversation.list', {
          limit: CONVERSATIONS,
          ...(before === undefined ? {} : { before }),
        }),
    );
    this.rail = new Rail(connection, this.conversations);
    this.trash = new PagedList(
      ({ id }) => id,
      (before) => connection.request('trash.list', { limit: TRASHED, ...(before === undefined ? {} : { before }) }),
    );
    this.history = new HistoryBrowser(connection);
    this.conversationActions = new ConversationActions(connection, toasts, {
      removed: (id) => {
        this.rail.removed(id);
        this.history.removeConversation(id);
        void this.trash.refresh();
      },
      restored: (id) => {
        this.trash.drop((conversation) => conversation.id === id);
        void this.conversations.refresh();
        void this.rail.refresh();
        this.history.invalidate();
      },
      changed: (row) => this.rail.changed(row),
    });
    this.forks = new Forks(connection, toasts, () => void this.conversations.refresh());
    this.again = new RunsAgain(connection, toasts);
    this.status = connection.status;
    connection.onStatus((status) => {
      this.status = status;
      this.refusal = connection.refusal;
    });
    connection.onOpen(() => void this.load());
    if (connection.status === 'open') void this.load();
  }

  /** Also one that is there only with the page that opens. */
  focusBox(): void {
    this.#awaitsBox = this.box === null;
    this.box?.focus();
  }

  /** Returns how it is taken back. */
  offerBox(box: MessageBox): () => void {
    this.box = box;
    if (this.#awaitsBox) this.focusBox();
    return () => {
      if (this.box === box) this.box = null;
    };
  }

  /** What the lists have not; null until it is known, which takes longer with more in the store. */
  async #lookForUnlisted(): Promise<void> {
    await this.conversations.refresh();
    void this.rail.refresh();
    this.#unlisted = await this.connection.request('store.unlisted', {}).catch(() => null);
  }

  /** One sentence, where the store cannot list all that is in it. */
  get unlisted(): string | null {
    return this.#unlisted && text.said.unlisted(this.#unlisted);
  }

  /** The folder that is open: of the conversation on the screen, else of the last one, else that for new ones; empty until it is known. */
  get folder(): string {
    return this.rail.openFolder ?? this.settings?.folder ?? '';
  }

  /** Loads the settings and the list of conversations; an error goes to `failure`. */
  async load(): Promise<void> {
    void this.#lookForUnlisted();
    try {
      this.settings = await this.connection.request('app.state', {});
      this.failure = null;
    } catch (error) {
      this.failure = asRequestError(error);
    }
  }

  /** Hides the notice of this time about the history, in all windows; a toast says why it stays. */
  hideNotice(at: string): void {
    void succeeds(this.toasts, this.connection.request('store.hide-notice', { at }));
  }

  /** Rejects with a `RequestError` for a key or an endpoint that cannot be used. */
  async setProvider(input: Input<'provider.set'>): Promise<void> {
    this.settings = await this.connection.request('provider.set', input);
  }

  /** Adds a provider, or takes one away. Rejects with a `RequestError` for what cannot be. */
  async changeProviders<M extends 'provider.add' | 'provider.remove'>(method: M, input: Input<M>): Promise<void> {
    this.settings = await this.connection.request(method, input);
  }

  /** Stops a run and everything below it; a toast says what was stopped. */
  async stopRun(runId: string): Promise<void> {
    await this.#report(this.connection.request('run.stop', { runId }));
  }

  /**
   * Stops a workflow with all of its runs and cancels the queued messages of its conversation. A toast shows the receipt.
   * Returns the ids of the cancelled messages' workflows, oldest first.
   */
  async stopWorkflow(workflowId: string): Promise<readonly string[]> {
    const receipt = await this.#report(this.connection.request('workflow.stop', { workflowId, withdrawQueued: true }));
    return receipt?.withdrawn ?? [];
  }

  /** Cancels one queued message, as `stopWorkflow` does. Returns its id, or nothing if it could not be cancelled. */
  async withdrawMessage(workflowId: string): Promise<readonly string[]> {
    const receipt = await this.#report(this.connection.request('workflow.stop', { workflowId }));
    return receipt?.withdrawn ?? [];
  }

  /** Resumes an interrupted workflow. Returns whether it goes on; a toast says why it does not. */
  resume(workflowId: string): Promise<boolean> {
    return succeeds(this.toasts, this.connection.request('workflow.resume', { workflowId }));
  }

  /** Sends the requests of a workflow that wait for their provider again at once; a toast says why that failed. */
  async tryNow(workflowId: string): Promise<void> {
    await succeeds(this.toasts, this.connection.request('workflow.try-now', { workflowId }));
  }

  /** Raises the limits of a workflow. Returns whether they were raised; a toast says why they were not. */
  extendWorkflow(workflowId: string, more: Extension): Promise<boolean> {
    return succeeds(this.toasts, this.connection.request('workflow.extend', { workflowId, ...more }));
  }

  /** As `extendWorkflow`, for one run. */
  extendRun(runId: string, more: Extension): Promise<boolean> {
    return succeeds(this.toasts, this.connection.request('run.extend', { runId, ...more }));
  }

  /** Starts another attempt of a sub-agent. Returns whether it started; a toast says why it did not. */
  retryRun(runId: string): Promise<boolean> {
    return succeeds(this.toasts, this.connection.request('run.retry', { runId }));
  }

  /**
   * Sends a message, which starts a workflow or waits for the one at work. Rejects with a `RequestError`: `bad_input`
   * for an empty or too long text, `not_found` for an unknown conversation, `disconnected` without a connection.
   */
  async send(conversationId: string, text: string, sent: Sent = {}, begin?: Beginning): Promise<void> {
    await this.connection.request('message.send', {
      conversationId,
      text,
      via: 'app',
      ...sentLanguage(),
      ...sent,
      ...(begin && { begin }),
    });
    void this.conversations.refresh();
  }

  /**
   * Sends a message that begins a conversation of its own, which is not made where the message is refused. Resolves with
   * its id, which is that of the message: sent once more, it is the same. Rejects as `send` does.
   */
  async startConversation(given: Beginning, text: string, sent: Sent = {}): Promise<string> {
    const sentAs = sent.sentAs ?? newMessageId();
    const folder = given.folder ?? this.settings?.folder;
    const begin = { ...given, ...(folder !== undefined && { folder }) };
    await this.send(sentAs, text, { ...sent, sentAs }, begin);
    void this.#refreshModels();
    return sentAs;
  }

  /** The first message at an endpoint makes the list of its models known. */
  async #refreshModels(): Promise<void> {
    const state = await this.connection.request('app.state', {}).catch(() => null);
    if (state !== null) this.settings = state;
  }

  /** Whether the host has a message that went out under this id; false where it cannot be asked. */
  async hasMessage(conversationId: string, sentAs: string): Promise<boolean> {
    const found = await this.connection.request('conversation.snapshot', { conversationId }).catch(() => null);
    return found?.workflows.some((workflow) => workflow.sentAs === sentAs) ?? false;
  }

  /**
   * Sends a message once more, with its pictures, as a new workflow. Returns whether it was sent; a toast says why it was
   * not, also where a picture of it is not kept any more.
   */
  sendAgain(message: Message): Promise<boolean> {
    return succeeds(this.toasts, this.#sendAgain(message));
  }

  async #sendAgain(message: Message): Promise<void> {
    const images = await imagesOf(this.connection, message);
    await this.send(message.conversationId, message.prompt, images ? { images } : {});
  }

  /** Shows an error as a toast. */
  warn(message: string): void {
    this.toasts.error(message);
  }

  close(): void {
    this.attention.close();
    this.connection.close();
  }

  async #report(stopping: Promise<StopReceipt>): Promise<StopReceipt | null> {
    try {
      const receipt = await stopping;
      this.toasts.info(text.stopped(receipt));
      return receipt;
    } catch (error) {
      this.toasts.error(failureText(error));
      return null;
    }
  }
}

export const [getApp, setApp] = createContext<App>();

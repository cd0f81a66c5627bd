/** One session: a conversation that the client follows, its turns, and what it is set to. */
import {
  type AgentContext,
  methods,
  type PromptRequest,
  RequestError,
  type StopReason,
} from '@agentclientprotocol/sdk';
import type { AgentEvent, DurableEvent } from '#contract/event.ts';
import type { Client, Output } from '#contract/rpc.ts';
import { spawnIndex } from '#contract/spawn-items.ts';
import type { Asker } from './asker.ts';
import type { Choices } from './choices.ts';
import { carryOutAsShown, type ChangeCommand, isChangeCommand, planChange } from './change-commands.ts';
import { agentsText, COMMANDS, commandIn, compactText, helpText, mcpPrompt, sessionsText } from './commands.ts';
import type { Door } from './door.ts';
import { lend, type LentSession } from './lent-host.ts';
import { type Message, messageOf } from './prompt-text.ts';
import { chosenOf } from './question.ts';
import { chunk } from './run-updates.ts';
import type { Addressed, SessionUpdates } from './session-updates.ts';
import { stopReasonOf } from './stop-reason.ts';
import { Turn } from './turn.ts';

export interface SessionParts {
  id: string;
  folder: string;
  context: AgentContext;
  door: Door;
  choices: Choices;
  asker: Asker;
  updates: SessionUpdates;
  /** Ids of workflows that this client started. */
  own: Set<string>;
  /** What the client lends to it. */
  lent: Pick<LentSession, 'capabilities' | 'mcpServers'>;
  /** Then hints are left out. */
  isBehind: () => boolean;
}

export class Session {
  readonly id: string;
  readonly folder: string;
  readonly choices: Choices;
  readonly #parts: SessionParts;
  readonly #turns = new Set<Turn>();
  /** Number of the newest event that was told. */
  #seq = 0;
  #leave: (() => void) | null = null;
  #takeBack: (() => void) | null = null;
  /** Messages on their way, and what came meanwhile: whose it is is known when they have arrived. */
  #sending = 0;
  #held: AgentEvent[] = [];
  #commands = 0;

  constructor(parts: SessionParts) {
    this.#parts = parts;
    this.id = parts.id;
    this.folder = parts.folder;
    this.choices = parts.choices;
  }

  /** Follows the conversation; `after`: the number of the last event that the client knows, 0 to be told all. */
  async open(client: Client, after: number): Promise<void> {
    this.#seq = after;
    await this.#lend(client);
    this.#parts.updates.isPast = true;
    await this.#follow(client);
    this.#parts.updates.isPast = false;
    // Clients know the session from the answer on, which leaves first.
    setImmediate(() => this.#tell({ sessionUpdate: 'available_commands_update', availableCommands: [...COMMANDS] }));
  }

  /** The owner was another one until now: what was interrupted goes on, and what was missed is told. */
  async reopen(client: Client): Promise<void> {
    await this.#lend(client);
    for (const turn of this.#turns) await turn.goOn(client);
    await this.#follow(client);
    await this.#parts.asker.follow(client);
    for (const turn of this.#turns) await turn.stopIfAsked(client);
  }

  /** Before anything of it goes on there. */
  async #lend(client: Client): Promise<void> {
    const { context, lent, updates } = this.#parts;
    this.#takeBack?.();
    this.#takeBack = await lend(context, client, {
      ...lent,
      sessionId: this.id,
      onTerminal: (call, terminalId) => updates.terminal(call, terminalId).forEach((one) => this.#address(one)),
    });
  }

  /** Subscribed first, then read, then what came meanwhile. */
  async #follow(client: Client): Promise<void> {
    this.#leave?.();
    let early: AgentEvent[] | null = [];
    this.#leave = await client.subscribe('conversation', { conversationId: this.id }, (event) => {
      if (early === null) this.#deliver(event);
      else early.push(event);
    });
    for (const event of await missedOf(client, this.id, this.#seq)) this.#deliver(event);
    const [seq, waiting] = [this.#seq, early];
    early = null;
    // Hints before an event that was told belong to messages whose end was told as well.
    const told = waiting.findLastIndex((event) => 'seq' in event && event.seq <= seq);
    for (const event of waiting.slice(told + 1)) this.#deliver(event);
  }

  /** Follows it no more; what was told stays. A turn that runs cannot be told its end. */
  close(): void {
    const closed = new RequestError(-32002, `The session ${this.id} was closed`, { sessionId: this.id });
    for (const turn of this.#turns) turn.ended.reject(closed);
    this.#leave?.();
    this.#leave = null;
    this.#takeBack?.();
    this.#takeBack = null;
    this.#parts.asker.close();
  }

  get isWorking(): boolean {
    return this.#turns.size > 0;
  }

  async prompt({ prompt }: PromptRequest, signal: AbortSignal): Promise<StopReason> {
    const message = messageOf(prompt);
    const command = message.images.length === 0 ? commandIn(message.text) : null;
    if (command === null) return this.#turn(signal, (turn) => this.#send(turn, message));
    const { name, rest } = command;
    if (name === 'resume') return this.resume(null, signal);
    if (name === 'mcp') return this.#turn(signal, (turn) => this.#sendPromptOf(turn, rest));
    if (name === 'compact') return this.#turn(signal, (turn) => this.#compact(turn));
    if (isChangeCommand(name)) return this.#turn(signal, (turn) => this.#runChangeCommand(turn, { name, rest }));
    this.#say(await this.#answerTo(command));
    return 'end_turn';
  }

  /** Goes on with this workflow of the session, or with the newest that was interrupted. */
  resume(workflowId: string | null, signal: AbortSignal): Promise<StopReason> {
    return this.#turn(signal, (turn) => this.#resume(turn, workflowId));
  }

  /** Stops all that this client has started here and that has not ended. */
  async cancel(cause: 'person' | 'SIGHUP' | 'SIGTERM'): Promise<void> {
    const turns = [...this.#turns];
    await this.#parts.door.ask((client) => Promise.all(turns.map((turn) => turn.stop(client, cause))));
  }

  /** As `cancel`; resolves when the turns have ended. */
  async end(): Promise<void> {
    const turns = [...this.#turns];
    await this.cancel('person');
    await Promise.allSettled(turns.map(({ ended }) => ended.promise));
  }

  /** One of its runs, also one that waits for its yes. */
  async stopRun(runId: string): Promise<Output<'run.stop'>> {
    return this.#parts.door.ask(async (client) => {
      const { runs, approvals } = await client.request('conversation.snapshot', { conversationId: this.id });
      const isAsked = approvals.some(({ request }) => spawnIndex(request.subject, runId) >= 0);
      if (!isAsked && runs.every(({ id }) => id !== runId))
        throw new RequestError(-32002, `This session has no run ${runId}`, { runId });
      return client.request('run.stop', { runId });
    });
  }

  /** Sends the requests of a workflow that wait for their provider again at once. */
  async tryNow(workflowId: string): Promise<Output<'workflow.try-now'>> {
    return this.#parts.door.ask(async (client) => {
      const { workflows } = await client.request('conversation.snapshot', { conversationId: this.id });
      if (workflows.every(({ id }) => id !== workflowId))
        throw new RequestError(-32002, `This session has no workflow ${workflowId}`, { workflowId });
      return client.request('workflow.try-now', { workflowId });
    });
  }

  async setLead(agent: string): Promise<void> {
    await this.#parts.door.ask((client) => client.request('conversation.set', { conversationId: this.id, agent }));
    this.choices.agent = agent;
  }

  tellChoices(): void {
    this.#tell({ sessionUpdate: 'config_option_update', configOptions: this.choices.options() });
  }

  tellMode(): void {
    this.#tell({ sessionUpdate: 'current_mode_update', currentModeId: this.choices.mode });
  }

  async #turn(signal: AbortSignal, start: (turn: Turn) => Promise<void>): Promise<StopReason> {
    const { door, asker } = this.#parts;
    const turn = new Turn(this.id);
    this.#turns.add(turn);
    const stop = () => {
      // A client that has gone has cancelled nothing: its work is interrupted, and can be resumed.
      if (!(signal.reason instanceof RequestError)) return;
      door.ask((client) => turn.stop(client, 'person')).catch(turn.ended.reject);
    };
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    let leave: (() => void) | null = null;
    try {
      leave = await door.ask((client) => asker.enter(client));
      // What has begun no workflow yet is not waited for where it is stopped, nor where the session is closed.
      await Promise.race([this.#begin(turn, start), turn.ended.promise]);
      const end = await turn.ended.promise;
      if (end === null) return turn.isStopped ? 'cancelled' : 'end_turn';
      return turn.isStopped && end.outcome !== 'completed' ? 'cancelled' : stopReasonOf(end);
    } catch (error) {
      turn.ended.reject(error);
      throw error;
    } finally {
      signal.removeEventListener('abort', stop);
      this.#turns.delete(turn);
      leave?.();
    }
  }

  async #begin(turn: Turn, start: (turn: Turn) => Promise<void>): Promise<void> {
    await start(turn);
    await this.#parts.door.ask((client) => turn.stopIfAsked(client));
    if (this.choices.begun || turn.workflowId === null) return;
    this.choices.begun = true;
    this.tellChoices();
  }

  /** Events wait until it is known whose they are. */
  async #starting(start: () => Promise<void>): Promise<void> {
    this.#sending += 1;
    try {
      await start();
    } finally {
      this.#sending -= 1;
      if (this.#sending === 0) for (const event of this.#held.splice(0)) this.#take(event);
    }
  }

  async #send(turn: Turn, message: Message): Promise<void> {
    await this.#starting(async () => {
      const { door, own, updates } = this.#parts;
      const sent = await door.ask(turn.sender(message, this.choices.chosen));
      if (turn.workflowId !== null) own.add(turn.workflowId);
      if (!sent?.untrusted) return;
      const files = sent.untrusted.slice(0, 3).join(', ');
      const more = sent.untrusted.length > 3 ? ` and ${sent.untrusted.length - 3} more` : '';
      const how = `Left out, because nobody has trusted them as they are: ${files}${more}. See "triad trust".`;
      this.#address(updates.notice('warning', 'Files of this folder are not trusted', how));
    });
  }

  async #sendPromptOf(turn: Turn, which: string): Promise<void> {
    const text = await this.#parts.door.ask((client) => mcpPrompt(client, this.folder, which));
    if (!turn.isStopped) await this.#send(turn, { text, images: [] });
  }

  async #resume(turn: Turn, workflowId: string | null): Promise<void> {
    await this.#starting(() =>
      this.#parts.door.ask(async (client) => {
        const { workflows } = await client.request('conversation.snapshot', { conversationId: this.id });
        const last = workflows.findLast(
          ({ id, outcome }) => outcome === 'interrupted' && (workflowId === null || id === workflowId),
        );
        if (last === undefined) throw RequestError.invalidParams({}, 'Nothing here was interrupted: write a message');
        turn.workflowId = last.id;
        await turn.goOn(client);
      }),
    );
  }

  /** A summary that is being written is written to its end, whatever becomes of the prompt: it can be taken back. */
  async #compact(turn: Turn): Promise<void> {
    const words = await this.#parts.door.ask((client) => compactText(client, this.id));
    if (!turn.isStopped) this.#say(words);
    turn.ended.resolve(null);
  }

  /** Shows a planned change, and carries it out after an approval. */
  async #runChangeCommand(turn: Turn, command: { name: ChangeCommand; rest: string }): Promise<void> {
    const { door, context } = this.#parts;
    const { id, folder } = this;
    const place = { conversationId: id, folder };
    const plan = await door.ask((client) => planChange(client, place, command));
    if (typeof plan === 'string') {
      if (!turn.isStopped) this.#say(plan);
      return turn.ended.resolve(null);
    }
    const { title, content, paths, options } = plan;
    this.#commands += 1;
    const toolCallId = `${id}:${command.name}-${this.#commands}`;
    const locations = paths.map((path) => ({ path }));
    const call = { toolCallId, title, kind: 'edit' as const, status: 'pending' as const, content, locations };
    this.#tell({ sessionUpdate: 'tool_call', ...call });
    const withdrawal = new AbortController();
    const withdraw = () => withdrawal.abort();
    turn.ended.promise.then(withdraw, withdraw);
    const asking = { sessionId: id, toolCall: call, options };
    const waits = { cancellationSignal: withdrawal.signal, stopWaitingOnCancel: true };
    const end = (status: 'completed' | 'failed') =>
      this.#tell({ sessionUpdate: 'tool_call_update', toolCallId, status });
    try {
      const response = await context.request(methods.client.session.requestPermission, asking, waits);
      const chosen = chosenOf(asking, response);
      const isAllowed = options.some(({ optionId, kind }) => optionId === chosen?.optionId && kind === 'allow_once');
      if (turn.isStopped || !chosen || !isAllowed) {
        end('failed');
        if (!turn.isStopped) this.#say('Nothing was changed.');
      } else {
        const answer = { shown: plan, optionId: chosen.optionId };
        const words = await door.ask((client) => carryOutAsShown(client, place, command, answer));
        end('completed');
        this.#say(words);
      }
    } catch (error) {
      end('failed');
      throw error;
    }
    turn.ended.resolve(null);
  }

  async #answerTo({ name, rest }: { name: string; rest: string }): Promise<string> {
    const { door } = this.#parts;
    if (name === 'sessions') return door.ask((client) => sessionsText(client, this.folder));
    if (name === 'help') return helpText();
    if (rest === '') return door.ask((client) => agentsText(client, this.folder));
    await this.setLead(rest);
    this.tellChoices();
    return `This session is led by ${rest}.`;
  }

  #deliver(event: AgentEvent): void {
    if (!('seq' in event) && this.#parts.isBehind()) return;
    if (this.#sending > 0) this.#held.push(event);
    else this.#take(event);
  }

  #take(event: AgentEvent): void {
    if ('seq' in event) {
      if (event.seq <= this.#seq) return;
      this.#seq = event.seq;
    }
    const updates = this.#isErrorOfPrompt(event) ? [] : this.#parts.updates.of(event);
    for (const addressed of updates) this.#address(addressed);
    if (event.type !== 'workflow-end') return;
    for (const turn of this.#turns) if (turn.workflowId === event.workflowId) turn.ended.resolve(event);
  }

  /** Returns whether a prompt of this client ends with an error of the same text. */
  #isErrorOfPrompt(event: AgentEvent): boolean {
    if (event.type !== 'message-end' || event.parentRunId !== null) return false;
    const { entry, workflowId } = event;
    const isDoomLoop = entry.kind === 'system' && entry.code === 'doom_loop';
    return isDoomLoop && [...this.#turns].some((turn) => turn.workflowId === workflowId);
  }

  #say(text: string): void {
    this.#commands += 1;
    this.#tell(chunk('agent_message_chunk', text, `${this.id}:command-${this.#commands}`));
  }

  #tell(update: Addressed['update']): void {
    this.#address({ sessionId: this.id, update });
  }

  /** What cannot be told any more is in the history. */
  #address(addressed: Addressed): void {
    this.#parts.context.notify(methods.client.session.update, addressed).catch(() => undefined);
  }
}

/** Durable events after this one. An end as interrupted that a later start took back is left out: no turn ends with it. */
async function missedOf(client: Client, conversationId: string, seq: number): Promise<DurableEvent[]> {
  const missed: DurableEvent[] = [];
  for (let after = seq; ;) {
    const page = await client.request('conversation.events', { conversationId, after });
    missed.push(...page);
    const last = page.at(-1);
    if (last === undefined) break;
    after = last.seq;
  }
  const startedAt = new Map(
    missed.flatMap((event) => (event.type === 'workflow-start' ? [[event.workflowId, event.seq] as const] : [])),
  );
  return missed.filter((event) => event.type !== 'workflow-end' || event.seq > (startedAt.get(event.workflowId) ?? 0));
}

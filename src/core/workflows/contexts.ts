/** What the person asks of the context of a conversation's lead: to make room in it, at work or at rest, and to take that back. */
import { MAX_RETRY_DELAY_MS } from '#contract/limits.ts';
import type { CompactionEntry } from '#contract/message.ts';
import type { Parsed } from '#contract/rpc.ts';
import type { RunRow } from '#contract/view.ts';
import { buildSystemPrompt } from '../agents/system-prompt.ts';
import { Exclusive } from '../base/exclusive.ts';
import { mustExist, TriadError } from '../base/errors.ts';
import { newId } from '../base/ids.ts';
import { Watchdog } from '../base/watchdog.ts';
import { Recorder, type Emit } from '../log/recorder.ts';
import { toldWire } from '../log/told.ts';
import { Transcript } from '../log/transcript.ts';
import { WorkflowTotals } from '../log/workflow-totals.ts';
import { compact } from '../loop/compaction.ts';
import { restored } from '../loop/compaction-desk.ts';
import { estimatedInput } from '../loop/request-meter.ts';
import type { ModelUsage } from '../model/model.ts';
import { RequestRetries } from '../model/request-retries.ts';
import { Listeners } from '../base/listeners.ts';
import type { Engine } from '../runs/engine.ts';
import { saidBefore } from './lead.ts';
import type { Orchestrator } from './orchestrator.ts';
import { loadWorkflows } from '../runs/undo/undo-events.ts';
import { refuseInTrash } from './trash.ts';

export class Contexts {
  readonly #engine: Engine;
  readonly #orchestrator: Orchestrator;
  readonly #exclusive = new Exclusive('The context is being compacted already');

  constructor(engine: Engine, orchestrator: Orchestrator) {
    this.#engine = engine;
    this.#orchestrator = orchestrator;
  }

  compact(conversationId: string): Promise<{ waits: boolean }> {
    return this.#exclusive.run(conversationId, async () => {
      const active = this.#orchestrator.active().filter((one) => one.conversationId === conversationId);
      const [lead] = active.flatMap(({ runs }) => runs.get(runs.leadRunId)?.context ?? []);
      if (lead) return lead.desk.ask();
      if (active.length > 0) throw new TriadError('conflict', 'The work begins just now: try again in a moment');
      await this.#atRest(conversationId);
      return { waits: false };
    });
  }

  async restore({ conversationId, runId, n, undone }: Parsed<'context.restore'>): Promise<void> {
    const { store, log } = this.#engine;
    const run = await mustExist(store.run(runId), `There is no run ${runId}`);
    const conversation = await mustExist(store.conversation(conversationId), 'There is no such conversation');
    if (run.conversationId !== conversationId) throw new TriadError('not_found', 'This conversation has no such run');
    refuseInTrash(conversation);
    await log.open(conversationId);
    await log.knowRun(runId);
    const stored = await store.entriesOf(runId);
    // No wait from here to the record: what is seen now still holds then.
    const histories = this.#historiesOf(runId);
    const entry = restored(histories[0]?.entries ?? stored, n, undone);
    for (const history of histories) history.replace(entry);
    const { workflowId, parentRunId, agent } = run;
    const who = { at: new Date().toISOString(), conversationId, workflowId, runId, parentRunId, agent };
    await log.append({ type: 'compaction-undo', ...who, entry });
  }

  /** A run as it works, and as leads that work now were told of it. */
  #historiesOf(runId: string): Transcript[] {
    return this.#orchestrator.active().flatMap(({ runs }) => {
      const told = runs.get(runs.leadRunId)?.context?.prior.find((one) => one.runId === runId);
      return [runs.get(runId)?.context?.history, told?.history].filter((one) => one !== undefined);
    });
  }

  /** The lead of the newest workflow that is told has ended: a message that is sent meanwhile waits for the summary. */
  async #atRest(conversationId: string): Promise<void> {
    const { store, log } = this.#engine;
    await mustExist(store.conversation(conversationId), `There is no conversation ${conversationId}`);
    const row = (await loadWorkflows(store, conversationId)).findLast(({ left }) => !left);
    const run = row ? await store.run(row.runId) : null;
    if (!run) throw new TriadError('bad_input', 'There is nothing to compact yet');
    this.#orchestrator.refuseRealInDemo(run.envelope.provider);
    await log.knowRun(run.id);
    await this.#orchestrator.whileIdle(
      conversationId,
      (signal) => Promise.resolve({ stored: this.#compactAtRest(run, signal) }),
      { isLong: true },
    );
  }

  async #compactAtRest(row: RunRow, signal: AbortSignal): Promise<CompactionEntry> {
    const { log } = this.#engine;
    const { conversationId, workflowId, id: runId } = row;
    const messageId = newId();
    const about = { messageId, conversationId, workflowId, runId, at: new Date().toISOString(), parts: [] };
    // Where the process dies, this tells the sweep that a request of an ended workflow was on its way.
    await log.save([{ kind: 'put', table: 'open_message', key: messageId, row: about }]);
    const watchdog = new Watchdog(row.envelope.limits.inactivityMs, () => undefined);
    try {
      const emit = this.#emitFor(row);
      const run = await this.#runAtRest(row, watchdog, signal);
      return await compact(run, emit, { auto: false, tokensBefore: row.contextTokens ?? sizeOf(run) });
    } finally {
      watchdog.stop();
      await log.save([{ kind: 'delete', table: 'open_message', key: messageId }]);
    }
  }

  /** Nothing bounds what the person asks for. */
  async #runAtRest(row: RunRow, watchdog: Watchdog, signal: AbortSignal) {
    const engine = this.#engine;
    const { envelope } = row;
    const model = await engine.model(envelope.provider, row.conversationId);
    const { prior } = await saidBefore(engine, { conversationId: row.conversationId, id: row.workflowId });
    const entries = await engine.store.entriesOf(row.id);
    const nothing = (): void => undefined;
    return {
      envelope,
      history: new Transcript(entries),
      prior,
      model,
      noteSilence: nothing,
      retries: () =>
        new RequestRetries({
          ...engine.requests.retryPorts(model.provider),
          // The person and the next message wait for the result of this request, so it fails after a few tries.
          hasAnswered: () => false,
          maxPauseMs: MAX_RETRY_DELAY_MS,
          tryNow: new Listeners(),
          interruptsOnSilence: false,
          isOtherRunWorking: () => true,
          interrupt: nothing,
        }),
      watchdog,
      limits: {
        admit: () => null,
        withdraw: nothing,
        lastInput: () => 0,
        noteMiscount: () => false,
        isRaised: () => false,
        askPerson: () => Promise.resolve('finish' as const),
        close: nothing,
      },
      admit: (until: AbortSignal) => engine.requests.limiter(model.provider).acquire(model, until, { free: true }),
      price: (usage: ModelUsage) => engine.price(envelope.model, usage),
      signal,
      contextWindow: engine.capabilities(envelope.provider, envelope.model).contextWindow,
      plan: () => row.plan ?? [],
    };
  }

  #emitFor({ conversationId, workflowId, id: runId, parentRunId, agent, usage, envelope }: RunRow): Emit {
    const engine = this.#engine;
    const ids = { conversationId, workflowId, runId, parentRunId, agent };
    const recorder = new Recorder(engine.log, engine.open, ids, usage, new WorkflowTotals(usage));
    return (payload) => {
      if (payload.type === 'usage') engine.requests.limiter(envelope.provider).attemptEnded(payload.request.error);
      return Promise.resolve({ stored: recorder.record(payload) });
    };
  }
}

function sizeOf({ envelope, prior, history }: Pick<Parameters<typeof compact>[0], 'envelope' | 'prior' | 'history'>) {
  const messages = toldWire({ prior, entries: history.entries });
  return estimatedInput({ system: buildSystemPrompt(envelope), messages, tools: [] });
}

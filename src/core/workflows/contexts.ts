/** Compacts the context of a conversation's lead on request, while it works or after its end, and undoes compactions. */
import { MAX_RETRY_DELAY_MS } from '#contract/limits.ts';
import type { CompactionEntry } from '#contract/message.ts';
import type { Parsed } from '#contract/rpc.ts';
import type { RunRow } from '#contract/view.ts';
import { buildSystemPrompt } from '../agents/system-prompt.ts';
import { Exclusive } from '../base/exclusive.ts';
import { mustExist, TriadError } from '../base/errors.ts';
import { newId } from '../base/ids.ts';
import { Watchdog } from '../base/watchdog.ts';
import { Recorder, type Emit } from '#core/store/log/recorder.ts';
import { toldWire } from '#core/store/log/told.ts';
import { Transcript } from '#core/store/log/transcript.ts';
import { WorkflowTotals } from '#core/store/log/workflow-totals.ts';
import { compact, type CompactedRun } from '#core/runs/loop/compact.ts';
import { restored } from '#core/runs/loop/compaction-requests.ts';
import { estimatedInput } from '#core/runs/loop/request-meter.ts';
import type { ModelUsage } from '../model/model.ts';
import { RequestRetries } from '../model/request-retries.ts';
import { Listeners } from '../base/listeners.ts';
import type { Engine } from '../runs/engine.ts';
import { saidBefore } from './lead.ts';
import type { Orchestrator } from './orchestrator.ts';
import { loadWorkflows } from '#core/store/log/earlier-leads.ts';
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
      if (lead) return lead.compactions.request();
      if (active.length > 0) throw new TriadError('conflict', 'The work begins just now: try again in a moment');
      await this.#compactEnded(conversationId);
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
    // Nothing waits from here to the record, so the entry cannot change in between.
    const histories = this.#historiesOf(runId);
    const entry = restored(histories[0]?.entries ?? stored, n, undone);
    for (const history of histories) history.replace(entry);
    const { workflowId, parentRunId, agent } = run;
    const who = { at: new Date().toISOString(), conversationId, workflowId, runId, parentRunId, agent };
    await log.append({ type: 'compaction-undo', ...who, entry });
  }

  /** Returns the live histories with the entries of the run: its own, and those in the context of a working lead. */
  #historiesOf(runId: string): Transcript[] {
    return this.#orchestrator.active().flatMap(({ runs }) => {
      const told = runs.get(runs.leadRunId)?.context?.prior.find((one) => one.runId === runId);
      return [runs.get(runId)?.context?.history, told?.history].filter((one) => one !== undefined);
    });
  }

  /** Compacts the context of the newest lead, which has ended. New messages wait for the summary. */
  async #compactEnded(conversationId: string): Promise<void> {
    const { store, log } = this.#engine;
    await mustExist(store.conversation(conversationId), `There is no conversation ${conversationId}`);
    const row = (await loadWorkflows(store, conversationId)).at(-1);
    const run = row ? await store.run(row.runId) : null;
    if (!run) throw new TriadError('bad_input', 'There is nothing to compact yet');
    this.#orchestrator.refuseRealInDemo(run.envelope.provider);
    await log.knowRun(run.id);
    await this.#orchestrator.whileIdle(
      conversationId,
      (signal) => Promise.resolve({ stored: this.#sendCompaction(run, signal) }),
      { isLong: true },
    );
  }

  async #sendCompaction(row: RunRow, signal: AbortSignal): Promise<CompactionEntry> {
    const { log } = this.#engine;
    const { conversationId, workflowId, id: runId } = row;
    const messageId = newId();
    const about = { messageId, conversationId, workflowId, runId, at: new Date().toISOString(), parts: [] };
    // After a crash, the sweep finds the request of an ended workflow by this row.
    await log.save([{ table: 'open_message', key: messageId, row: about }]);
    const watchdog = new Watchdog(row.envelope.limits.inactivityMs, () => undefined);
    try {
      const emit = this.#emitFor(row);
      const run = await this.#loadEndedRun(row, watchdog, signal);
      return await compact(run, emit, { auto: false, tokensBefore: row.contextTokens ?? sizeOf(run) });
    } finally {
      watchdog.stop();
      await log.save([{ table: 'open_message', key: messageId, row: null }]);
    }
  }

  /** Loads the ended run for its compaction. No limit applies, because the person requested it. */
  async #loadEndedRun(row: RunRow, watchdog: Watchdog, signal: AbortSignal): Promise<CompactedRun> {
    const engine = this.#engine;
    const { envelope } = row;
    const model = await engine.model(envelope.provider, row.conversationId);
    const prior = await saidBefore(engine, { conversationId: row.conversationId, id: row.workflowId });
    const entries = await engine.store.entriesOf(row.id);
    const nothing = (): void => undefined;
    return {
      envelope,
      history: new Transcript(entries),
      prior,
      recorder: { publishSilence: nothing },
      requests: {
        model,
        contextWindow: engine.capabilities(envelope.provider, envelope.model).contextWindow,
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
        admit: (until: AbortSignal) => engine.requests.limiter(model.provider).acquire(model, until, { free: true }),
        price: (usage: ModelUsage) => engine.price(envelope.model, usage),
      },
      watchdog,
      limits: { admit: () => null, withdraw: nothing, noteMiscount: () => false },
      signal,
      planItems: row.plan ?? [],
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

function sizeOf({ envelope, prior, history }: CompactedRun): number {
  const messages = toldWire({ prior, entries: history.entries });
  return estimatedInput({ system: buildSystemPrompt(envelope), messages, tools: [] });
}

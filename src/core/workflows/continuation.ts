/** Continues work on request of the person: with higher limits, or another attempt of a sub-agent. */
import { isDeepStrictEqual } from 'node:util';
import { endedAtLimit } from '#contract/ended-at-limit.ts';
import { Budget } from '#contract/agent.ts';
import type { Entry } from '#contract/message.ts';
import { spawnItems } from '#contract/spawn-items.ts';
import type { RunRow, WorkflowRow } from '#contract/view.ts';
import { chainOf, chainsIn, isLeft } from './flows/chain.ts';
import { Exclusive } from '../base/exclusive.ts';
import type { Engine } from '../runs/engine.ts';
import { TriadError } from '../base/errors.ts';
import { limitNotice, limitText } from '#core/runs/budget/limit-notices.ts';
import { inputName } from '../base/problem-words.ts';
import { isAsSeen, type Orchestrator, type Seen, type Continuing } from './orchestrator.ts';
import { isRaised, limitsOf, raisedBy, reached, sumUse } from '#core/runs/budget/limits.ts';
import { refuseInTrash } from './trash.ts';
import { stopOf } from '../base/stop.ts';
import type { LiveRun } from '#core/runs/workflow/run-tree.ts';
import type { Workflow } from '#core/runs/workflow/workflow.ts';

type Ids = Pick<RunRow, 'id' | 'conversationId' | 'workflowId' | 'parentRunId' | 'agent'>;

/** The current limits of a run and of its workflow. */
interface Bounds {
  run: Budget;
  workflow: Budget;
}

/** The requested increase, and the limits that the person saw. */
interface More {
  add: Budget;
  seen: Budget;
}

/** Changes a workflow at once. Resolves when the change is stored. */
type Change = (workflow: Workflow) => Promise<void>;

export class Continuation {
  readonly #engine: Engine;
  readonly #orchestrator: Orchestrator;
  readonly #exclusive = new Exclusive('This is being done already');

  constructor(engine: Engine, orchestrator: Orchestrator) {
    this.#engine = engine;
    this.#orchestrator = orchestrator;
  }

  /**
   * Continues a sub-agent that did not complete from its last finished step. In a chain, continues the stage that did not
   * complete, for the id of any run of it. Rejects a concurrent call for the same run with `conflict`.
   */
  retry(runId: string): Promise<{ workflowId: string }> {
    const asked = this.#liveOf(runId);
    return this.#exclusive.run(runId, async () => {
      const row = await this.#lastOf(await this.#run(runId));
      refuseRetry(row);
      const workflow = await this.#workflow(row.workflowId);
      if (workflow.from) await this.#refuseUnapproved(row, workflow);
      refuseAtLimit(await this.#engine.store.entriesOf(row.id), {
        run: row.limits ?? limitsOf(row.envelope),
        workflow: this.#live(row.workflowId)?.budget.limits ?? workflow.budget ?? {},
      });
      await this.#tryAgain(row, asked);
      return { workflowId: row.workflowId };
    });
  }

  extendRun(runId: string, more: More): Promise<void> {
    const asked = this.#liveOf(runId);
    return this.#exclusive.run(runId, async () => {
      const row = await this.#run(runId);
      const { budget } = await this.#workflow(row.workflowId);
      const entries = await this.#engine.store.entriesOf(runId);
      // No wait from here to the change: what is seen now still holds then.
      const live = this.#live(row.workflowId);
      const approved = row.limits ?? limitsOf(row.envelope);
      const before = live?.budget.limitsOfRun(runId, approved) ?? approved;
      const limits = raised(before, more, row);
      const change = async (workflow: Workflow | undefined): Promise<void> => {
        workflow?.budget.raiseRun(runId, limits);
        await this.#record(row, 'run', limits);
      };
      const run = live?.runs.get(runId);
      const isOpen = row.outcome === null || row.outcome === 'interrupted';
      if (live && (run ? isOpen : row.outcome === 'interrupted')) {
        refuseEnding(run);
        return change(live);
      }
      if (run || live?.subAgents.awaitsRetry(runId)) throw new TriadError('conflict', 'It goes on already');
      if (row.outcome === 'interrupted')
        return this.#whileEnded(
          row.workflowId,
          row,
          () => this.#run(runId),
          () => change(undefined),
        );
      refuseServing(row);
      refuseCopied(row);
      refuseUnlessExceeded(row);
      refuseAtLimit(entries, { run: limits, workflow: live?.budget.limits ?? budget ?? {} });
      refuseTooLittle('run', limits, row);
      if (row.parentRunId === null) await this.#goOn(row.workflowId, { from: AT_LIMIT }, change);
      else await this.#tryAgain(row, asked, change);
    });
  }

  extendWorkflow(workflowId: string, more: More): Promise<void> {
    return this.#exclusive.run(workflowId, async () => {
      const row = await this.#workflow(workflowId);
      const lead = await this.#engine.store.run(row.runId);
      const last = lead && (await this.#lastRun(lead));
      const entries = await this.#engine.store.entriesOf(last?.id ?? row.runId);
      // No wait from here to the change: what is seen now still holds then.
      const live = this.#live(workflowId);
      const limits = raised(live?.budget.limits ?? row.budget ?? {}, more, row);
      const agent = lead?.agent ?? row.agents[0] ?? '';
      const ids = { id: row.runId, conversationId: row.conversationId, workflowId, parentRunId: null, agent };
      const change = async (workflow: Workflow | undefined): Promise<void> => {
        if (workflow) workflow.budget.raise(limits);
        await this.#record(ids, 'workflow', limits);
      };
      if (live) {
        refuseEnding(live.leadStage ?? live.runs.get(live.runs.leadRunId));
        return change(live);
      }
      if (row.outcome === 'interrupted')
        return this.#whileEnded(
          workflowId,
          row,
          () => this.#workflow(workflowId),
          () => change(undefined),
        );
      refuseUnlessExceeded(row);
      const run = last ? (last.limits ?? limitsOf(last.envelope)) : {};
      refuseAtLimit(entries, { run, workflow: limits });
      refuseTooLittle('workflow', limits, row);
      await this.#goOn(workflowId, { from: AT_LIMIT }, change);
    });
  }

  /**
   * Tries the run again beside its working lead, or continues the whole workflow. `asked`: the active workflow at the time
   * of the request, which may have been stopped since.
   */
  async #tryAgain(row: RunRow, asked: Workflow | undefined, change?: Change): Promise<void> {
    this.#orchestrator.refuseRealInDemo(row.envelope.provider);
    if (asked) refuseStopped(asked);
    const live = this.#live(row.workflowId);
    if (live) {
      refuseStopped(live);
      const isLive = live.runs.has(row.id) || live.runs.has(chainOf(row));
      if (live.subAgents.tryAgain(row, isLive)) return change?.(live);
      await live.runs.get(live.runs.leadRunId)?.done;
      refuseStopped(live);
    }
    const { runId, budget } = await this.#workflow(row.workflowId);
    const lead = await this.#engine.store.run(runId);
    if (lead && chainOf(row) !== lead.id) {
      refusePassedAnswer(lead);
      const bounds = { run: lead.limits ?? limitsOf(lead.envelope), workflow: budget ?? {} };
      refuseAtLimit(await this.#engine.store.entriesOf(runId), bounds, 'Its lead');
    }
    await this.#goOn(row.workflowId, { retry: row }, change);
  }

  async #goOn(workflowId: string, how: Omit<Continuing, 'begun'>, change?: Change): Promise<void> {
    let changed: Promise<void> | undefined;
    const begun = (workflow: Workflow): void => void (changed = change?.(workflow));
    await this.#orchestrator.continue(workflowId, { ...how, begun });
    await changed;
  }

  /** Runs `work` while the workflow cannot be continued. `read`: reads again what was seen, to detect a change. */
  #whileEnded(workflowId: string, seen: Seen, read: () => Promise<Seen>, work: () => Promise<void>) {
    return this.#orchestrator.whileEnded(workflowId, async () => {
      if (!isAsSeen(await read(), seen)) throw new TriadError('conflict', 'It went on meanwhile');
      await work();
    });
  }

  #live(workflowId: string): Workflow | undefined {
    return this.#orchestrator.active().find(({ id }) => id === workflowId);
  }

  #liveOf(runId: string): Workflow | undefined {
    return this.#orchestrator.active().find(({ subAgents }) => subAgents.get(runId));
  }

  async #record({ id, ...ids }: Ids, of: 'run' | 'workflow', limits: Budget): Promise<void> {
    const { conversationId, workflowId, parentRunId, agent } = ids;
    const at = new Date().toISOString();
    const who = { at, conversationId, workflowId, runId: id, parentRunId, agent };
    await this.#engine.log.open(conversationId);
    await this.#engine.log.append({ type: 'limit-change', ...who, of, limits });
  }

  async #run(runId: string): Promise<RunRow> {
    const row = await this.#engine.store.run(runId);
    if (!row) throw new TriadError('not_found', `There is no run ${runId}`);
    return row;
  }

  /** Throws `conflict` for a sub-agent that a fork has copied and whose start was not approved there. */
  async #refuseUnapproved(row: RunRow, workflow: WorkflowRow): Promise<void> {
    const first = chainOf(row);
    // The stages of a lead need no approval.
    if (first === workflow.runId) return;
    const approvals = await this.#engine.store.approvalsOf([workflow.id]);
    const isApproved = approvals.some(({ request, decisions }) =>
      spawnItems(request.subject).some(({ runId }, item) => runId === first && decisions[item]?.allowed),
    );
    if (!isApproved) refuseToRetry('This agent was never approved');
  }

  /** Returns the current run of a chain: the run itself or, if it has completed, the last queued stage. */
  async #lastOf(row: RunRow): Promise<RunRow> {
    if (row.outcome !== 'completed' || row.envelope.stages.length === 0) return row;
    const stages = await this.#stagesAfter(row);
    const last = stages.at(-1) ?? row;
    if (last.outcome === 'completed' && isLeft(row, stages))
      throw new TriadError('conflict', 'Its next stage has not started: it does when the workflow goes on');
    return last;
  }

  /** Returns the last queued run of a chain. */
  async #lastRun(row: RunRow): Promise<RunRow> {
    return row.envelope.stages.length === 0 ? row : ((await this.#stagesAfter(row)).at(-1) ?? row);
  }

  async #stagesAfter(row: RunRow): Promise<RunRow[]> {
    return chainsIn(await this.#engine.store.runsOf([row.workflowId])).get(row.id) ?? [];
  }

  /** Loads a workflow. Throws if it is in the trash. */
  async #workflow(workflowId: string): Promise<WorkflowRow> {
    const { store } = this.#engine;
    const row = await store.workflow(workflowId);
    // If its conversation is deleted, the rest of the workflow will be deleted soon.
    const conversation = row && (await store.conversation(row.conversationId));
    if (!conversation) throw new TriadError('not_found', `There is no workflow ${workflowId}`);
    refuseInTrash(conversation);
    return row;
  }
}

function raised(before: Budget, { add, seen }: More, { usage, workedMs }: Pick<RunRow, 'usage' | 'workedMs'>): Budget {
  if (Object.keys(add).length === 0)
    throw new TriadError('bad_input', 'Nothing was added: say what there should be more of');
  if (!isDeepStrictEqual(before, seen))
    throw new TriadError('conflict', 'Its limits were changed meanwhile: look at them, and ask again');
  const whole = Budget.safeParse(raisedBy(before, add, sumUse(usage, workedMs ?? 0)));
  if (whole.success) return whole.data;
  const [issue] = whole.error.issues;
  throw new TriadError(
    'bad_input',
    `${inputName(issue?.path ?? [], 'The limit')}, with what is added, ${issue?.message}`,
  );
}

/** Throws `conflict` for a run that cannot be tried again. */
function refuseRetry(row: RunRow): void {
  refuseServing(row);
  refuseCopied(row);
  const { kind, parentRunId, attempt, outcome, status } = row;
  if (parentRunId === null) refuseToRetry('This is the lead, and only a sub-agent can be tried again');
  if (outcome === 'completed') refuseToRetry('This agent has completed its task');
  if (attempt === 0 && outcome === null) refuseToRetry('This agent still waits for a yes, or for its turn');
  // A stage that was stopped before its start has the approval of its chain.
  if (attempt === 0 && kind !== 'chain')
    refuseToRetry(outcome === 'rejected' ? 'This agent was never approved' : 'This agent was never started');
  if (outcome === null) refuseToRetry(`This agent is ${status}`);
}

function refuseToRetry(why: string): never {
  throw new TriadError('conflict', `${why}: there is nothing to try again`);
}

/** Throws `conflict` for a coagent: only the reviewed run can continue, and hand the work over again. */
function refuseServing({ kind, parentChain }: RunRow): void {
  if (kind !== 'coagent') return;
  throw new TriadError('conflict', `It serves the run of ${parentChain.at(-2)}: try that one again`);
}

/** Throws `conflict` for a copied run: its start was not approved in this conversation. */
function refuseCopied({ copiedFrom }: RunRow): void {
  if (copiedFrom)
    throw new TriadError('conflict', `This is a copy: it can go on in session ${copiedFrom.conversationId} alone`);
}

/** Throws `conflict` if the stages of a lead have its answer: a later report of a sub-agent would not reach them. */
function refusePassedAnswer({ agent, outcome, envelope: { stages } }: RunRow): void {
  if (outcome !== 'completed' || stages.length === 0) return;
  throw new TriadError('conflict', `${agent} has passed its answer to ${stages[0]!.agent}: it reads no further report`);
}

/** Throws `conflict` if the person stopped the workflow after the request. */
function refuseStopped({ runs: { controller } }: Workflow): void {
  if (controller.signal.aborted && stopOf(controller.signal).code === 'cancelled')
    throw new TriadError('conflict', 'This workflow was stopped just now');
}

function refuseEnding(run: LiveRun | undefined): void {
  if (run?.ending) throw new TriadError('conflict', ENDING);
}

const ENDING = 'It has just ended: look at how, and ask again';

/** Outcomes of a run that ended at a limit. */
const AT_LIMIT = ['budget_exceeded', 'timed_out'] as const;

type Ended = Pick<RunRow, 'outcome' | 'error' | 'status' | 'attempt'>;

function refuseUnlessExceeded({ outcome, error, status, attempt }: Ended): void {
  if (endedAtLimit({ outcome, error })) return;
  if (outcome === null && attempt > 0) throw new TriadError('conflict', ENDING);
  if (outcome === null)
    throw new TriadError(
      'conflict',
      'It has not started yet: its limits stand in its question, and can be changed there',
    );
  throw new TriadError(
    'conflict',
    `Only what is running or ended at its limit can have more; this is ${outcome ?? status}`,
  );
}

/** Throws `conflict` if the new limit is already used: the run would end at once. */
function refuseTooLittle(
  of: 'run' | 'workflow',
  { iterations: _, ...limits }: Budget,
  { usage, workedMs }: Pick<RunRow, 'usage' | 'workedMs'>,
): void {
  const bound = reached(of, limits, sumUse(usage, workedMs ?? 0));
  if (bound) throw new TriadError('conflict', `More than ${limitText(bound)} is used already: add more`);
}

/** Throws `conflict` if the work ended at a limit that was not raised: it would end there again. */
function refuseAtLimit(entries: readonly Entry[], bounds: Bounds, who = 'It'): void {
  const told = limitNotice(entries);
  if (!told || isRaised(told.bound, bounds[told.bound.of])) return;
  throw new TriadError('conflict', `${who} ended at the limit of ${limitText(told.bound)}: raise that one first`);
}

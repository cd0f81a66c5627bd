/** Second chances that a person gives: more of what is bounded, and another attempt of a sub-agent. */
import { Budget } from '#contract/agent.ts';
import type { Entry } from '#contract/message.ts';
import type { RunRow, WorkflowRow } from '#contract/view.ts';
import { Claims } from './claims.ts';
import type { Engine } from './engine.ts';
import { TriadError } from './errors.ts';
import { limitTold, wordsOf } from './limit-words.ts';
import type { Orchestrator } from './orchestrator.ts';
import { isRaised, limitsOf, raisedBy, reached, usedOf } from './spending.ts';
import { refuseInTrash } from './trash.ts';
import type { Workflow } from './workflow.ts';

type Ids = Pick<RunRow, 'id' | 'conversationId' | 'workflowId' | 'parentRunId' | 'agent'>;

/** What holds for a run now: its own bounds and those of its workflow. */
interface Bounds {
  run: Budget;
  workflow: Budget;
}

export class Continuation {
  readonly #engine: Engine;
  readonly #orchestrator: Orchestrator;
  readonly #claims = new Claims('This is being done already');

  constructor(engine: Engine, orchestrator: Orchestrator) {
    this.#engine = engine;
    this.#orchestrator = orchestrator;
  }

  /** A sub-agent that did not complete goes on from its last finished step; of two who ask at the same time one is refused. */
  retry(runId: string): Promise<{ workflowId: string }> {
    return this.#claims.hold(runId, async () => {
      const row = await this.#run(runId);
      refuseRetry(row);
      const workflow = await this.#workflow(row.workflowId);
      refuseAtLimit(await this.#engine.store.entriesOf(runId), {
        run: row.limits ?? limitsOf(row.envelope),
        workflow: this.#live(row.workflowId)?.spending.limits ?? workflow.budget ?? {},
      });
      await this.#tryAgain(row);
      return { workflowId: row.workflowId };
    });
  }

  extendRun(runId: string, add: Budget): Promise<void> {
    return this.#claims.hold(runId, async () => {
      const row = await this.#run(runId);
      const live = this.#live(row.workflowId);
      const { budget } = await this.#workflow(row.workflowId);
      const before = live?.raised.get(runId) ?? row.limits ?? limitsOf(row.envelope);
      const limits = raised(before, add, row);
      const change = async (workflow: Workflow | undefined): Promise<void> => {
        workflow?.raised.set(runId, limits);
        await this.#record(row, 'run', limits);
      };
      if (live?.runs.has(runId) || row.outcome === 'interrupted') return change(live);
      refuseUnlessExceeded(row);
      const bounds = { run: limits, workflow: live?.spending.limits ?? budget ?? {} };
      refuseAtLimit(await this.#engine.store.entriesOf(runId), bounds);
      refuseTooLittle('run', limits, row);
      if (row.parentRunId === null) await this.#goOn(row.workflowId, change);
      else {
        if (!live) this.#orchestrator.refuseRealInDemo(row.envelope.provider);
        await change(live);
        await this.#tryAgain({ ...row, limits });
      }
    });
  }

  extendWorkflow(workflowId: string, add: Budget): Promise<void> {
    return this.#claims.hold(workflowId, async () => {
      const row = await this.#workflow(workflowId);
      const live = this.#live(workflowId);
      const limits = raised(live?.spending.limits ?? row.budget ?? {}, add, row);
      const lead = await this.#engine.store.run(row.runId);
      const agent = lead?.agent ?? row.agents[0] ?? '';
      const ids = { id: row.runId, conversationId: row.conversationId, workflowId, parentRunId: null, agent };
      const change = async (workflow: Workflow | undefined): Promise<void> => {
        if (workflow) workflow.spending.limits = limits;
        await this.#record(ids, 'workflow', limits);
      };
      if (live || row.outcome === 'interrupted') return change(live);
      refuseUnlessExceeded(row);
      const run = lead ? (lead.limits ?? limitsOf(lead.envelope)) : {};
      refuseAtLimit(await this.#engine.store.entriesOf(row.runId), { run, workflow: limits });
      refuseTooLittle('workflow', limits, row);
      await this.#goOn(workflowId, change);
    });
  }

  /** Beside the lead where that works still, else with the whole workflow, which goes on for it. */
  async #tryAgain(row: RunRow): Promise<void> {
    const live = this.#live(row.workflowId);
    if (live?.runs.has(row.id)) throw new TriadError('conflict', 'This agent is running already');
    if (live?.retry?.(row)) return;
    await live?.runs.get(live.leadRunId)?.done;
    const { runId, budget } = await this.#workflow(row.workflowId);
    const lead = await this.#engine.store.run(runId);
    if (lead) {
      const bounds = { run: lead.limits ?? limitsOf(lead.envelope), workflow: budget ?? {} };
      refuseAtLimit(await this.#engine.store.entriesOf(runId), bounds, 'Its lead');
    }
    await this.#orchestrator.takeUp(row.workflowId, { retry: row });
  }

  async #goOn(workflowId: string, change: (workflow: Workflow) => Promise<void>): Promise<void> {
    let changed: Promise<void> | undefined;
    const begun = (workflow: Workflow): void => void (changed = change(workflow));
    await this.#orchestrator.takeUp(workflowId, { from: ['budget_exceeded'], begun });
    await changed;
  }

  #live(workflowId: string): Workflow | undefined {
    return this.#orchestrator.active().find(({ id }) => id === workflowId);
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

  /** Throws where it is in the trash. */
  async #workflow(workflowId: string): Promise<WorkflowRow> {
    const { store } = this.#engine;
    const row = await store.workflow(workflowId);
    // Where its conversation is gone for good, what is left of it goes too.
    const conversation = row && (await store.conversation(row.conversationId));
    if (!conversation) throw new TriadError('not_found', `There is no workflow ${workflowId}`);
    refuseInTrash(conversation);
    return row;
  }
}

function raised(
  before: Budget,
  add: Budget,
  { usage, workedMs }: Pick<RunRow, 'usage' | 'workedMs'>,
): Budget {
  if (Object.keys(add).length === 0)
    throw new TriadError('bad_input', 'add: name what there should be more of');
  const whole = Budget.safeParse(raisedBy(before, add, usedOf(usage, workedMs ?? 0, usage.requests)));
  if (whole.success) return whole.data;
  const [issue] = whole.error.issues;
  throw new TriadError('bad_input', `add.${issue?.path.join('.')}: the sum ${issue?.message}`);
}

function refuseRetry({ parentRunId, attempt, outcome, status }: RunRow): void {
  const refuse = (why: string): never => {
    throw new TriadError('conflict', `${why}: there is nothing to try again`);
  };
  if (parentRunId === null) refuse('This is the lead, and only a sub-agent can be tried again');
  if (outcome === 'completed') refuse('This agent has completed its task');
  if (attempt === 0 && outcome === null) refuse('This agent still waits for a yes, or for its turn');
  if (attempt === 0)
    refuse(outcome === 'rejected' ? 'This agent was never approved' : 'This agent was never started');
  if (outcome === null) refuse(`This agent is ${status}`);
}

function refuseUnlessExceeded({ outcome, status }: { outcome: string | null; status: string }): void {
  if (outcome === 'budget_exceeded') return;
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

/** More than was used already, or it would be at its limit again before it has begun. */
function refuseTooLittle(
  of: 'run' | 'workflow',
  { iterations: _, ...limits }: Budget,
  { usage, workedMs }: Pick<RunRow, 'usage' | 'workedMs'>,
): void {
  const bound = reached(of, limits, usedOf(usage, workedMs ?? 0, usage.requests));
  if (bound) throw new TriadError('conflict', `More than ${wordsOf(bound)} is used already: add more`);
}

/** What ended at a bound that still holds would only end there again. */
function refuseAtLimit(entries: readonly Entry[], bounds: Bounds, who = 'It'): void {
  const told = limitTold(entries);
  if (!told || isRaised(told.bound, bounds[told.bound.of])) return;
  throw new TriadError(
    'conflict',
    `${who} ended at the limit of ${wordsOf(told.bound)}: raise that one first`,
  );
}

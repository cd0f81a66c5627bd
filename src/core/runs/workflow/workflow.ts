/** One workflow while it lives: what its runs share, and the sub-agents that its lead has asked for. */
import type { ApprovePolicy, Budget } from '#contract/agent.ts';
import type { FailureContext, RequestUsage, SubAgentSummary } from '#contract/event.ts';
import type { Word } from '#contract/message.ts';
import type { Tally } from '#contract/outcome.ts';
import type { AgentRegistry } from '#core/agents/registry.ts';
import { LimitQuestions } from '../budget/limit-questions.ts';
import { WorkflowBudget } from '../budget/workflow-budget.ts';
import { Listeners } from '#core/base/listeners.ts';
import { WorkflowTotals } from '#core/store/log/workflow-totals.ts';
import type { Engine } from '../engine.ts';
import { PersonWords } from './person-words.ts';
import { type LiveRun, RunTree } from './run-tree.ts';
import type { Settings } from '#core/settings/settings.ts';
import { Roster } from './roster.ts';

/** What a workflow is made from: its settings, and what earlier attempts of it left. */
interface Parts {
  id: string;
  conversationId: string;
  leadRunId: string;
  title: string;
  approve: ApprovePolicy;
  agents: AgentRegistry;
  limits: () => Settings['limits'];
  maxSubAgents: number;
  maxConcurrent: number;
  budget: Budget;
  price: Engine['price'];
  gate: Engine['gate'];
  /** Of earlier attempts: its sub-agents, how many of them hold a slot, and what was used. */
  subAgents: readonly SubAgentSummary[];
  taken: number;
  tally: Tally;
  workedMs: number;
  requests: readonly (RequestUsage & { runId: string })[];
  /** By run id: limits that the person raised, what it said to it, and where each queued run stands. */
  raised: Iterable<readonly [string, Budget]>;
  said: Iterable<readonly [string, readonly Word[]]>;
  failureContexts: Iterable<readonly [string, FailureContext]>;
}

export class Workflow {
  readonly id: string;
  readonly conversationId: string;
  readonly title: string;
  readonly approve: ApprovePolicy;
  /** Who can be asked in it, as it was when it started: what is changed meanwhile counts for the next. */
  readonly agents: AgentRegistry;
  /** The limits of the settings, lowered by what its project said when it started. */
  readonly limits: () => Settings['limits'];
  readonly runs: RunTree;
  readonly record: WorkflowTotals;
  readonly budget: WorkflowBudget;
  readonly limitQuestions: LimitQuestions;
  readonly words: PersonWords;
  readonly subAgents: Roster;
  /** Lets the person send waiting requests again at once. */
  readonly tryNow = new Listeners();

  constructor(parts: Parts) {
    this.id = parts.id;
    this.conversationId = parts.conversationId;
    this.title = parts.title;
    this.approve = parts.approve;
    this.agents = parts.agents;
    this.limits = parts.limits;
    const record = new WorkflowTotals(parts.tally, parts.failureContexts);
    this.record = record;
    this.runs = new RunTree(parts.leadRunId);
    this.budget = new WorkflowBudget({ ...parts, limits: parts.budget, tally: () => record.tally });
    this.limitQuestions = new LimitQuestions({
      gate: parts.gate,
      policy: parts.approve,
      budget: this.budget,
      answerMs: () => parts.limits().approval_seconds * 1000,
    });
    this.words = new PersonWords(parts.said);
    this.subAgents = new Roster(parts);
  }

  /** The running stage of the lead. */
  get leadStage(): LiveRun | undefined {
    const { leadRunId } = this.runs;
    const isStage = ({ runId }: LiveRun): boolean => this.subAgents.get(runId)?.kind === 'chain';
    return this.runs.childrenOf(leadRunId).find(isStage);
  }

  /** Its temporary agents: those that work or may begin, and, forgotten from now on, how many others were left. */
  cleanupTemporary(): { removed: number; working: { runId: string; agent: string }[] } {
    const mayWork = ({ runId, outcome }: SubAgentSummary): boolean =>
      outcome === null || outcome === 'interrupted' || this.runs.has(runId);
    const spawned = this.subAgents.summaries().filter(({ kind }) => kind === 'spawn');
    const working = spawned.filter(mayWork).map(({ runId, agent }) => ({ runId, agent }));
    const left = this.agents.temporary().filter((key) => working.every(({ runId }) => runId !== key));
    return { removed: this.agents.cleanupTemporary(left), working };
  }
}

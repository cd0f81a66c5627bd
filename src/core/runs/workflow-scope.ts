/** What the runs of one workflow share: who answers their questions, the tree of them, their record and what they spend. */
import type { ApprovePolicy } from '#contract/agent.ts';
import type { AgentRegistry } from '../agents/registry.ts';
import type { LimitQuestions } from '../approvals/limit-questions.ts';
import type { WorkflowBudget } from '../budget/workflow-budget.ts';
import type { Listeners } from '../base/listeners.ts';
import type { WorkflowTotals } from '../log/workflow-totals.ts';
import type { Settings } from '../settings/settings.ts';
import type { PersonWords } from './person-words.ts';
import type { RunTree } from './run-tree.ts';

export interface WorkflowScope {
  readonly approve: ApprovePolicy;
  /** Who can be asked in it. */
  readonly agents: AgentRegistry;
  /** The limits of the settings, lowered by what its project said when it started. */
  readonly limits: () => Settings['limits'];
  readonly runs: RunTree;
  readonly record: WorkflowTotals;
  readonly budget: WorkflowBudget;
  readonly limitQuestions: LimitQuestions;
  readonly words: PersonWords;
  /** Lets the person send waiting requests again at once. */
  readonly tryNow: Listeners;
}

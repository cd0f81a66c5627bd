/** Everything that waits for the person, in the one order in which every screen lists it. Pure. */
import type { Attention, Interrupted } from '#contract/view.ts';
import { waitsWithoutEnd } from '#contract/spawn-items.ts';
import { questionsOf, type Question } from './phase.ts';

interface Entry {
  /** Unique among all that waits. */
  key: string;
  /** Since when, as an ISO instant. */
  at: string;
  /** Null for what belongs to none. */
  conversationId: string | null;
}

export type Waiting =
  | (Entry & { kind: 'question'; question: Question })
  | (Entry & { kind: 'interrupted'; work: Interrupted })
  | (Entry & { kind: 'sign-in'; server: string });

const RISKS = ['high', 'medium', 'low'] as const;

/** How far in front: what cannot be undone, then by risk; the smaller the further. */
function rankOf({ approval, risk }: Pick<Question, 'approval' | 'risk'>): number {
  return approval.request.reversible ? RISKS.indexOf(risk) + 1 : 0;
}

/** By risk, what cannot be undone first, then by age; those of a batch stay in its order. */
function inOrder(a: Waiting, b: Waiting): number {
  const byAge = a.at.localeCompare(b.at);
  return weightOf(a) - weightOf(b) || byAge || itemOf(a) - itemOf(b);
}

const weightOf = (entry: Waiting): number => (entry.kind === 'question' ? rankOf(entry.question) : RISKS.length);
const itemOf = (entry: Waiting): number => (entry.kind === 'question' ? entry.question.item : 0);

const asEntry = (question: Question): Waiting => ({
  kind: 'question',
  key: question.key,
  at: question.at,
  conversationId: question.approval.request.conversationId,
  question,
});

/** The question whose time runs out first, in the order of the list where several do; null where none has a time. */
export function soonestOf(questions: readonly Question[]): Question | null {
  const timed = questions.filter(({ asleep, approval }) => !asleep && !waitsWithoutEnd(approval.request.subject));
  const left = ({ approval }: Question): number => approval.request.remainingMs;
  return timed.reduce<Question | null>((first, one) => (first && left(first) <= left(one) ? first : one), null);
}

/**
 * What holds up work comes first, because its time runs; then what waits as long as it has to: questions of interrupted
 * workflows, such workflows without a question, sign-ins. Both by risk, then by age.
 */
export function waitingList({ questions, asleep, interrupted = [], signIns = [] }: Attention): Waiting[] {
  const sleeping = questionsOf(asleep, true).map(asEntry);
  const asked = new Set(asleep.map(({ request }) => request.workflowId));
  // The answer to its question resumes it.
  const others = interrupted.filter(({ workflowId }) => !asked.has(workflowId));
  const patient: Waiting[] = [
    ...sleeping,
    ...others.map((work): Waiting => {
      const { workflowId: key, at, conversationId } = work;
      return { kind: 'interrupted', key, at, conversationId, work };
    }),
    ...signIns.map(({ server, at }): Waiting => {
      return { kind: 'sign-in', key: `sign-in/${server}`, at, conversationId: null, server };
    }),
  ];
  return [...questionsOf(questions).map(asEntry).sort(inOrder), ...patient.sort(inOrder)];
}

/** What happened in a workflow step by step: the events that change what a person sees, and the places to go to. Pure. */
import type { ApprovalRequest, Decision } from '#contract/approval.ts';
import type { DurableEvent } from '#contract/event.ts';
import { type AgentMark, agentMarkOf } from '#contract/flows/agent-mark.ts';
import { isSubAgent } from '#contract/flows/serving.ts';
import type { AssistantEntry, HandoffEntry, SystemEntry, ToolStatus } from '#contract/message.ts';
import type { Outcome } from '#contract/outcome.ts';
import type { RunRow } from '#contract/view.ts';
import { firstLine } from '#contract/messages/short-text.ts';
import { lineOf } from '../title.ts';
import { mainArgument } from '../transcript.ts';

/** What happened; `said.calls`: how many calls the message asks for. */
type Happening =
  | { kind: 'sent' | 'undone' | 'redone' | 'writes' | 'explains' | 'compacts' | 'plans' | 'limits' | 'retries' }
  | { kind: 'resumed' | 'started'; attempt: number }
  | { kind: 'ended' | 'done'; outcome: Outcome }
  | { kind: 'asks'; request: ApprovalRequest }
  | { kind: 'decided'; request: ApprovalRequest; decision: Decision }
  | { kind: 'askedBack' | 'word' | 'notice'; text: string }
  | { kind: 'said'; text: string; calls: number }
  | { kind: 'remark'; entry: SystemEntry }
  | { kind: 'call'; name: string; argument: string }
  | { kind: 'result'; name: string; status: ToolStatus }
  | { kind: 'handoff'; entry: HandoffEntry };

export interface Step {
  /** How many events have happened then, this one included. */
  count: number;
  /** In milliseconds since 1970. */
  at: number;
  runId: string;
  agent: string;
  what: Happening;
}

/** `times`: when each event happened. */
export function stepsOf(events: readonly DurableEvent[], times: readonly number[]): Step[] {
  const asked = new Map<string, ApprovalRequest>();
  return events.flatMap((event, index): Step[] => {
    if (event.type === 'approval-request') asked.set(event.approval.id, event.approval);
    const what = happening(event, asked);
    const { runId, agent } = event;
    return what ? [{ count: index + 1, at: times[index] ?? 0, runId, agent, what }] : [];
  });
}

/** Null for what only the books are told of. */
function happening(event: DurableEvent, asked: ReadonlyMap<string, ApprovalRequest>): Happening | null {
  switch (event.type) {
    case 'workflow-start':
      return event.attempt > 1 ? { kind: 'resumed', attempt: event.attempt } : { kind: 'sent' };
    case 'workflow-end':
      return { kind: 'done', outcome: event.outcome };
    case 'run-start':
      return { kind: 'started', attempt: event.attempt };
    case 'run-end':
      return { kind: 'ended', outcome: event.outcome };
    case 'message-start':
      return { kind: 'writes' };
    case 'message-end':
      return ended(event.entry);
    case 'tool-start':
      return { kind: 'call', name: event.name, argument: mainArgument(event.input) };
    case 'tool-end':
      return { kind: 'result', name: event.entry.name, status: event.entry.status };
    case 'handoff':
      return { kind: 'handoff', entry: event.entry };
    case 'approval-request':
      return { kind: 'asks', request: event.approval };
    case 'approval-decide': {
      const request = asked.get(event.approvalId);
      return request ? { kind: 'decided', request, decision: event.decision } : null;
    }
    default:
      return besides(event);
  }
}

/** What happens beside the work itself. */
function besides(event: DurableEvent): Happening | null {
  switch (event.type) {
    case 'context-request':
      return { kind: 'askedBack', text: firstLine(event.context.question) };
    case 'context-end':
      return { kind: 'explains' };
    case 'compaction':
      return { kind: 'compacts' };
    case 'retry':
      return { kind: 'retries' };
    case 'plan-change':
      return { kind: 'plans' };
    case 'limit-change':
      return { kind: 'limits' };
    case 'run-say':
      return { kind: 'word', text: firstLine(event.text) };
    case 'notice':
      return { kind: 'notice', text: firstLine(event.text) };
    case 'change-undo':
      return { kind: event.undone ? 'undone' : 'redone' };
    default:
      return null;
  }
}

/** What an agent is told begins with the step that says so. */
function ended(entry: Extract<DurableEvent, { type: 'message-end' }>['entry']): Happening | null {
  if (entry.kind === 'system') return { kind: 'remark', entry };
  return entry.kind === 'assistant' ? said(entry) : null;
}

function said({ parts }: AssistantEntry): Happening {
  const text = parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('');
  return { kind: 'said', text: lineOf(firstLine(text)), calls: parts.filter(({ type }) => type === 'tool_use').length };
}

/** Index of the step that was the last one after so many events; -1 before the first. */
export function stepAfter(steps: readonly Step[], count: number): number {
  let [low, high] = [0, steps.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((steps[middle]?.count ?? Infinity) <= count) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** A place on the scrubber that is worth a look. */
export interface Mark {
  kind: 'start' | 'ask' | 'end' | 'done';
  /** From 0 to 1. */
  place: number;
  /** Whose; null for the person's message and the end of all. */
  mark: AgentMark | null;
  /** Index among the steps. */
  step: number;
}

/** Marks of one kind that stand nearer to each other are one: nobody could tell them apart. */
const NEAR = 0.004;

/** Starts and ends of sub-agents, questions and the end. `runs`: all of the workflow. */
export function marksOf(steps: readonly Step[], runs: readonly RunRow[], place: (at: number) => number): Mark[] {
  const subAgents = new Set(runs.flatMap((run) => (isSubAgent(run) ? [run.id] : [])));
  const last = new Map<string, number>();
  return steps.flatMap(({ at, runId, what }, step): Mark[] => {
    const kind = markKind(what, subAgents.has(runId));
    if (kind === null) return [];
    const here = place(at);
    const mark = kind === 'done' ? null : agentMarkOf(runs, runId);
    const before = last.get(`${kind} ${mark}`);
    if (before !== undefined && here - before < NEAR) return [];
    last.set(`${kind} ${mark}`, here);
    return [{ kind, place: here, mark, step }];
  });
}

function markKind(what: Happening, ofSubAgent: boolean): Mark['kind'] | null {
  if (what.kind === 'asks') return 'ask';
  if (what.kind === 'done') return 'done';
  if (!ofSubAgent) return null;
  return what.kind === 'started' ? 'start' : what.kind === 'ended' ? 'end' : null;
}

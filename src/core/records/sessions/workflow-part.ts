/** Renders the part of a session's files about one workflow; constant once the workflow has ended. Pure. */
import { notesOf } from '#contract/call-row.ts';
import { cutText } from '#contract/cut-text.ts';
import type { AssistantEntry, Entry } from '#contract/message.ts';
import type { Outcome, Status } from '#contract/outcome.ts';
import type { RunRow, ToolCallRow } from '#contract/view.ts';
import type { WorkflowRows } from '../../store/check.ts';
import { code, inline, leftOut, lines, quote, seconds, used, wrote } from '../markdown-parts.ts';
import { instructionItems } from '../instructions-part.ts';
import { agentFileOf, noteLink, wikilink } from './names.ts';
import { questionsOf } from './questions-part.ts';
import { reviewsOf } from './reviews-part.ts';
import { tokensOf } from './tokens.ts';
import { maxQueueDepth, type TraceEntry, traceEntries } from './trace-entries.ts';

export interface WorkflowPart {
  id: string;
  status: Status;
  outcome: Outcome | null;
  startedAt: string;
  endedAt: string | null;
  /** The lead's model; null before its run was queued. */
  model: string | null;
  /** Links to its sub-agents' files. */
  links: string[];
  trace: TraceEntry[];
  maxQueueDepth: number;
  /** Markdown of its section, without the heading. */
  body: string;
}

/** `folder`: name of the session's folder. */
export function workflowPart(record: WorkflowRows, folder: string): WorkflowPart {
  const { workflow, runs, approvals } = record;
  const lead = runs.find(({ parentRunId }) => parentRunId === null);
  const children = runs.filter(({ parentRunId }) => parentRunId !== null);
  return {
    id: workflow.id,
    status: workflow.status,
    outcome: workflow.outcome,
    startedAt: workflow.createdAt,
    endedAt: workflow.endedAt,
    model: lead?.envelope.model ?? null,
    links: children.map((run) => wikilink(folder, agentFileOf(run))),
    trace: traceEntries(runs, approvals),
    maxQueueDepth: maxQueueDepth(children),
    body: bodyOf(record, lead, children, folder),
  };
}

function bodyOf(
  { workflow, approvals, calls, entries }: WorkflowRows,
  lead: RunRow | undefined,
  children: readonly RunRow[],
  folder: string,
): string {
  const { id, createdAt, endedAt, durationMs, usage, subAgentCount, attempt, error, text, outcome } = workflow;
  const linked = children.map((run) => ({ run, line: linkOf(run, folder) }));
  const own = calls.filter(({ runId }) => runId === lead?.id);
  const steps = stepsOf(lead ? (entries.get(lead.id) ?? []) : [], own, linked);
  const reviews = lead ? reviewsOf(lead) : [];
  const questions = questionsOf(workflow.runId, approvals);
  const told = lead ? instructionItems(lead.envelope) : [];
  return lines([
    `- Workflow: ${code(id)}${attempt > 1 ? `, attempt ${attempt}` : ''}`,
    `- Started: ${createdAt}${endedAt === null ? '' : `, ended: ${endedAt}`}${seconds(durationMs)}`,
    `- Sub-agents: ${subAgentCount}`,
    `- Used: ${used(usage)}`,
    ...notesOfWorkflow(calls),
    ...leftOut(workflow),
    ...['', '### Query', '', quote(workflow.prompt)],
    ...(told.length > 0 ? ['', '### Told by the project', ...told] : []),
    ...steps,
    ...(questions.length > 0 ? ['', '### Questions', ...questions] : []),
    ...(reviews.length > 0 ? ['', '### Reviews', ...reviews] : []),
    ...(error ? ['', '### Error', '', `${code(error.code)}: ${inline(error.message)}`] : []),
    ...(text === '' && outcome === null ? [] : ['', '### Answer', '', text === '' ? 'None.' : quote(text)]),
  ]);
}

/** Of its agents, as links from the folder that they worked in. */
function notesOfWorkflow(calls: readonly ToolCallRow[]): string[] {
  const { read, written } = notesOf(calls);
  const line = (name: string, paths: readonly string[]): string[] =>
    paths.length === 0 ? [] : [`- Notes ${name}: ${paths.map((path) => noteLink(path)).join(', ')}`];
  return [...line('read', read), ...line('written', written)];
}

interface Linked {
  run: RunRow;
  line: string;
}

/** One step for each response of the lead with tool calls: its text and the calls. */
function stepsOf(entries: readonly Entry[], rows: readonly ToolCallRow[], linked: readonly Linked[]): string[] {
  const results = new Map(
    entries.flatMap((entry) => (entry.kind === 'tool' ? [[entry.toolCallId, entry] as const] : [])),
  );
  const responses = entries.filter(
    (entry): entry is AssistantEntry =>
      entry.kind === 'assistant' && !entry.interrupted && entry.parts.some(({ type }) => type === 'tool_use'),
  );
  const told = new Set<string>();
  const steps = responses.map(({ parts, cut }, index) => {
    const words = parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n\n');
    const calls = parts.flatMap((part) => {
      if (part.type !== 'tool_use') return [];
      const own = linked.filter(({ run }) => run.toolCallId === part.id);
      for (const { run } of own) told.add(run.id);
      if (own.length > 0) return own.map(({ line }) => line);
      const result = results.get(part.id);
      const file = wrote(rows.find(({ toolCallId }) => toolCallId === part.id));
      const end = `${result ? result.status : 'not done'}${seconds(result?.durationMs ?? null)}`;
      return [`- ${code(part.name)}: ${end}${file === null ? '' : `, wrote ${file}`}`];
    });
    return [
      '',
      `### Step ${index + 1}`,
      '',
      ...(words.trim() === '' ? [] : [quote(words), '']),
      ...calls,
      ...(cut ? ['', inline(cutText(cut))] : []),
    ];
  });
  // Started by a response whose end was never recorded.
  const others = linked.filter(({ run }) => !told.has(run.id)).map(({ line }) => line);
  return [...steps.flat(), ...(others.length > 0 ? ['', '### Further sub-agents', '', ...others] : [])];
}

function linkOf(run: RunRow, folder: string): string {
  const { agent, title, kind, outcome, status, durationMs, usage } = run;
  const tokens = tokensOf(usage).toLocaleString('en-US');
  return `- ${wikilink(folder, agentFileOf(run), agent)}, ${kind}, ${inline(title)}: ${outcome ?? status}${seconds(durationMs)}, ${tokens} tokens`;
}

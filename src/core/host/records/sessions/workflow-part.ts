/** Renders the part of a session's files about one workflow; constant once the workflow has ended. Pure. */
import type { ModelOrigin } from '#contract/agent.ts';
import { isReported, isSubAgent } from '#contract/flows/serving.ts';
import { notesOf } from '#domain/call-row.ts';
import { firstLine, shortened } from '#contract/messages/short-text.ts';
import type { Outcome, Status } from '#contract/outcome.ts';
import type { RunRow, ToolCallRow } from '#contract/view.ts';
import { timesOfRun, timesOfWorkflow } from '#contract/history/work-times.ts';
import type { WorkflowRows } from '#core/store/check.ts';
import { code, compactionItems, forked, inline, lines, pictures, quote, worked, used } from '../markdown-parts.ts';
import { roleOf, serversOf } from '../run-words.ts';
import { handoffEntries, handoffsOf } from './handoffs-part.ts';
import { instructionItems } from '../instructions-part.ts';
import { agentFileOf, noteLink, wikilink } from './names.ts';
import { questionsOf } from './questions-part.ts';
import { chooseWorkflowResult, formatWorkflowResult, type WorkflowResult } from './result-part.ts';
import { reviewsOf } from './reviews-part.ts';
import { renderSteps } from './steps-part.ts';
import { tokensOf } from './tokens.ts';
import { type MetadataItems, metadataItems } from './metadata-items.ts';
import { maxQueueDepth } from './trace-entries.ts';

/** Longest reason of a refusal or a failure, in characters. */
const MAX_REASON_CHARS = 200;

export interface WorkflowPart {
  id: string;
  status: Status;
  outcome: Outcome | null;
  startedAt: string;
  endedAt: string | null;
  /** The lead's model; null before its run was queued. */
  model: string | null;
  modelOrigin: ModelOrigin | null;
  /** Links to the files of its sub-agents and of the stages that follow them. */
  links: string[];
  /** Links to the files of its coagents, one a round. */
  coagents: string[];
  metadata: MetadataItems;
  maxQueueDepth: number;
  linksNotes: boolean;
  /** Markdown of its section, without the heading. */
  body: string;
}

/** `folder`: name of the session's folder. `linksNotes`: links to notes resolve from that folder. */
export function workflowPart(record: WorkflowRows, folder: string, linksNotes: boolean): WorkflowPart {
  const { workflow, runs } = record;
  const lead = runs.find(({ kind }) => kind === 'lead');
  const result = chooseWorkflowResult(workflow, runs, record.entries);
  return {
    id: workflow.id,
    status: workflow.status,
    outcome: workflow.outcome,
    startedAt: workflow.createdAt,
    endedAt: workflow.endedAt,
    model: lead?.envelope.model ?? null,
    modelOrigin: lead?.envelope.modelOrigin ?? null,
    links: runs.filter(isReported).map((run) => wikilink(folder, agentFileOf(run))),
    coagents: runs.filter(({ kind }) => kind === 'coagent').map((run) => wikilink(folder, agentFileOf(run))),
    metadata: metadataItems(record, result),
    maxQueueDepth: maxQueueDepth(runs),
    linksNotes,
    body: bodyOf(record, lead, { folder, linksNotes, result }),
  };
}

function bodyOf(
  record: WorkflowRows,
  lead: RunRow | undefined,
  { folder, linksNotes, result }: { folder: string; linksNotes: boolean; result: WorkflowResult | null },
): string {
  const { workflow, runs, approvals, calls, entries } = record;
  const { id, createdAt, endedAt, usage, subAgentCount, attempt, error, text, outcome } = workflow;
  const linkedRuns = runs.filter(isSubAgent).map((run) => ({ run, lines: linksOf(run, record, folder) }));
  const own = calls.filter(({ runId }) => runId === lead?.id);
  const said = lead ? (entries.get(lead.id) ?? []) : [];
  const steps = renderSteps({ entries: said, calls: own, linkedRuns });
  const handoffs = handoffEntries(said);
  const trips = handoffsOf(handoffs, runs, folder, lead && { run: lead, entries: said });
  const reviews = lead ? reviewsOf(lead, handoffs, said) : [];
  const questions = questionsOf(workflow.runId, approvals);
  const told = lead ? instructionItems(lead.envelope) : [];
  const stages = lead ? stageLinks(lead, record, folder) : [];
  const why = result ? [formatWorkflowResult(result), ''] : [];
  return lines([
    `- Workflow: ${code(id)}${attempt > 1 ? `, attempt ${attempt}` : ''}`,
    `- Started: ${createdAt}${endedAt === null ? '' : `, ended: ${endedAt}`}${worked(timesOfWorkflow(workflow, approvals))}`,
    `- Sub-agents: ${subAgentCount}`,
    `- Used: ${used(usage)}`,
    ...compactionItems(said),
    ...notesOfWorkflow(calls, linksNotes ? noteLink : code),
    ...forked(workflow),
    ...['', '### Query', '', quote(workflow.prompt), ...pictures(workflow.images)],
    ...(told.length > 0 ? ['', '### Told by the project', ...told] : []),
    ...steps,
    ...(questions.length > 0 ? ['', '### Questions', ...questions] : []),
    ...(trips.length > 0 ? ['', '### Handoffs', ...trips] : []),
    ...(reviews.length > 0 ? ['', '### Reviews', ...reviews] : []),
    ...(stages.length > 0 ? ['', '### Stages', '', ...stages] : []),
    ...(error ? ['', '### Error', '', `${code(error.code)}: ${inline(error.message)}`] : []),
    ...(text === '' && outcome === null ? [] : ['', '### Answer', '', ...why, text === '' ? 'None.' : quote(text)]),
  ]);
}

/** Lists the notes that the agents read and wrote. `render` gets paths in their folder. */
function notesOfWorkflow(calls: readonly ToolCallRow[], render: (path: string) => string): string[] {
  const { read, written } = notesOf(calls);
  const line = (name: string, paths: readonly string[]): string[] =>
    paths.length === 0 ? [] : [`- Notes ${name}: ${paths.map((path) => render(path)).join(', ')}`];
  return [...line('read', read), ...line('written', written)];
}

/** The agents that followed the lead, each with its coagent's rounds. */
function stageLinks(lead: RunRow, record: WorkflowRows, folder: string): string[] {
  const { runs } = record;
  const stages = serversOf(lead, runs).filter(({ kind }) => kind === 'chain');
  return stages.flatMap((stage) => [
    `- ${linkOf(stage, roleOf(stage, runs), { record, folder })}`,
    ...serversOf(stage, runs).map((each) => `  - ${linkOf(each, roleOf(each, runs), { record, folder })}`),
  ]);
}

function linksOf(run: RunRow, record: WorkflowRows, folder: string): string[] {
  const { runs } = record;
  const below = serversOf(run, runs).flatMap((one) => [
    `  - ${linkOf(one, roleOf(one, runs), { record, folder })}`,
    // A stage may have a coagent too.
    ...serversOf(one, runs).map((each) => `    - ${linkOf(each, roleOf(each, runs), { record, folder })}`),
  ]);
  return [
    `- ${linkOf(run, `${run.kind}${run.title === run.agent ? '' : `, ${inline(run.title)}`}`, { record, folder })}`,
    ...below,
  ];
}

function linkOf(run: RunRow, what: string, { record, folder }: { record: WorkflowRows; folder: string }): string {
  const { agent, outcome, status, usage, error } = run;
  const reason = error ? `: ${inline(shortened(firstLine(error.message), MAX_REASON_CHARS))}` : '';
  const tokens = tokensOf(usage).toLocaleString('en-US');
  return `${wikilink(folder, agentFileOf(run), agent)}, ${what}: ${outcome ?? status}${worked(timesOfRun(run, record))}, ${tokens} tokens${reason}`;
}

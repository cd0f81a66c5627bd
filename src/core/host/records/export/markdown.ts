/** The Markdown export: the whole conversation, with content in blocks that it cannot break out of. */
import type { Approval, Subject } from '#contract/approval.ts';
import { isServing } from '#contract/flows/serving.ts';
import type { SubAgentExecution } from '#contract/execution.ts';
import type { Missing } from '#contract/missing.ts';
import { missingText } from '#contract/missing-text.ts';
import { againText } from '#contract/messages/fork-text.ts';
import { forkedFromText } from '#contract/messages/fork-text.ts';
import { compactionText } from '#contract/context/compaction-text.ts';
import { cutText } from '#contract/cut-text.ts';
import { serverCallOf, serverResultOf, serverText } from '#contract/web-search.ts';
import type { AssistantEntry, Entry, HandoffEntry, Part, UserEntry } from '#contract/message.ts';
import { unreadWords } from '#contract/messages/unread-words.ts';
import type { ConversationRow, RunRow, ToolCallRow } from '#contract/view.ts';
import { type Times, timesOfRun, timesOfWorkflow } from '#contract/history/work-times.ts';
import { roleOf, servedBy } from '../run-words.ts';
import { verdictOf } from '#core/runs/loop/review-words.ts';
import { askedItems } from '#core/approvals/asked-items.ts';
import { instructionBlocks } from '../instructions-part.ts';
import {
  code,
  decided,
  dollars,
  exchanges,
  fence,
  forked,
  inline,
  lines,
  pictures,
  seconds,
  worked,
  used,
  wrote,
} from '../markdown-parts.ts';
import type { ExportedWorkflow } from './record.ts';

/** Yields the text in parts, one workflow at a time. */
export async function* markdownOf(
  conversation: ConversationRow,
  workflows: AsyncIterable<ExportedWorkflow>,
  missing: readonly Missing[] = [],
): AsyncGenerator<string> {
  const notice = missingText(missing);
  const { id, title, folder, agent, createdAt, updatedAt, usage, deletedAt } = conversation;
  yield lines([
    `# ${inline(title) || 'Conversation'}`,
    '',
    `- Session: ${code(id)}`,
    `- Folder: ${code(folder)}`,
    `- Lead: ${code(agent)}`,
    `- Created: ${createdAt}`,
    `- Last change: ${updatedAt}`,
    ...(deletedAt ? [`- In the trash since: ${deletedAt}`] : []),
    `- Used: ${used(usage)}`,
    ...forkedFromText(conversation).map((line) => `- ${line}.`),
    ...(notice === null ? [] : ['', inline(notice)]),
  ]);
  let number = 0;
  for await (const workflow of workflows) yield workflowOf(workflow, (number += 1));
}

function workflowOf(record: ExportedWorkflow, number: number): string {
  const { workflow, runs, calls, approvals, entries, executions } = record;
  const { id, outcome, status, createdAt, endedAt, usage, error, subAgentCount } = workflow;
  const lead = runs.find(({ kind }) => kind === 'lead');
  const others = runs.filter(({ kind }) => kind !== 'lead');
  const timesOf = ({ id: runId }: SubAgentExecution): Times | null => {
    const run = runs.find((one) => one.id === runId);
    return run ? timesOfRun(run, record) : null;
  };
  const partOfRun = (run: RunRow): string[] =>
    runOf(run, {
      runs,
      times: timesOfRun(run, record),
      entries: entries.get(run.id) ?? [],
      calls: calls.filter(({ runId }) => runId === run.id),
    });
  return lines([
    '',
    `## Workflow ${number}: ${outcome ?? status}`,
    '',
    `- Workflow: ${code(id)}`,
    `- Started: ${createdAt}${endedAt === null ? '' : `, ended: ${endedAt}`}${worked(timesOfWorkflow(workflow, approvals))}`,
    `- Sub-agents: ${subAgentCount}`,
    ...executions.map((execution) => executionOf(execution, timesOf(execution))),
    `- Used: ${used(usage)}`,
    ...forked(workflow),
    ...(error ? [`- Error: ${inline(error.message)}`] : []),
    // The lead may not be queued yet.
    ...(lead ? partOfRun(lead) : ['', '### Prompt', '', fence(workflow.prompt), ...pictures(workflow.images)]),
    ...approvals.flatMap(approvalOf),
    ...others.flatMap(partOfRun),
  ]);
}

/** In one line; its run has a part of its own. */
function executionOf(execution: SubAgentExecution, times: Times | null): string {
  const { id, sub_agent_name, outcome, status, nano_usd } = execution;
  const { tokens_input, tokens_output = 0, tokens_estimated } = execution;
  const part = tokens_estimated === undefined ? '' : `, of which ${tokens_estimated} tokens are estimated`;
  const facts = [
    `${outcome ?? status}${worked(times)}`,
    ...(tokens_input === undefined
      ? []
      : [`${tokens_input} input tokens, ${tokens_output} output tokens${part}, ${dollars(nano_usd ?? null)}`]),
  ];
  const said = execution.error_message ?? execution.result_summary;
  return `  - ${code(sub_agent_name)} ${code(id)}: ${facts.join(', ')}${said === undefined ? '' : `: ${inline(said)}`}`;
}

/** What is stored of a run beside its row. */
interface OfRun {
  /** All of its workflow. */
  runs: readonly RunRow[];
  times: Times | null;
  entries: readonly Entry[];
  calls: readonly ToolCallRow[];
}

function runOf(run: RunRow, { runs, times, entries, calls }: OfRun): string[] {
  const { envelope, outcome, status, startedAt, endedAt, usage, error } = run;
  const served = isServing(run) ? servedBy(run, runs) : undefined;
  const whom = served && `${run.kind === 'chain' ? 'follows' : 'works for'} ${code(served.agent)} ${code(served.id)}`;
  return [
    '',
    `### ${roleOf(run, runs)}${served ? ':' : ''} ${inline(run.name)}: ${outcome ?? status}`,
    '',
    `- Run: ${code(run.id)}, ${run.kind}${run.title && run.title !== run.agent ? `, ${inline(run.title)}` : ''}${whom ? `, ${whom}` : ''}`,
    ...againText(run).map((line) => `- ${line}.`),
    `- Agent: ${code(run.agent)}, model: ${code(envelope.model)}`,
    `- Tools: ${envelope.tools.map(code).join(', ') || 'none'}`,
    `- Queued: ${run.queuedAt}${startedAt === null ? ', never started' : `, started: ${startedAt}`}${endedAt === null ? '' : `, ended: ${endedAt}`}${worked(times)}`,
    `- Used: ${used(usage)}`,
    ...(error ? [`- Error: ${inline(error.message)}`] : []),
    ...instructionBlocks(envelope),
    // The task of a run that never started is in no entry.
    ...(entries.length === 0
      ? ['', '**Task**', '', fence(run.task)]
      : entries.flatMap((entry) => entryOf(entry, calls))),
    ...unread(run, entries),
  ];
}

/** What the person said that is in no entry. */
function unread({ said }: RunRow, entries: readonly Entry[]): string[] {
  return unreadWords(said, entries).flatMap(({ text, at }) => [
    ...['', `**Person**, not read by the agent · ${at}`, '', fence(text)],
  ]);
}

const SOURCES: Readonly<Record<UserEntry['source'], string>> = {
  person: '**Person**',
  parent: '**Task**',
  engine: '**Handed over**',
  coagent: '**Coagent**',
};

function entryOf(entry: Entry, calls: readonly ToolCallRow[]): string[] {
  const block = (head: string, text: string, language = '') => ['', `${head} · ${entry.at}`, '', fence(text, language)];
  switch (entry.kind) {
    case 'user':
      return [
        ...block(entry.said ? '**Person**, while it worked' : SOURCES[entry.source], entry.text),
        ...pictures(entry.images),
      ];
    case 'assistant':
      return [
        ...entry.parts.flatMap((part) => partOf(part, markOf(entry), block)),
        ...(entry.cut ? ['', inline(cutText(entry.cut))] : []),
      ];
    case 'tool': {
      const { name, toolCallId, status, durationMs } = entry;
      const file = wrote(calls.find((call) => call.toolCallId === toolCallId));
      return [
        ...block(`**Result** of ${code(name)} ${code(toolCallId)}: ${status}${seconds(durationMs)}`, entry.output),
        ...(file === null ? [] : ['', `- Wrote: ${file}`]),
      ];
    }
    case 'compaction':
      return block(`**${compactionText(entry)}**`, entry.text, 'markdown');
    case 'system':
      return block(`**Remark** (${entry.code})`, entry.text);
    case 'handoff':
      return block(
        `**Handoff** from ${inline(entry.from)} to ${inline(entry.to)}, round ${entry.round} of ${entry.rounds}${backOf(entry)}`,
        entry.prompt,
      );
  }
}

function markOf({ by, interrupted }: AssistantEntry): string {
  return `${by === undefined ? '' : ` of its coagent ${inline(by)}`}${interrupted ? ' (interrupted)' : ''}`;
}

/** What came back, as a part of the head; empty on the way out. */
function backOf({ back }: HandoffEntry): string {
  if (!back) return '';
  const why = back.error === undefined ? '' : ` (${inline(back.error)})`;
  return `: ${back.review ? verdictOf(back.review) : back.outcome}${why}`;
}

type Block = (head: string, text: string, language?: string) => string[];

function partOf(part: Part, mark: string, block: Block): string[] {
  switch (part.type) {
    case 'text':
      return block(`**Answer**${mark}`, part.text, 'markdown');
    case 'thinking':
      return block(`**Thinking**${mark}`, part.text);
    case 'redacted_thinking':
      return block(`**Thinking**${mark}, which the provider keeps to itself`, '');
    case 'tool_use':
      return block(
        `**Call** of ${code(part.name)} ${code(part.id)}${mark}`,
        part.malformed ?? JSON.stringify(part.input, null, 2),
        part.malformed === undefined ? 'json' : '',
      );
    case 'server': {
      const call = serverCallOf(part.block);
      const of = call ? `${code(call.name)} ${code(call.id)}` : code(serverResultOf(part.block) ?? part.block.type);
      return call
        ? block(`**Call** of ${of}, made by the provider${mark}`, JSON.stringify(call.input, null, 2), 'json')
        : block(`**Result** of ${of}${mark}`, serverText(part.block));
    }
  }
}

function approvalOf(approval: Approval): string[] {
  const { request, context } = approval;
  return [
    '',
    `### Approval: ${inline(request.title)}`,
    '',
    `- Asked: ${request.at} by ${code(request.agent)}, call ${code(request.toolCallId)}, risk: ${request.risk}`,
    ...askedItems(approval).flatMap(({ asked, decision, approved }, item) => [
      `- ${nameOf(request.subject, item)}: ${decided(decision)}`,
      '',
      fence(JSON.stringify(asked, null, 2), 'json'),
      '',
      ...(decision && (decision.edited !== undefined || decision.replies)
        ? ['What was approved:', '', fence(JSON.stringify(approved, null, 2), 'json'), '']
        : []),
    ]),
    ...exchanges(context),
  ];
}

function nameOf(subject: Subject, item: number): string {
  switch (subject.kind) {
    case 'envelopes': {
      const { runId, envelope } = subject.items[item]!;
      return `${code(envelope.agent)} ${code(runId)}`;
    }
    case 'tool':
      return code(subject.tool);
    case 'action':
      return 'Action';
    case 'control-files':
      return 'Changed control files';
    case 'replaced-folder':
      return 'Replaced folder';
    case 'questions':
      return 'Questions';
    case 'limit':
      return 'Limit';
  }
}

/** A trace as a tree for the terminal. Pure. */
import { formatState } from '#domain/status-of.ts';
import stringWidth from 'string-width';
import { andMore } from '#domain/call-row.ts';
import { compactionText } from '#contract/context/compaction-text.ts';
import { type AgentMark, MARK_SIGNS, markOfSubAgent } from '#contract/flows/agent-mark.ts';
import { grantIdOf, ruleIdOf } from '#contract/grant-id.ts';
import { cost, localTime, timesIn, timesText, tokens } from './format.ts';
import { missingLines } from './session-text.ts';
import type { Style } from '../terminal/style.ts';
import { truncate } from '../terminal/truncate.ts';
import type { RunTrace, SessionTrace, WorkflowTrace } from './trace.ts';
import { oneLine, visible } from '../terminal/visible.ts';
import { wrap } from '../terminal/wrap.ts';

/** Maximum length of a line for a call, a question, a grant or a message, in characters. */
const MAX_LINE_CHARS = 200;

export function traceText(trace: SessionTrace, width: number, style: Style): string[] {
  return [
    style('bold', truncate(`Session ${trace.id}: ${clean(trace.title)}`, width)),
    truncate(
      `  started ${localTime(trace.createdAt)} · total ${timesText(trace)} · ${tokens(trace.usage)} · ${cost(trace.usage.costUsd)}`,
      width,
    ),
    ...missingLines(trace.missing, width, style),
    ...trace.workflows.flatMap((workflow) => ['', ...workflowText(workflow, width, style)]),
  ];
}

function workflowText(workflow: WorkflowTrace, width: number, style: Style): string[] {
  const state = formatState(workflow);
  const head = `Workflow ${workflow.id} · ${state} · ${timesText(timesIn(workflow))} · ${tokens(workflow.usage)} · ${cost(workflow.usage.costUsd)}${queued(workflow)}${again(workflow.attempt)}`;
  return [
    truncate(head, width),
    truncate(cutLine(`  “${clean(workflow.prompt)}”`), width),
    style('dim', truncate(`  trace ${workflow.traceId} · span ${workflow.spanId}`, width)),
    ...workflow.runs.flatMap((run) => runText(run, 'lead', { lead: '', rest: '' }, width, style)),
    ...grantLines(workflow).map((line) => truncate(cutLine(line), width)),
  ];
}

/** `lead` stands before the run's own line, `rest` before everything below it; `above`: the mark of the run that it is below. */
function runText(
  run: RunTrace,
  above: AgentMark,
  { lead, rest }: { lead: string; rest: string },
  width: number,
  style: Style,
): string[] {
  const own = run.role === 'sub-agent' && run.order !== null ? markOfSubAgent(run.order - 1) : above;
  const mark = run.outcome === null ? '…' : run.outcome === 'completed' ? '✓' : '✗';
  const { queuedMs, waitingMs, modelMs, toolsMs } = run.times;
  const parts = [
    `${MARK_SIGNS[own]} ${mark} ${clean(run.name)} (${roleText(run)})`,
    ms(run.workMs),
    tokens(run.usage),
    cost(run.usage.costUsd),
    `${run.outcome ?? run.status}${again(run.attempt)}`,
  ];
  const ink = run.outcome === 'completed' ? 'green' : run.outcome === null ? 'yellow' : 'red';
  const times = `queued ${ms(queuedMs)} · waiting ${ms(waitingMs)} · model ${ms(modelMs)} · tools ${ms(toolsMs)}`;
  const below = rest + (run.children.length > 0 ? '│   ' : '    ');
  return [
    style(ink, truncate(lead + parts.join(' · '), width)),
    style('dim', truncate(below + times + path(run), width)),
    style('dim', truncate(`${below}${modelText(run)} · run ${run.runId} · span ${run.spanId}`, width)),
    ...[
      ...[...approvalLines(run), ...saidLines(run), ...refusalLines(run)],
      ...[...undoLines(run), ...compactionLines(run), ...reviewLines(run)],
    ].map((line) => truncate(cutLine(below + line), width)),
    ...errorLines(run, width - stringWidth(below)).map((line) => below + style('red', line)),
    ...run.children.flatMap((child, index) => {
      const last = index === run.children.length - 1;
      const before = { lead: rest + (last ? '└── ' : '├── '), rest: rest + (last ? '    ' : '│   ') };
      return runText(child, own, before, width, style);
    }),
  ];
}

function roleText({ role, kind, order, place }: RunTrace): string {
  if (role === 'sub-agent') return `${kind} #${order}`;
  return role === 'primary' ? role : role === 'stage' ? `stage ${place}` : `coagent, round ${place}`;
}

/** The agents that a stage was reached through. */
const path = ({ role, callPath }: RunTrace): string => (role === 'stage' ? ` · ${clean(callPath.join(' › '))}` : '');

/** Whole, on as many lines as that takes: they are what one looks for. */
function errorLines({ error, traceId, parentChain, kind, title }: RunTrace, width: number): string[] {
  if (error === null) return [];
  const where = `trace ${traceId} · ${parentChain.join(' → ')} · ${kind}: ${title}`;
  return [`${error.code}: ${error.message}`, where].flatMap((line) => wrap(clean(line), width));
}

function approvalLines(run: RunTrace): string[] {
  return run.approvals.map(({ title, allowed, decidedBy, ruleId, reason }) => {
    const by = grantIdOf(ruleId) === null ? [decidedBy, ruleId].filter(Boolean).join(' ') : ruleId;
    const answer = allowed === null ? 'not answered' : `${allowed ? 'approved' : 'not approved'} by ${by}`;
    return `? ${clean(title)} – ${answer}${reason === null ? '' : ` (${clean(reason)})`}`;
  });
}

/** What it tried and nobody was asked about. */
function refusalLines({ toolCalls }: RunTrace): string[] {
  return toolCalls.flatMap(({ name, refusal }) =>
    refusal === null ? [] : [`✗ ${clean(name)} – refused: ${clean(refusal)}`],
  );
}

function undoLines({ undos }: RunTrace): string[] {
  return undos
    .toSorted((a, b) => (a.at < b.at ? -1 : 1))
    .map(({ path, also, undone, at, by }) => {
      const [mark, what] = undone ? ['↶', 'undone'] : ['↷', 'written again'];
      return `${mark} ${clean(path)}${andMore(also)} – ${what} by ${by} · ${localTime(at)}`;
    });
}

function saidLines({ said }: RunTrace): string[] {
  return said.map(({ text, at }) => `▸ you: ${clean(text)} · ${localTime(at)}`);
}

function compactionLines({ compactions }: RunTrace): string[] {
  return compactions.map((one) => `⇊ ${compactionText(one)} · ${localTime(one.at)}`);
}

function reviewLines({ reviews = [] }: RunTrace): string[] {
  return reviews.map(({ attempt, passed, score, critique }) => {
    const verdict = passed === null ? 'not readable' : passed ? 'passed' : 'not passed';
    return `⟲ review ${attempt}: ${verdict}${score === null ? '' : `, ${score} of 100`}${critique === '' ? '' : ` – ${clean(critique)}`}`;
  });
}

function modelText({ model, modelOrigin }: RunTrace): string {
  return `${clean(model)}${modelOrigin === null ? '' : ` (${modelOrigin})`}`;
}

/** What was granted, when, and how it stands now. */
function grantLines({ grants }: WorkflowTrace): string[] {
  return grants.map(({ id, agent, tool, pattern, scope, givenAt, revokedAt, calls }) => {
    const what = `${clean(agent)} may use ${tool} on ${clean(pattern)} (${scope})`;
    const used = calls === 1 ? 'used once' : `used ${calls} times`;
    const end = revokedAt === null ? '' : ` · revoked ${localTime(revokedAt)}`;
    return `  + ${ruleIdOf(id)} · ${what} · given ${localTime(givenAt)} · ${used}${end}`;
  });
}

const queued = ({ maxQueueDepth: most }: WorkflowTrace) => (most === 0 ? '' : ` · up to ${most} in the queue`);
/** Each attempt but the last was interrupted. */
const again = (attempt: number) =>
  attempt > 1 ? ` · attempt ${attempt}, interrupted ${attempt === 2 ? 'once' : `${attempt - 1} times`}` : '';
const ms = (value: number | null) => (value === null ? '–' : `${Math.round(value).toLocaleString('en-US')} ms`);
/** Cuts a line to 200 characters, also in a wider terminal or without a terminal. */
function cutLine(line: string): string {
  const points = [...line];
  return points.length <= MAX_LINE_CHARS ? line : `${points.slice(0, MAX_LINE_CHARS - 1).join('')}…`;
}
const clean = (text: string) => oneLine(visible(text));

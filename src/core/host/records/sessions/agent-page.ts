/** The Markdown file of a sub-agent, a stage or a coagent: its metadata and permissions, its task and its findings. Pure. */
import type { Approval, Decision } from '#contract/approval.ts';
import { formatRunTitle } from '#contract/flows/run-title.ts';
import { isServing } from '#contract/flows/serving.ts';
import { COPIED_TEXT } from '#contract/messages/fork-text.ts';
import type { Entry } from '#contract/message.ts';
import { againText } from '#contract/messages/fork-text.ts';
import { spawnIndex } from '#contract/spawn-items.ts';
import type { RunRow, ToolCallRow } from '#contract/view.ts';
import { inputTokensOf } from '#domain/tally.ts';
import { createReviewField } from '#contract/history/review-history.ts';
import { roleOf, servedBy, serversOf } from '../run-words.ts';
import { code, compactionItems, decided, fence, inline, lines, quote, wordItems, wrote } from '../markdown-parts.ts';
import { instructionItems } from '../instructions-part.ts';
import { frontMatter } from './front-matter.ts';
import { handoffEntries, handoffsOf } from './handoffs-part.ts';
import { agentFileOf, SESSION_FILE, wikilink } from './names.ts';
import { changesOf, questionsOf } from './questions-part.ts';
import { recommendationsOf } from './recommendations.ts';
import { reviewsOf } from './reviews-part.ts';
import { renderSteps } from './steps-part.ts';
import { estimatedPart, tokensOf, usd } from './tokens.ts';

/** What its workflow has, of all runs. */
interface Around {
  runs: readonly RunRow[];
  approvals: readonly Approval[];
  calls: readonly ToolCallRow[];
  entries: ReadonlyMap<string, readonly Entry[]>;
}

/** `folder`: name of the session's folder. */
export function agentPage(run: RunRow, { runs, approvals, calls, entries }: Around, folder: string): string {
  const said = entries.get(run.id) ?? [];
  const ownCalls = calls.filter(({ runId }) => runId === run.id);
  const handoffs = handoffEntries(said);
  const compactions = compactionItems(said);
  const trips = handoffsOf(handoffs, runs, folder, { run, entries: said });
  const decision = decisionFor(run.id, approvals);
  const { findings, recommendations } = recommendationsOf(run.text);
  const questions = questionsOf(run.id, approvals);
  const told = instructionItems(run.envelope);
  const reviews = reviewsOf(run, handoffs, said);
  const words = wordItems(run, said);
  const files = ownCalls.flatMap((call) => wrote(call) ?? []);
  const steps = renderSteps({ entries: said, calls: ownCalls, linkedRuns: [] });
  const none = run.outcome === null ? 'None yet.' : 'It handed over no report.';
  return lines([
    fieldsOf(run, decision, { runs, folder }) + `# ${inline(formatRunTitle(run))}`,
    '',
    placeOf(run, runs, folder),
    ...againText(run).flatMap((line) => ['', `${line}.`]),
    ...(run.copiedFrom
      ? [
          '',
          `C${COPIED_TEXT.slice(1)}: done, and counted, in run ${run.copiedFrom.runId} of session ${run.copiedFrom.conversationId}.`,
        ]
      : []),
    ...(decision ? ['', `Its start was ${decided(decision)}.`] : []),
    ...changesOf(run.id, approvals),
    ...section('Task', quote(run.task)),
    ...(told.length > 0 ? ['', '## Told by the project', ...told] : []),
    ...(words.length > 0 ? ['', '## Said by the person', '', ...words] : []),
    ...(steps.length > 0 ? ['', '## Steps', ...steps] : []),
    ...(questions.length > 0 ? ['', '## Questions', ...questions] : []),
    ...(files.length > 0 ? section('Files written', files.map((file) => `- ${file}`).join('\n')) : []),
    ...(compactions.length > 0 ? ['', '## Context', '', ...compactions] : []),
    ...(trips.length > 0 ? ['', '## Handoffs', ...trips] : []),
    ...(reviews.length > 0 ? ['', '## Reviews', ...reviews] : []),
    ...(run.error ? errorOf(run) : []),
    ...section('Findings', findings === '' ? none : quote(findings)),
    ...(recommendations === '' ? [] : section('Recommendations', quote(recommendations))),
  ]);
}

/** Whom it belongs to and what follows it, with links. */
function placeOf(run: RunRow, runs: readonly RunRow[], folder: string): string {
  const session = wikilink(folder, SESSION_FILE, 'session');
  const served = isServing(run) ? servedBy(run, runs) : undefined;
  if (served) {
    const whom = served.kind === 'lead' ? inline(served.agent) : wikilink(folder, agentFileOf(served), served.agent);
    return `${roleOf(run, runs)}: it ${run.kind === 'chain' ? 'follows' : 'works for'} ${whom} in ${session}.`;
  }
  const stages = serversOf(run, runs).filter(({ kind }) => kind === 'chain');
  const links = stages.map((stage) => wikilink(folder, agentFileOf(stage), stage.agent)).join(', ');
  return `Sub-agent of ${session}.${links === '' ? '' : ` Followed by ${links}.`}`;
}

function fieldsOf(
  run: RunRow,
  decision: Decision | null,
  { runs, folder }: { runs: readonly RunRow[]; folder: string },
): string {
  const { envelope, error, usage } = run;
  const served = isServing(run) ? servedBy(run, runs) : undefined;
  const whom = wikilink(folder, served && served.kind !== 'lead' ? agentFileOf(served) : SESSION_FILE);
  return frontMatter({
    [run.kind === 'chain' ? 'stage_of' : run.kind === 'coagent' ? 'coagent_of' : 'subagent_of']: whom,
    session_id: run.conversationId,
    workflow_id: run.workflowId,
    run_id: run.id,
    ...(run.again ? { again_of: run.again.runId } : {}),
    agent_name: run.agent,
    title: run.title,
    kind: run.kind,
    ...(run.place ? { place: run.place } : {}),
    spawned_at: run.queuedAt,
    started_at: run.startedAt,
    completed_at: run.endedAt,
    duration_ms: run.durationMs === null ? null : Math.round(run.durationMs),
    attempt: run.attempt,
    status: run.status,
    outcome: run.outcome,
    model: envelope.model,
    ...(envelope.modelOrigin ? { model_origin: envelope.modelOrigin } : {}),
    provider: envelope.provider,
    tokens: tokensOf(usage),
    tokens_input: inputTokensOf(usage),
    tokens_output: usage.outputTokens,
    ...estimatedPart(usage),
    cost_usd: usd(usage),
    permissions: envelope.permissions,
    tools: envelope.tools,
    mcp_servers: envelope.mcpServers,
    ...(envelope.seesReports ? { sees_reports: true } : {}),
    ...(decision ? { approved: decision.allowed, decided_by: decision.decidedBy } : {}),
    trace_id: run.traceId,
    parent_chain: run.parentChain,
    depth: run.depth,
    ...(error ? { error_type: error.code, error_message: error.message } : {}),
    ...(error?.detail === undefined ? {} : { error_detail: error.detail }),
    ...createReviewField(run.reviews),
  });
}

/** The context of a failure: the agent, its parents and what it attempted. */
function errorOf({ error, agent, traceId, parentChain, kind, title }: RunRow): string[] {
  if (!error) return [];
  return [
    ...section('Error', `${code(error.code)}: ${inline(error.message)}`),
    '',
    `- Agent: ${code(agent)}, below ${code(parentChain.slice(0, -1).join(' → '))}`,
    `- Attempted: ${kind} “${inline(title)}”`,
    `- Trace: ${code(traceId)}`,
    ...(error.detail === undefined ? [] : ['', fence(error.detail)]),
  ];
}

/** The decision that allowed or refused its start; null if there is none yet. */
function decisionFor(runId: string, approvals: readonly Approval[]): Decision | null {
  for (const { request, decisions } of approvals) {
    const item = spawnIndex(request.subject, runId);
    if (item >= 0) return decisions[item] ?? null;
  }
  return null;
}

function section(title: string, text: string): string[] {
  return ['', `## ${title}`, '', text];
}

/** The Markdown file of one sub-agent: its metadata and permissions, its task and its findings. Pure. */
import type { Approval, Decision } from '#contract/approval.ts';
import { spawnIndex } from '#contract/spawn-items.ts';
import type { RunRow, ToolCallRow } from '#contract/view.ts';
import { inputTokensOf } from '#contract/tally.ts';
import { code, decided, fence, inline, lines, quote, wrote } from '../markdown-parts.ts';
import { instructionItems } from '../instructions-part.ts';
import { frontMatter } from './front-matter.ts';
import { SESSION_FILE, wikilink } from './names.ts';
import { changesOf, questionsOf } from './questions-part.ts';
import { recommendationsOf } from './recommendations.ts';
import { reviewsOf } from './reviews-part.ts';
import { estimatedPart, tokensOf, usd } from './tokens.ts';

/** `calls`: of all runs. `folder`: name of the session's folder. */
export function agentPage(
  run: RunRow,
  { approvals, calls }: { approvals: readonly Approval[]; calls: readonly ToolCallRow[] },
  folder: string,
): string {
  const session = wikilink(folder, SESSION_FILE, 'session');
  const decision = decisionFor(run.id, approvals);
  const { findings, recommendations } = recommendationsOf(run.text);
  const questions = questionsOf(run.id, approvals);
  const told = instructionItems(run.envelope);
  const reviews = reviewsOf(run);
  const files = calls.filter(({ runId }) => runId === run.id).flatMap((call) => wrote(call) ?? []);
  const none = run.outcome === null ? 'None yet.' : 'It handed over no report.';
  return lines([
    fieldsOf(run, decision, wikilink(folder, SESSION_FILE)) + `# ${inline(run.agent)}: ${inline(run.title)}`,
    '',
    `Sub-agent of ${session}.`,
    ...(decision ? ['', `Its start was ${decided(decision)}.`] : []),
    ...changesOf(run.id, approvals),
    ...section('Task', quote(run.task)),
    ...(told.length > 0 ? ['', '## Told by the project', ...told] : []),
    ...(questions.length > 0 ? ['', '## Questions', ...questions] : []),
    ...(files.length > 0 ? section('Files written', files.map((file) => `- ${file}`).join('\n')) : []),
    ...(reviews.length > 0 ? ['', '## Reviews', ...reviews] : []),
    ...(run.error ? errorOf(run) : []),
    ...section('Findings', findings === '' ? none : quote(findings)),
    ...(recommendations === '' ? [] : section('Recommendations', quote(recommendations))),
  ]);
}

function fieldsOf(run: RunRow, decision: Decision | null, session: string): string {
  const { envelope, error, usage } = run;
  return frontMatter({
    subagent_of: session,
    session_id: run.conversationId,
    workflow_id: run.workflowId,
    run_id: run.id,
    agent_name: run.agent,
    title: run.title,
    kind: run.kind,
    spawned_at: run.queuedAt,
    started_at: run.startedAt,
    completed_at: run.endedAt,
    duration_ms: run.durationMs === null ? null : Math.round(run.durationMs),
    attempt: run.attempt,
    status: run.status,
    outcome: run.outcome,
    model: envelope.model,
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

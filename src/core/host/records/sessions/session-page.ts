/** Renders `session.md` and `metadata.json` from the parts of a session. Pure. */
import type { ModelOrigin } from '#contract/agent.ts';
import type { Missing } from '#contract/missing.ts';
import { forkedFromText } from '#contract/messages/fork-text.ts';
import { missingText } from '#contract/missing-text.ts';
import type { Outcome, Status } from '#contract/outcome.ts';
import type { ConversationRow } from '#contract/view.ts';
import { inputTokensOf } from '#domain/tally.ts';
import { inline } from '../markdown-parts.ts';
import { frontMatter } from './front-matter.ts';
import { fieldTexts, listText } from './metadata-items.ts';
import { folderNameOf } from './names.ts';
import { estimatedPart, tokensOf, usd } from './tokens.ts';
import type { WorkflowPart } from './workflow-part.ts';

/** `parts`: oldest first, at least one. `missing`: what the store has lost of it. */
export function sessionPage(
  conversation: ConversationRow,
  parts: readonly WorkflowPart[],
  missing: readonly Missing[] = [],
): string {
  const { id, title, folder, agent, usage } = conversation;
  const { status, outcome, startedAt, completedAt, model, modelOrigin } = stateOf(parts);
  const coagents = parts.flatMap((part) => part.coagents);
  const fields = frontMatter({
    session_id: id,
    title,
    started_at: startedAt,
    completed_at: completedAt,
    primary_agent: agent,
    model,
    ...(modelOrigin ? { model_origin: modelOrigin } : {}),
    status,
    outcome,
    workspace: folder,
    workflows: parts.length,
    sub_agents: parts.flatMap(({ links }) => links),
    ...(coagents.length > 0 ? { coagents } : {}),
    tokens: tokensOf(usage),
    tokens_input: inputTokensOf(usage),
    tokens_output: usage.outputTokens,
    ...estimatedPart(usage),
    cost_usd: usd(usage),
  });
  const sections = parts.map(
    (part, index) => `\n## Workflow ${index + 1}: ${part.outcome ?? part.status}\n\n${part.body}`,
  );
  const notice = missingText(missing);
  const from = forkedFromText(conversation).map((line) => `\n${line}.\n`);
  return `${fields}# ${inline(title) || 'Session'}\n${from.join('')}${notice === null ? '' : `\n${inline(notice)}\n`}${sections.join('')}`;
}

/** `program`: its version. */
export function sessionMetadata(
  conversation: ConversationRow,
  parts: readonly WorkflowPart[],
  program: string,
): string {
  const { id, title, folder, agent, usage } = conversation;
  const { status, outcome, startedAt, completedAt, model, modelOrigin } = stateOf(parts);
  const items = parts.map(({ metadata }) => metadata);
  const texts = [
    fieldTexts({
      format: 'triad-session',
      version: 1,
      program,
      session_id: id,
      title,
      folder: folderNameOf(conversation),
      started_at: startedAt,
      completed_at: completedAt,
      status,
      outcome,
      primary_agent: agent,
      primary_model: model,
      ...(modelOrigin ? { primary_model_origin: modelOrigin } : {}),
      workspace: folder,
    }),
    listText(
      'workflows',
      items.map(({ workflow }) => workflow),
    ),
    listText(
      'sub_agents',
      items.flatMap(({ subAgents }) => subAgents),
    ),
    fieldTexts({
      totals: {
        requests: usage.requests,
        tokens: tokensOf(usage),
        tokens_input: inputTokensOf(usage),
        tokens_output: usage.outputTokens,
        ...estimatedPart(usage),
        tokens_cache_read: usage.cacheReadTokens,
        tokens_cache_write: usage.cacheWriteTokens,
        cost_usd: usd(usage),
      },
      max_queue_depth: parts.reduce((most, part) => Math.max(most, part.maxQueueDepth), 0),
    }),
    listText(
      'execution_trace',
      items.flatMap(({ trace }) => trace),
    ),
  ];
  return `{\n${texts.join(',\n')}\n}\n`;
}

/** A session is running while any of its workflows is; else it has the outcome of the newest one. */
function stateOf(parts: readonly WorkflowPart[]): {
  status: Status;
  outcome: Outcome | null;
  startedAt: string | null;
  completedAt: string | null;
  model: string | null;
  modelOrigin: ModelOrigin | null;
} {
  const last = parts.at(-1);
  const open = parts.find(({ outcome }) => outcome === null);
  return {
    status: (open ?? last)?.status ?? 'pending',
    outcome: open ? null : (last?.outcome ?? null),
    startedAt: parts[0]?.startedAt ?? null,
    completedAt: open ? null : (last?.endedAt ?? null),
    model: last?.model ?? null,
    modelOrigin: last?.modelOrigin ?? null,
  };
}

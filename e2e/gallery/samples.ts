/** Sample data of a runtime for the gallery. */
import type { Approval } from '#contract/approval.ts';
import type { Envelope } from '#contract/agent.ts';
import type { Outcome } from '#contract/outcome.ts';
import { STATUS_OF } from '#domain/status-of.ts';
import { ZERO_TALLY } from '#domain/tally.ts';
import type { ConversationRow, RunRow, WorkflowRow } from '#contract/view.ts';
import type { Connection } from '#lib/app/client/connection.ts';
import type { TranscriptSource } from '#lib/runs/session.svelte.ts';
import { type View, fromSnapshot } from '#lib/view/reduce.ts';
import type { Call, CallState } from '#lib/view/transcript.ts';

const AT = '2026-01-02T03:04:05.000Z';
const END = '2026-01-02T03:09:05.000Z';
const CONVERSATION = 'conversation';
const WORKFLOW = 'workflow';

/** A connection without answers. */
export const silence: Connection = {
  status: 'open',
  refusal: null,
  request: () => new Promise(() => undefined),
  subscribe: () => Promise.resolve(() => undefined),
  onOpen: () => () => undefined,
  onStatus: () => () => undefined,
  close: () => undefined,
};

function envelope(agent: string, prompt: string): Envelope {
  return {
    agent,
    definitionHash: null,
    systemPrompt: `You are ${agent}.`,
    prompt,
    provider: 'anthropic',
    model: 'claude-sonnet-5-5',
    maxTokens: 8192,
    effort: null,
    tools: ['read_file'],
    mcpServers: [],
    permissions: ['FilesystemRead'],
    folder: '/home/ada/parser',
    limits: { maxIterations: 20, inactivityMs: 300_000, maxCostUsd: 0.4 },
    approvalMode: 'manual',
    stages: [],
  } as Envelope;
}

const usage = {
  ...ZERO_TALLY,
  requests: 3,
  inputTokens: 3400,
  outputTokens: 950,
  cacheReadTokens: 12_000,
  nanoUsd: 31e6,
};
const REPORT =
  '# Report\n\n## Summary\n\nThe parser in `src/parse.ts` is **sound**, but for empty input.\n\n## Details\n\n- One.\n';

/** Returns a run. `outcome`: null while it works. */
export function run(id: string, agent: string, changes: Partial<RunRow> = {}): RunRow {
  const { outcome = null } = changes;
  return {
    id,
    conversationId: CONVERSATION,
    workflowId: WORKFLOW,
    parentRunId: 'lead',
    toolCallId: 'call',
    item: 0,
    agent,
    name: agent,
    title: 'Write tests for src/parse.ts and report what they cover',
    kind: 'spawn',
    depth: 1,
    parentChain: ['user', 'lead', agent],
    traceId: '0',
    task: 'Write tests.',
    envelope: envelope(agent, 'Write tests for `src/parse.ts` and report what they cover.'),
    envelopeHash: 'h',
    status: outcome === null ? 'running' : STATUS_OF[outcome],
    text: outcome === 'completed' || outcome === 'partial' ? REPORT : '',
    error: outcome === 'error' ? { code: 'overloaded', message: 'The provider is overloaded' } : null,
    attempt: 1,
    queuedAt: AT,
    startedAt: AT,
    endedAt: outcome === null ? null : END,
    durationMs: outcome === null ? null : 27_000,
    usage,
    contextTokens: 16_350,
    ...changes,
    outcome,
  };
}

export function workflow(outcome: Outcome | null): WorkflowRow {
  return {
    id: WORKFLOW,
    conversationId: CONVERSATION,
    runId: 'lead',
    prompt: 'Have three sub-agents look at the parser.',
    agents: ['lead'],
    approve: 'ask',
    status: outcome === null ? 'running' : STATUS_OF[outcome],
    outcome,
    text: '',
    error: null,
    attempt: 1,
    createdAt: AT,
    startedAt: AT,
    endedAt: outcome === null ? null : END,
    durationMs: outcome === null ? null : 300_000,
    firstSeq: 1,
    lastSeq: 9,
    subAgentCount: 3,
    usage,
  };
}

/** Returns an open question of a run. */
export function question(runId: string, decided: string | null = null): Approval {
  const request = { id: `ask-${runId}`, runId, workflowId: WORKFLOW, at: AT, subject: { kind: 'tool' } };
  return { request, decisions: [decided === null ? null : { at: decided, allowed: true }] } as unknown as Approval;
}

export const conversation: ConversationRow = {
  id: CONVERSATION,
  title: 'Parser',
  folder: '/home/ada/parser',
  agent: 'lead',
  createdAt: AT,
  updatedAt: AT,
  lastSeq: 9,
  usage,
};

export function source(runs: RunRow[], parts: Partial<View> = {}): TranscriptSource {
  const rows = { workflows: [workflow(null)], more: false, runs, entries: {}, calls: [], approvals: [], open: [] };
  const view = { ...fromSnapshot({ seq: 9, conversation, ...rows }), ...parts };
  return { view, loadEntries: () => Promise.resolve() };
}

export const lead = run('lead', 'lead', { kind: 'lead', parentRunId: null, toolCallId: null, depth: 0 });

export function call(name: string, input: unknown, state: CallState): Call {
  return {
    id: `${name}-${state}`,
    name,
    input,
    draft: null,
    state,
    startedAt: AT,
    result: null,
    children: [],
    change: null,
    allowedBy: state === 'completed' ? 'grant' : null,
  };
}

export const MARKDOWN = `## What the reviews found

The README is **accurate in all but two places**; see \`src/sum.js\` for [the first](https://example.org/guide).

| Place | Statement | Lines |
| :--- | :---: | ---: |
| README | "A small project" | 3 |
| docs | \`sum\` takes a list | 1,209 |

- [x] Read the sources
- [ ] Correct line 9
- A plain item

1. First
2. Second, long enough to be broken into more than one line at this width and at a smaller one, as most items of lists are.

> Nothing else contradicts the code.

\`\`\`ts
// Signs stay what they are: => != -> <=
export const sum = (a: number, b: number): number => a + b;
\`\`\`
`;

export const DIFF = `--- a/src/sum.ts
+++ b/src/sum.ts
@@ -1,4 +1,5 @@
 // Adds.
-export const sum = (a, b) => a + b;
+export const sum = (a: number, b: number): number =>
+  a + b;
 
 export const one = 1;
`;

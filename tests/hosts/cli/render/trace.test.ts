/** The trace: a tree of runs with where their time went, as data and as text. */
import { expect, test } from 'vitest';
import stringWidth from 'string-width';
import type { WorkflowDetail } from '#contract/view.ts';
import { newId } from '#core/base/ids.ts';
import { plainStyle } from '#hosts/cli/terminal/style.ts';
import { traceText } from '#hosts/cli/render/trace-text.ts';
import { traceOf } from '#hosts/cli/render/trace.ts';
import { projectedRows } from '../../../support/memory-rows.ts';
import { recordedServing, served } from '../../../support/flows/served.ts';
import { envelopeOf } from '../../../support/envelope.ts';
import { grantOf } from '../../../core/approvals/support.ts';
import {
  at,
  childId,
  conversationRow,
  decision,
  later,
  leadId,
  requestUsage,
  runRow,
  spawnRequest,
  workflowRow,
} from '../../support/events.ts';

const child = runRow({
  id: childId,
  parentRunId: leadId,
  kind: 'spawn',
  depth: 1,
  agent: 'code-reviewer',
  name: 'code-reviewer',
  title: 'review the parser',
  queuedAt: at,
  startedAt: later(500),
  endedAt: later(2000),
  durationMs: 1500,
  status: 'error',
  outcome: 'error',
  error: { code: 'rate_limited', message: 'Too many requests' },
  parentChain: ['user', 'lead'],
  envelope: envelopeOf('code-reviewer', 'Review it', { modelOrigin: 'lead' }),
});
const detail: WorkflowDetail = {
  conversation: conversationRow(),
  workflow: workflowRow(),
  runs: [runRow(), child],
  calls: [
    {
      runId: childId,
      toolCallId: 'a',
      name: 'grep',
      status: 'completed',
      startedAt: later(600),
      endedAt: later(700),
    },
    {
      runId: childId,
      toolCallId: 'b',
      name: 'read_file',
      status: 'completed',
      startedAt: later(650),
      endedAt: later(800),
    },
    {
      runId: childId,
      toolCallId: 'c',
      name: 'grep',
      status: 'running',
      startedAt: later(900),
      endedAt: null,
    },
  ],
  approvals: [{ request: spawnRequest(), decisions: [decision({ at: later(400) })] }],
  requests: [
    { ...requestUsage({ durationMs: 300 }), runId: childId },
    { ...requestUsage({ durationMs: 200 }), runId: childId },
    { ...requestUsage({ durationMs: 50 }), runId: leadId },
  ],
};
const trace = traceOf(detail.conversation, [detail]);

test('the tree has the lead with its sub-agent below, each with its chain and outcome', () => {
  const [lead] = trace.workflows[0]?.runs ?? [];
  expect(lead).toMatchObject({ runId: leadId, role: 'primary', outcome: 'completed', order: 1 });
  expect(lead?.children).toMatchObject([
    {
      runId: childId,
      role: 'sub-agent',
      kind: 'spawn',
      order: 1,
      traceId: child.traceId,
      parentChain: ['user', 'lead'],
      error: { code: 'rate_limited' },
      children: [],
    },
  ]);
});

test('splits time into queued, waiting, model and tools, and counts parallel tools once', () => {
  const [lead] = trace.workflows[0]?.runs ?? [];
  expect(lead?.children[0]?.times).toEqual({ queuedMs: 100, waitingMs: 400, modelMs: 500, toolsMs: 200 });
  expect(lead?.times).toEqual({ queuedMs: 0, waitingMs: 400, modelMs: 50, toolsMs: 0 });
});

test('lists an approval under the run that requested it, with the run that it allows', () => {
  const [lead] = trace.workflows[0]?.runs ?? [];
  expect(lead?.approvals).toMatchObject([
    {
      title: 'Start code-reviewer',
      runId: childId,
      allowed: true,
      decidedBy: 'person',
      askedAt: at,
      decidedAt: later(400),
    },
  ]);
});

test('the text has header, total, tree, order, times, tokens, marks and errors', () => {
  const lines = traceText(trace, Infinity, plainStyle);
  expect(lines[0]).toBe(`Session ${trace.id}: Review the parser`);
  expect(lines[1]).toContain('total 4.6 s · 1,234 tokens');
  const { traceId, spanId, runs } = trace.workflows[0]!;
  const [lead] = runs;
  expect(lines[5]).toBe(`  trace ${traceId} · span ${spanId}`);
  expect(lines.slice(6)).toEqual([
    '◆ ✓ lead (primary) · 4,600 ms · 0 tokens · $0.00 · completed',
    '│   queued 0 ms · waiting 400 ms · model 50 ms · tools 0 ms',
    `│   claude-sonnet-5-5 · run ${lead?.runId} · span ${lead?.spanId}`,
    '│   ? Start code-reviewer – approved by person',
    '└── ● ✗ code-reviewer (spawn #1) · 1,500 ms · 0 tokens · $0.00 · error',
    '        queued 100 ms · waiting 400 ms · model 500 ms · tools 200 ms',
    `        claude-sonnet-5-5 (lead) · run ${lead?.children[0]?.runId} · span ${lead?.children[0]?.spanId}`,
    '        rate_limited: Too many requests',
    `        trace ${child.traceId} · user → lead · spawn: ${child.title}`,
  ]);
});

test('cuts each call, question and message to one line of 200 characters, without control characters', () => {
  const long = `rm -rf \u001b[31m\n${'🙂'.repeat(300)}\t\u202eend`;
  const calls = [{ ...detail.calls[0]!, status: 'error' as const, refusal: long }];
  const approvals = [{ request: { ...spawnRequest(), title: long }, decisions: [decision({ at: later(400) })] }];
  const run = runRow({ said: [{ id: newId(), text: long, at }] });
  const workflow = workflowRow({ prompt: long });
  const made = traceOf(detail.conversation, [{ ...detail, workflow, calls, approvals, runs: [run, child] }]);
  const lines = traceText(made, Infinity, plainStyle);
  const marked = lines.filter((line) => line.includes('🙂'));
  expect(marked).toHaveLength(4);
  for (const line of marked) {
    expect([...line]).toHaveLength(200);
    expect(line).toMatch(/🙂…$/);
    expect(line).not.toMatch(/\p{C}/u);
  }
  expect(made.workflows[0]?.runs[0]?.children[0]?.toolCalls[0]?.refusal, 'the JSON has all of it').toBe(long);
});

test('prints the origin of a model in the JSON; null if it is not known', () => {
  const [lead] = trace.workflows[0]?.runs ?? [];
  expect([lead?.modelOrigin, lead?.children[0]?.modelOrigin]).toEqual([null, 'lead']);
});

test('the text shows that a workflow was interrupted and resumed', () => {
  const again = { workflow: workflowRow({ attempt: 3 }), runs: [runRow({ attempt: 2 })] };
  const lines = traceText(traceOf(detail.conversation, [{ ...detail, ...again }]), Infinity, plainStyle);
  expect(lines[3]).toMatch(/^Workflow .* · attempt 3, interrupted 2 times$/);
  expect(lines[6]).toBe('◆ ✓ lead (primary) · 4,600 ms · 0 tokens · $0.00 · completed · attempt 2, interrupted once');
});

test('a narrow terminal shortens lines but prints errors in full', () => {
  const narrow = traceText(trace, 40, plainStyle);
  for (const line of narrow) expect(stringWidth(line)).toBeLessThanOrEqual(40);
  expect(narrow.map((line) => line.trim()).join('')).toContain(child.traceId);
  expect(narrow.map((line) => line.trim()).join(' ')).toContain('rate_limited: Too many requests');
});

test('names the grant or rule that allowed a call, and lists grants with their times', () => {
  const grant = grantOf({ id: newId(), calls: 1, givenAt: later(300), revokedAt: later(900) });
  const approvals = [
    { request: spawnRequest({ id: grant.approvalId }), decisions: [decision()] },
    { request: spawnRequest(), decisions: [decision({ decidedBy: 'rule', ruleId: `grant:${grant.id}` })] },
    { request: spawnRequest(), decisions: [decision({ decidedBy: 'rule', ruleId: 'user:2' })] },
  ];
  const granted = traceOf(detail.conversation, [{ ...detail, approvals, grants: [grant] }]);
  expect(granted.workflows[0]?.grants).toEqual([grant]);
  expect(granted.workflows[0]?.runs[0]?.approvals).toMatchObject([
    { ruleId: null, grantId: grant.id, toolCallId: 'call-1' },
    { ruleId: `grant:${grant.id}`, grantId: null },
    { ruleId: 'user:2', grantId: null },
  ]);
  const lines = traceText(granted, Infinity, plainStyle);
  expect(lines.filter((line) => line.includes('?'))).toEqual([
    '│   ? Start code-reviewer – approved by person',
    `│   ? Start code-reviewer – approved by grant:${grant.id}`,
    '│   ? Start code-reviewer – approved by rule user:2',
  ]);
  const last = lines.at(-1);
  expect(last).toContain(`+ grant:${grant.id} · lead may use write_file on docs/*.md (project)`);
  expect(last).toMatch(/given .+ · used once · revoked /);
});

test('lists coagents and stages below their run, with role, place and call path', () => {
  const made = projectedRows(recordedServing().durable);
  const { critics, lead, writer, ...others } = served;
  const of = ({ runId }: typeof lead) => made.get('run', runId)!;
  const runs = [lead, writer, ...Object.values(others), ...critics]
    .map(of)
    .sort((a, b) => (a.queuedAt < b.queuedAt ? -1 : 1));
  const workflow = made.get('workflow', lead.workflowId)!;
  const trace = traceOf(conversationRow(), [{ ...detail, workflow, runs, calls: [], requests: [], approvals: [] }]);
  const [{ runs: [root] = [] } = {}] = trace.workflows;
  const facts = root?.children.flatMap((child) => [child, ...child.children]) ?? [];
  expect(facts.map(({ agent, role, order, place, depth }) => [agent, role, order, place, depth])).toEqual([
    ['writer', 'sub-agent', 1, null, 1],
    ['proofreader', 'coagent', 1, 1, 1],
    ['editor', 'stage', 1, 1, 1],
    ['checker', 'stage', 2, 2, 1],
    ['critic', 'coagent', 1, 1, 0],
    ['critic', 'coagent', 2, 2, 0],
  ]);
  expect(facts.map(({ callPath }) => callPath.join(' '))).toEqual([
    'child:writer',
    'child:writer child:proofreader',
    'child:writer child:editor',
    'child:writer child:editor child:checker',
    'child:critic',
    'child:critic',
  ]);
  const lines = traceText(trace, 120, plainStyle).join('\n');
  expect(lines).toMatch(
    /├── ● ✓ writer \(delegate #1\)[^\n]*\n[^\n]*\n[^\n]*\n│ {3}├── ● ✓ proofreader \(coagent, round 1\)/,
  );
  expect(lines).toMatch(
    /│ {3}└── ● ✓ checker \(stage 2\)[^\n]*\n[^\n]* · child:writer › child:editor › child:checker\n/,
  );
  expect(lines).toMatch(/└── ◆ ✓ critic \(coagent, round 2\)/);
});

test('prints each compaction as a line of its run', () => {
  const sizes = { tokensBefore: 90_000, tokensAfter: 12_000, auto: true };
  const summary = {
    kind: 'compaction' as const,
    n: 4,
    at: detail.workflow.createdAt,
    text: '',
    kept: '',
    upTo: 1,
    prior: [],
    priorRuns: [],
  };
  const compactions = new Map([[detail.workflow.runId, [{ ...summary, ...sizes }]]]);
  const summarised = traceOf(detail.conversation, [detail], { compactions });
  expect(summarised.workflows[0]?.runs[0]?.compactions).toEqual([{ at: summary.at, ...sizes, undone: false }]);
  expect(traceText(summarised, Infinity, plainStyle).join('\n')).toContain(
    '⇊ Context compacted: 90,000 → 12,000 tokens · ',
  );
});

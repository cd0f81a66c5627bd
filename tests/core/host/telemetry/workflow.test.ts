/** Every span of a workflow is read back from what a collector is sent, and says what the history says. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { DurableEvent } from '#contract/event.ts';
import type { RunRow, WorkflowDetail } from '#contract/view.ts';
import { addTally, tallyOf } from '#domain/tally.ts';
import { spanIdOf } from '#contract/telemetry/span-ids.ts';
import { traceIdOf } from '#core/base/ids.ts';
import { WorkflowSpans } from '#core/host/telemetry/workflow-spans.ts';
import { delegateTo, spawn } from '../../../support/fake-model/scenarios.ts';
import { Script, text, toolUse } from '../../../support/fake-model/script.ts';
import { before, done, pair, PAIR, startFlow } from '../../../support/flows/flows.ts';
import { chainScript, GOOD, stagesOf, startChain } from '../../../support/flows/chains.ts';
import { type Received, startCollector } from '../../../support/telemetry/collector.ts';

/** Three sub-agents: one is refused by the provider for good, one after a repeat goes on, one hands over to its coagent. */
function threeScript(): Script {
  const lead = new Script()
    .on({ tools: ['delegate_task'], turn: 1, step: 1 })
    .reply([
      text('Three of them.'),
      spawn({ name: 'alpha', prompt: 'Write alpha.', tools: ['write_file'] }),
      spawn({ name: 'beta', prompt: 'Look at beta.' }),
      delegateTo(PAIR, 'Write the page.'),
    ])
    .on({ prompt: /Write alpha/, step: 1 })
    .reply([], { status: 529, error: { type: 'overloaded_error', message: 'Overloaded' }, times: 1 })
    .on({ prompt: /Write alpha/, step: 1 })
    .reply([toolUse('write_file', { path: 'alpha.md', content: 'Alpha.\n' })], {
      usage: { input: 50, cacheRead: 30, cacheWrite5m: 20, output: 9, thinking: 4 },
    })
    .on({ prompt: /Write alpha/ })
    .reply([text('Alpha is written.')])
    .on({ prompt: /Look at beta/ })
    .reply([], { status: 400, error: { type: 'invalid_request_error', message: 'No beta here' } })
    .on({ tools: ['delegate_task'] })
    .reply([text('All is done.')]);
  return before(pair(['First.', 'Second.'], { First: 'No title.', Second: done('Good.') }), lead);
}

async function exported() {
  const collector = await startCollector();
  const settings = `[telemetry]\nendpoint = "${collector.url}"\n`;
  const engine = await startFlow(threeScript(), { flow: { type: 'judge' }, as: 'sub', settings });
  const sent = await engine.runtime.request('message.send', {
    conversationId: engine.conversationId,
    text: 'Do three things',
    approve: 'all',
    via: 'cli',
  });
  const end = await engine.ended(sent.workflowId);
  const detail = await engine.runtime.request('workflow.get', { workflowId: sent.workflowId });
  const find = (id: string) => engine.runtime.request('trace.find', { id });
  const { firstSeq, lastSeq } = detail.workflow;
  const stored = await engine.store.events(engine.conversationId, firstSeq, lastSeq);
  const again = new WorkflowSpans(() => false);
  const spanIds = stored.flatMap((event) => again.take(event)).map(({ spanId }) => spanId);
  const about = await Promise.all(spanIds.map(async (spanId) => [spanId, (await find(spanId)).runId] as const));
  const ofTraces = await Promise.all(detail.runs.map(async ({ traceId }) => (await find(traceId)).runId));
  await engine.runtime.close();
  // The history alone leads to the same ids, and the ids to the runs.
  const spans = await collector.have(1);
  const told = spans.map(({ spanId, attributes }) => [spanId, attributes['triad.run.id'] ?? detail.workflow.runId]);
  expect(Object.fromEntries(about)).toEqual(Object.fromEntries(told));
  expect(ofTraces).toEqual(detail.runs.map(({ id }) => id));
  return { collector, end, detail, spans, stored };
}

const of = (spans: readonly Received[], level: string) =>
  spans.filter(({ attributes }) => attributes['triad.span'] === level);
const sum = (spans: readonly Received[], name: string) =>
  spans.reduce((all, { attributes }) => all + Number(attributes[name]), 0);

test('exports spans and metrics of three sub-agents, a handoff and failed requests that match the history', async () => {
  const { spans, detail, end, collector, stored } = await exported();
  expect(end.subAgents.map(({ outcome }) => outcome)).toEqual(['completed', 'error', 'completed']);
  const { workflow, runs, calls, requests } = detail;

  // Each once, in one trace, which is that of the lead's run.
  expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(spans.length);
  expect(new Set(spans.map(({ traceId }) => traceId))).toEqual(new Set([traceIdOf(workflow.runId)]));
  const failedOnce = requests.filter(({ error }) => error !== null);
  expect(failedOnce.map(({ error }) => error?.code).sort()).toEqual(['bad_request', 'overloaded']);
  expect(of(spans, 'agent_turn')).toHaveLength(runs.length);
  expect(of(spans, 'tool_execution')).toHaveLength(calls.length);
  // The one that was repeated is one span.
  expect(of(spans, 'llm_completion')).toHaveLength(requests.length - 1);
  expect(of(spans, 'handoff')).toHaveLength(2);
  expect(spans).toHaveLength(runs.length + calls.length + requests.length - 1 + 2 + 1);

  const top = spans.find(({ parentSpanId }) => parentSpanId === undefined)!;
  expect(top).toMatchObject({
    name: 'cli_prompt',
    kind: 1,
    status: { code: 1 },
    startTimeUnixNano: Date.parse(workflow.createdAt),
    endTimeUnixNano: Date.parse(workflow.endedAt!),
  });
  for (const run of runs) expectRun(run, detail, spans);
  for (const call of calls) expectCall(call, detail, spans);
  for (const span of spans) expect(span.attributes).toEqual(attributesOf(span, detail, stored));

  // The totals are those of the history, on each level.
  for (const level of ['agent_turn', 'llm_completion', 'cli_prompt']) {
    const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, nanoUsd } = workflow.usage;
    const all = of(spans, level);
    expect(sum(all, 'gen_ai.usage.input_tokens')).toBe(inputTokens + cacheReadTokens + cacheWriteTokens);
    expect(sum(all, 'gen_ai.usage.output_tokens')).toBe(outputTokens);
    expect(sum(all, 'gen_ai.usage.cache_read.input_tokens')).toBe(cacheReadTokens);
    expect(sum(all, 'triad.cost_usd')).toBeCloseTo(nanoUsd / 1e9, 12);
  }
  expectMetrics(collector.metrics, detail, spans);
  // Nothing of what was said: the person has not asked for it.
  const told = collector.requests.map(({ text: body }) => body).join('');
  for (const words of ['Do three things', 'Alpha.', 'Write alpha', 'No title', 'All is done', 'You are the worker'])
    expect(told).not.toContain(words);
});

const totalOf = (usage: RunRow['usage']) =>
  usage.inputTokens + usage.outputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;

type Told = Record<string, unknown>;

const usedOf = ({ inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, nanoUsd }: RunRow['usage']): Told => ({
  'gen_ai.usage.input_tokens': inputTokens + cacheReadTokens + cacheWriteTokens,
  'gen_ai.usage.output_tokens': outputTokens,
  'gen_ai.usage.cache_read.input_tokens': cacheReadTokens,
  'gen_ai.usage.cache_creation.input_tokens': cacheWriteTokens,
  'triad.cost_usd': nanoUsd / 1e9,
});

/** All that a span says, from what is stored. */
function attributesOf({ attributes }: Received, detail: WorkflowDetail, stored: readonly DurableEvent[]): Told {
  const { workflow } = detail;
  const runId = attributes['triad.run.id'] as string | undefined;
  const level = String(attributes['triad.span']);
  const common = {
    'triad.span': level,
    'triad.workflow.id': workflow.id,
    'triad.attempt': 1,
    'triad.run.id': runId,
    'triad.history.path': `/history/${workflow.id}${runId === undefined ? '' : `?run=${runId}`}`,
  };
  const own = stored.filter((event) => event.runId === runId);
  const of_: Record<string, () => Told> = {
    cli_prompt: () => ofPrompt(detail),
    agent_turn: () =>
      ofRun(
        own,
        detail.runs.find(({ id }) => id === runId)!,
      ),
    llm_completion: () => ofRequest(own, attributes['triad.request.id'], detail),
    tool_execution: () => ofCall(own, attributes['gen_ai.tool.call.id']),
    handoff: () => ofHandoff(own, attributes['triad.handoff.round']),
  };
  return { ...common, ...of_[level]!() };
}

function ofPrompt({ workflow, runs, calls }: WorkflowDetail): Told {
  const agent = runs.find(({ kind }) => kind === 'lead')?.agent;
  const { conversationId, usage, outcome, createdAt, endedAt } = workflow;
  return {
    'gen_ai.operation.name': 'invoke_workflow',
    'gen_ai.workflow.name': agent,
    'acp_agent.name': agent,
    'gen_ai.conversation.id': conversationId,
    'acp_session.id': conversationId,
    'triad.outcome': outcome,
    'acp.total_tokens': totalOf(usage),
    'acp.total_duration_ms': Date.parse(endedAt!) - Date.parse(createdAt),
    'acp.tool_calls_count': calls.length,
    'acp.control_flow.iterations': 1,
    ...usedOf(usage),
  };
}

const theOne = <T extends DurableEvent['type']>(events: readonly DurableEvent[], type: T) =>
  events.find((event): event is Extract<DurableEvent, { type: T }> => event.type === type)!;

function ofRun(own: readonly DurableEvent[], { id, agent, kind, outcome, error, usage }: RunRow): Told {
  const { envelope, conversationId } = theOne(own, 'run-queue');
  return {
    'gen_ai.operation.name': 'invoke_agent',
    'gen_ai.agent.id': id,
    'gen_ai.agent.name': agent,
    'gen_ai.provider.name': envelope.provider,
    'gen_ai.request.model': envelope.model,
    'gen_ai.conversation.id': conversationId,
    'agent.name': agent,
    'triad.outcome': outcome,
    'agent.role': { lead: 'lead', coagent: 'coagent' }[kind as string] ?? 'sub-agent',
    'triad.queued_ms': Math.round(theOne(own, 'run-start').queuedMs),
    'triad.duration_ms': theOne(own, 'run-end').durationMs,
    'error.type': error?.code,
    ...usedOf(usage),
  };
}

function ofRequest(own: readonly DurableEvent[], requestId: unknown, { requests }: WorkflowDetail): Told {
  const { envelope, agent, conversationId } = theOne(own, 'run-queue');
  const { turn } = requests.find((one) => one.requestId === requestId)!;
  const attempts = requests.filter((one) => one.turn === turn && one.runId === own[0]?.runId);
  const last = attempts.at(-1)!;
  return {
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': last.provider,
    'gen_ai.agent.name': agent,
    'gen_ai.conversation.id': conversationId,
    'gen_ai.request.model': last.model,
    'gen_ai.request.stream': true,
    'gen_ai.request.max_tokens': envelope.maxTokens,
    'gen_ai.response.id': last.error ? undefined : (expect.stringMatching(/^msg_/) as unknown),
    'gen_ai.response.finish_reasons': last.error ? undefined : [last.stopReason],
    'gen_ai.response.time_to_first_chunk': last.firstTokenMs === null ? undefined : last.firstTokenMs / 1000,
    ...usedOf(attempts.map(tallyOf).reduce(addTally)),
    'gen_ai.usage.reasoning.output_tokens': attempts.reduce((all, one) => all + one.thinkingTokens, 0),
    'triad.request.id': requestId,
    'triad.request.attempts': attempts.length,
    'error.type': last.error?.code,
    'triad.usage.estimated': attempts.some(({ reported }) => !reported),
  };
}

function ofCall(own: readonly DurableEvent[], toolCallId: unknown): Told {
  const ended = own.filter((event) => event.type === 'tool-end').find(({ entry }) => entry.toolCallId === toolCallId)!;
  const { name, status, durationMs } = ended.entry;
  return {
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': name,
    'tool.name': name,
    'gen_ai.tool.call.id': toolCallId,
    'tool.result.status': status,
    'tool.result.duration_ms': durationMs,
    'tool.result.files_modified': name === 'write_file' ? ['alpha.md'] : [],
    'error.type': status === 'completed' ? undefined : status,
  };
}

function ofHandoff(own: readonly DurableEvent[], round: unknown): Told {
  const both = own.filter((event) => event.type === 'handoff').filter(({ entry }) => entry.round === round);
  const [{ entry: to }, { entry: back }] = [both[0]!, both[1]!];
  return {
    'handoff.from': to.from,
    'handoff.to': to.to,
    'triad.handoff.round': round,
    'triad.outcome': back.back?.outcome,
  };
}

function expectRun(run: RunRow, { runs, workflow, requests }: WorkflowDetail, spans: readonly Received[]): void {
  const span = of(spans, 'agent_turn').find(({ attributes }) => attributes['triad.run.id'] === run.id)!;
  const parent = spans.find(({ spanId }) => spanId === span.parentSpanId)!;
  const above = runs.find(({ id }) => id === run.parentRunId);
  const failed = run.outcome === 'error';
  expect(span).toMatchObject({
    name: `invoke_agent ${run.agent}`,
    spanId: spanIdOf(workflow.id, ['agent', run.id, 1]),
    startTimeUnixNano: Date.parse(run.startedAt!),
    endTimeUnixNano: Date.parse(run.endedAt!),
    status: failed ? { code: 2, message: run.error?.message } : { code: 1 },
  });
  expect(parent.attributes).toMatchObject(
    run.kind === 'lead'
      ? { 'triad.span': 'cli_prompt' }
      : run.kind === 'coagent'
        ? {
            'triad.span': 'handoff',
            'triad.run.id': above?.id,
            'handoff.to': run.agent,
            'triad.handoff.round': run.place,
          }
        : { 'triad.span': 'tool_execution', 'triad.run.id': above?.id, 'gen_ai.tool.call.id': run.toolCallId },
  );
  expectRequests(
    of(spans, 'llm_completion').filter(({ parentSpanId }) => parentSpanId === span.spanId),
    requests.filter(({ runId }) => runId === run.id),
  );
}

function expectRequests(ofOwn: readonly Received[], own: WorkflowDetail['requests']): void {
  // Every attempt is told in its request, with its times and tokens.
  const told = ofOwn
    .flatMap(({ events }) => events)
    .map(({ attributes, timeUnixNano }) => [
      attributes['triad.request.id'],
      timeUnixNano,
      attributes['gen_ai.usage.output_tokens'],
      attributes['error.type'],
    ]);
  expect(told.sort()).toEqual(
    own.map((one) => [one.requestId, Date.parse(one.startedAt), one.outputTokens, one.error?.code]).sort(),
  );
  for (const request of ofOwn) {
    const attempts = own.filter(({ requestId }) =>
      request.events.some(({ attributes }) => attributes['triad.request.id'] === requestId),
    );
    const last = attempts.at(-1)!;
    expect(request).toMatchObject({
      kind: 3,
      name: `chat ${last.model}`,
      startTimeUnixNano: Date.parse(attempts[0]!.startedAt),
      status: { code: last.error ? 2 : 1 },
    });
    expect(request.endTimeUnixNano).toBeCloseTo(Date.parse(last.startedAt) + last.durationMs, 2);
  }
}

function expectCall(
  { runId, toolCallId, name, startedAt, endedAt }: WorkflowDetail['calls'][number],
  { workflow }: WorkflowDetail,
  spans: readonly Received[],
): void {
  const span = of(spans, 'tool_execution').find(({ attributes }) => attributes['gen_ai.tool.call.id'] === toolCallId)!;
  expect(span).toMatchObject({
    name: `execute_tool ${name}`,
    spanId: spanIdOf(workflow.id, ['tool', runId, toolCallId, 1]),
    parentSpanId: spanIdOf(workflow.id, ['agent', runId, 1]),
    startTimeUnixNano: Date.parse(startedAt),
    endTimeUnixNano: Date.parse(endedAt!),
  });
}

function expectMetrics(
  metrics: Awaited<ReturnType<typeof exported>>['collector']['metrics'],
  { workflow: { usage }, calls }: WorkflowDetail,
  spans: readonly Received[],
): void {
  const points = (name: string) => {
    const metric = metrics.find((one) => one.name === name);
    return [...(metric?.sum?.dataPoints ?? []), ...(metric?.histogram?.dataPoints ?? [])];
  };
  const typed = (type: string) =>
    points('triad.tokens')
      .filter(({ attributes }) => attributes['gen_ai.token.type'] === type)
      .reduce((all, point) => all + ('asDouble' in point ? (point.asDouble ?? 0) : 0), 0);
  expect(['input', 'output', 'cache_read', 'cache_creation'].map(typed)).toEqual([
    ...[usage.inputTokens, usage.outputTokens, usage.cacheReadTokens, usage.cacheWriteTokens],
  ]);
  const counted = points('triad.tool.calls').reduce(
    (all, one) => all + ('asDouble' in one ? (one.asDouble ?? 0) : 0),
    0,
  );
  expect(counted).toBe(calls.length);
  const cost = points('triad.cost').reduce((all, one) => all + ('asDouble' in one ? (one.asDouble ?? 0) : 0), 0);
  expect(cost).toBeCloseTo(usage.nanoUsd / 1e9, 12);
  const all = points('gen_ai.client.token.usage').reduce((total, one) => total + ('sum' in one ? one.sum : 0), 0);
  expect(all).toBe(totalOf(usage));
  // Each span once, with the time that it took.
  for (const [name, level] of [
    ['gen_ai.client.operation.duration', 'llm_completion'],
    ['triad.tool.duration', 'tool_execution'],
    ['triad.agent.duration', 'agent_turn'],
    ['triad.prompt.duration', 'cli_prompt'],
  ] as const) {
    const told = metrics.find((one) => one.name === name)?.histogram?.dataPoints ?? [];
    const own = of(spans, level);
    expect(
      told.reduce((total, { count }) => total + count, 0),
      name,
    ).toBe(own.length);
    const took = own.reduce((total, one) => total + one.endTimeUnixNano - one.startTimeUnixNano, 0) / 1000;
    expect(
      told.reduce((total, one) => total + one.sum, 0),
      name,
    ).toBeCloseTo(took, 4);
  }
  const page = readFileSync(new URL('../../../../docs/telemetry.md', import.meta.url), 'utf8');
  const names = [...(page.split('## Metrics')[1] ?? '').matchAll(/^\| `([\w.]+)`/gm)].map(([, name]) => name);
  expect(metrics.map(({ name }) => name).sort()).toEqual(names.sort());
}

test('the span of a stage is a child of the span of its parent run and has the role stage', async () => {
  const collector = await startCollector();
  const engine = await startChain(chainScript(GOOD), { settings: `telemetry.endpoint = "${collector.url}"\n` });
  const end = await engine.ask('Go');
  const stages = (await stagesOf(engine, end.workflowId)).filter(({ kind }) => kind === 'chain');
  await engine.runtime.close();
  const runs = of(await collector.have(1), 'agent_turn');
  expect(stages.length).toBeGreaterThan(1);
  for (const { id, parentRunId } of stages) {
    const span = runs.find(({ attributes }) => attributes['triad.run.id'] === id);
    const parent = runs.find(({ spanId }) => spanId === span?.parentSpanId);
    expect(span?.attributes).toMatchObject({ 'agent.role': 'stage' });
    expect(parent?.attributes['triad.run.id']).toBe(parentRunId);
  }
});

/** A fork that goes on from a step: what was done well until there is taken from the cache of steps, and the rest is asked. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Approval } from '#contract/approval.ts';
import type { Input } from '#contract/rpc.ts';
import type { RunRow } from '#contract/view.ts';
import { talkIn } from '../../support/engine.ts';
import { CHILD, LEAD, spawn, threeChildren } from '../../support/fake-model/scenarios.ts';
import { Script, text, toolUse } from '../../support/fake-model/script.ts';
import { yes } from '../../support/compose.ts';
import { sharedEngine } from '../../support/shared-engine.ts';

const { start } = sharedEngine();
type Engine = Awaited<ReturnType<typeof start>>;

/** Says yes, and keeps what it was asked. */
function asked() {
  const questions: Approval[] = [];
  const person = (approval: Approval, item: number) => {
    questions.push(approval);
    return yes(approval, item);
  };
  return { questions, person };
}

const snapshotOf = ({ runtime }: Pick<Engine, 'runtime'>, conversationId: string) =>
  runtime.request('conversation.snapshot', { conversationId });

async function told(engine: Engine, workflowId: string) {
  const { runs, requests } = await engine.runtime.request('workflow.get', { workflowId });
  const lead = runs.find(({ parentRunId }) => parentRunId === null)!;
  const entries = await engine.runtime.request('run.entries', { runId: lead.id });
  return { lead, children: runs.filter(({ parentRunId }) => parentRunId !== null), entries, runs, requests };
}

/** Forks at a step and waits for what goes on from there. */
async function goOn(engine: Engine, step: Omit<Input<'conversation.fork'>, 'conversationId' | 'goOn'>, in_?: string) {
  const before = engine.model.requests.length;
  const made = await engine.runtime.request('conversation.fork', {
    ...{ conversationId: in_ ?? engine.conversationId, goOn: true },
    ...step,
  });
  const { workflows } = await snapshotOf(engine, made.id);
  const workflow = workflows.at(-1)!;
  await expect
    .poll(async () => (await snapshotOf(engine, made.id)).workflows.at(-1)?.outcome, { timeout: 20_000 })
    .not.toBeNull();
  const { conversation } = await snapshotOf(engine, made.id);
  return {
    made,
    workflow,
    conversation,
    ...(await told(engine, workflow.id)),
    asks: engine.model.requests.slice(before),
  };
}

const nothing = { requests: 0, inputTokens: 0, outputTokens: 0, nanoUsd: 0 };
const lastCall = (entries: readonly { n: number; kind: string }[]): number =>
  entries.findLast(({ kind }) => kind === 'tool')!.n;

test('from the last step of three sub-agents exactly the one request is made that differs, and nobody is asked', async () => {
  const { questions, person } = asked();
  const engine = await start(threeChildren(), { person });
  const { workflowId, outcome } = await engine.ask('Look at all of it');
  expect(outcome).toBe('completed');
  const first = await told(engine, workflowId);
  const before = (await snapshotOf(engine, engine.conversationId)).conversation.usage;
  questions.length = 0;

  const fork = await goOn(engine, { workflowId, entry: lastCall(first.entries) });
  expect(fork.asks).toHaveLength(1);
  expect(JSON.stringify(fork.asks[0]?.body)).toBe(JSON.stringify(engine.model.requests[7]?.body));
  expect(questions).toEqual([]);
  expect(fork.workflow.from).toEqual({
    ...{ conversationId: engine.conversationId, workflowId, runId: first.lead.id },
    entry: lastCall(first.entries),
  });
  const paid = { conversationId: engine.conversationId, workflowId };
  expect(fork.entries.map(({ kind, cached }) => [kind, cached?.runId])).toEqual([
    ['user', undefined],
    ...Array.from({ length: 4 }, (_, n) => [n === 0 ? 'assistant' : 'tool', first.lead.id]),
    ['assistant', undefined],
  ]);
  expect(
    fork.children.map(({ cached, usage, outcome: how, text: report }) => ({ cached, usage, how, report })),
  ).toEqual(
    first.children.map(({ id, envelopeHash, text: report }) => ({
      ...{ cached: { ...paid, runId: id, key: envelopeHash }, how: 'completed', report },
      usage: expect.objectContaining(nothing) as RunRow['usage'],
    })),
  );
  // Its one request is all that is counted; the first conversation has what it had.
  expect(fork.requests).toHaveLength(1);
  expect(fork.conversation.usage).toMatchObject({ requests: 1 });
  expect(fork.workflow.usage).toBeDefined();
  expect((await snapshotOf(engine, engine.conversationId)).conversation.usage).toEqual(before);
  // Who looks at a sub-agent there sees what it did, and where that was paid.
  const [child] = fork.children;
  const entries = await engine.runtime.request('run.entries', { runId: child!.id });
  expect(entries.every(({ cached }) => cached?.runId === first.children[0]!.id)).toBe(true);
  const { items } = await engine.runtime.request('execution.list', {});
  expect(items.filter(({ workflow_id }) => workflow_id === fork.workflow.id)).toEqual([]);
  expect((await engine.runtime.request('conversation.check', { conversationId: fork.made.id })).missing).toEqual([]);
});

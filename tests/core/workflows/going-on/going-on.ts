/** Forks that go on from a step: what came of them, as the store and the log of the scripted model have it. */
import { expect } from 'vitest';
import type { Approval } from '#contract/approval.ts';
import type { Input } from '#contract/rpc.ts';
import { yes } from '../../../support/compose.ts';
import type { Harness } from '../../../support/engine.ts';

type Engine = Pick<Harness, 'runtime' | 'model' | 'conversationId'>;

/** Says yes, and keeps what it was asked. */
export function asked() {
  const questions: Approval[] = [];
  const person = (approval: Approval, item: number) => {
    questions.push(approval);
    return yes(approval, item);
  };
  return { questions, person };
}

export const snapshotOf = ({ runtime }: { runtime: Harness['runtime'] }, conversationId: string) =>
  runtime.request('conversation.snapshot', { conversationId });

export async function told(engine: { runtime: Harness['runtime'] }, workflowId: string) {
  const { runs, requests } = await engine.runtime.request('workflow.get', { workflowId });
  const lead = runs.find(({ parentRunId }) => parentRunId === null)!;
  const entries = await engine.runtime.request('run.entries', { runId: lead.id });
  return { lead, children: runs.filter(({ parentRunId }) => parentRunId !== null), entries, runs, requests };
}

/** Forks at a step and waits for what goes on from there. */
export async function goOn(
  engine: Engine,
  step: Omit<Input<'conversation.fork'>, 'conversationId' | 'goOn'>,
  in_?: string,
) {
  const before = engine.model.requests.length;
  const made = await engine.runtime.request('conversation.fork', {
    conversationId: in_ ?? engine.conversationId,
    goOn: true,
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

export const nothing = { requests: 0, inputTokens: 0, outputTokens: 0, nanoUsd: 0 };

export const lastCall = (entries: readonly { n: number; kind: string }[]): number =>
  entries.findLast(({ kind }) => kind === 'tool')!.n;

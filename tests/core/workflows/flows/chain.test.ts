/** The runner of a chain alone: what goes from one run to the next, and where it ends. */
import { describe, expect, test } from 'vitest';
import type { Envelope, Stage } from '#contract/agent.ts';
import { ZERO_TALLY } from '#domain/tally.ts';
import { canonicalHash } from '#core/base/hash.ts';
import { type Approved, type Link, linkOf as readLink, type NextStage, runChain } from '#core/workflows/flows/chain.ts';
import { runRow } from '../../../hosts/support/events.ts';
import { FACTS } from '../../../support/flows/chains.ts';
import { envelopeOf } from '../../../support/envelope.ts';

const stageOf = (agent: string, changes: Partial<Stage> = {}): Stage => {
  const { prompt: _, stages: __, ...stage } = envelopeOf(agent, '-', changes);
  return stage;
};
const approved = (changes: Partial<Envelope> = {}): Approved => {
  const envelope = envelopeOf('research', 'Find.', { stages: [stageOf('draft'), stageOf('polish')], ...changes });
  return { envelope, envelopeHash: canonicalHash(envelope) };
};
const linkOf = (agent: string, text: string, end: Partial<Link> = {}): Link => {
  const base = { outcome: 'completed', error: null, durationMs: 1, tally: ZERO_TALLY } as const;
  return { runId: `run of ${agent}`, agent, text, ...base, ...end };
};
const broken = { outcome: 'error', error: { code: 'provider', message: 'It broke' } } as const;

/** Each stage gives its prompt back with its name before it. */
async function through(first: Link, parts: Approved, ends: Record<string, Partial<Link>> = {}) {
  const asked: NextStage[] = [];
  const end = await runChain(first, parts, async (next) => {
    asked.push(next);
    const { agent, prompt } = next.envelope;
    return linkOf(agent, `${agent}(${prompt})`, ends[agent]);
  });
  return { end, asked };
}

describe('the runner of a chain', () => {
  test('passes the text of each run to the next stage as its prompt, with the approved settings', async () => {
    const parts = approved();
    const { end, asked } = await through(linkOf('research', 'found'), parts);
    expect(asked.map(({ place, envelope }) => [place, envelope.agent, envelope.prompt])).toEqual([
      [1, 'draft', 'found'],
      [2, 'polish', 'draft(found)'],
    ]);
    for (const [index, { envelope, envelopeHash }] of asked.entries()) {
      expect(envelope).toEqual({ ...parts.envelope.stages[index], prompt: envelope.prompt, stages: [] });
      expect(envelopeHash).toBe(canonicalHash(envelope));
    }
    expect(end).toMatchObject({ outcome: 'completed', error: null });
    expect(end.links.map(({ text }) => text)).toEqual(['found', 'draft(found)', 'polish(draft(found))']);
  });

  test('returns the outcome of the first run if there are no stages', async () => {
    const { end, asked } = await through(linkOf('research', 'found', broken), approved({ stages: [] }));
    expect([end.outcome, end.error, asked]).toEqual(['error', broken.error, []]);
  });

  test.for([
    ['research', 'research ended as error: It broke. Not started after it: draft, polish'],
    ['draft', 'Stage 1 of 2 (draft) ended as error: It broke. Not started after it: polish'],
    ['polish', 'Stage 2 of 2 (polish) ended as error: It broke'],
  ])('stops at the first run that does not complete: %s', async ([agent, message]) => {
    const first = linkOf('research', 'found', agent === 'research' ? broken : {});
    const { end } = await through(first, approved(), { [agent!]: broken });
    expect(end).toMatchObject({ outcome: 'error', error: { code: 'chain_failed', message } });
    expect(end.links.at(-1)?.agent).toBe(agent);
  });

  test('adds the configured reason to a JSON payload and replaces its own reason', async () => {
    const output = { format: 'json', schema: FACTS, next: 'draft', reason: 'Chained execution' } as const;
    const { asked } = await through(linkOf('research', ' {"facts": ["a"], "reason": "mine"} '), approved({ output }));
    expect(JSON.parse(asked[0]!.envelope.prompt)).toEqual({ facts: ['a'], reason: 'Chained execution' });
  });

  test('starts no stage if the payload breaks the contract of the next stage', async () => {
    const output = { format: 'json', schema: FACTS, next: 'draft', reason: 'r' } as const;
    const { end, asked } = await through(linkOf('research', 'no JSON'), approved({ output }));
    expect(end).toMatchObject({ outcome: 'error', error: { code: 'invalid_chain_payload' } });
    expect(asked).toEqual([]);
  });

  test('starts no stage if the settings differ from the approved settings', async () => {
    const { envelope, envelopeHash } = approved();
    const widened = { ...envelope, stages: [stageOf('draft', { tools: ['write_file'] })] };
    const { end, asked } = await through(linkOf('research', 'found'), { envelope: widened, envelopeHash });
    expect(end).toMatchObject({ outcome: 'error', error: { code: 'envelope_mismatch' } });
    expect(asked).toEqual([]);
  });
});

test('a stored run includes its reviews in the report to its lead', () => {
  const reviews = [{ answer: 1, verdict: { passed: true, score: 90, critique: '' } }];
  expect(readLink(runRow({ reviews }))).toMatchObject({ reviews });
  expect(readLink(runRow())).not.toHaveProperty('reviews');
});

// An envelope as a picture: who works in which order, and all that serve it, each once.
import { expect, it } from 'vitest';
import { servedBy, stationsOf } from '#contract/flows/stations.ts';
import { envelopeOf } from '../../support/envelope.ts';
import { flow, stage } from '../../lib/support/flows.ts';

it('lists the run first, then its stages, each with its coagent', () => {
  const whole = envelopeOf('analyst', 'Work.', {
    flow: flow('reviewer')!,
    stages: [stage('writer'), stage('editor', { flow: flow('proofreader')! })],
  });
  expect(stationsOf(whole).map(({ place, agent, flow: own }) => [place, agent.agent, own?.coagent?.agent])).toEqual([
    [0, 'analyst', 'reviewer'],
    [1, 'writer', undefined],
    [2, 'editor', 'proofreader'],
  ]);
  expect(servedBy(whole).map(({ agent, role, handoff }) => [agent.agent, role, handoff?.text])).toEqual([
    ['reviewer', { kind: 'coagent', of: 'analyst' }, 'Look at it.'],
    ['writer', { kind: 'stage', place: 1 }, undefined],
    ['editor', { kind: 'stage', place: 2 }, undefined],
    ['proofreader', { kind: 'coagent', of: 'editor' }, 'Look at it.'],
  ]);
});

it('lists no serving agent for a run without a flow or with a loop alone', () => {
  expect(servedBy(envelopeOf('analyst', 'Work.'))).toEqual([]);
  expect(servedBy(envelopeOf('analyst', 'Work.', { flow: flow(null, 'loop')! }))).toEqual([]);
});

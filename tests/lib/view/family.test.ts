// Runs that serve another one belong to it: its card works until the last of them has ended, and counts what all used.
import { describe, expect, it } from 'vitest';
import type { RunRow } from '#contract/view.ts';
import { agentMarkOf } from '#contract/flows/agent-mark.ts';
import { agentLookOf } from '#lib/view/agent-look.ts';
import { chainOf, coagentRunsOf, familyOf, linkAt, phaseOfChain, usageOf } from '#lib/view/family.ts';
import { CALL, flow, follow, round, stage, type Team, team, reduceStory } from '../support/flows.ts';

const STAGES = { stages: [stage('writer'), stage('editor')] };

/** Of the first sub-agent, as its card shows it. */
function card({ story, first }: Team): { phase: string; links: string[]; at: string | undefined } {
  const view = reduceStory(story);
  const run = runIn(view.runs, first.runId);
  const links = chainOf(run, view.runs);
  return {
    phase: phaseOfChain(run, view),
    links: links.map((link) => `${link.place} ${link.agent} ${link.run?.outcome ?? (link.run ? 'works' : 'to come')}`),
    at: linkAt(links)?.agent,
  };
}

function runIn(runs: readonly RunRow[], runId: string): RunRow {
  const run = runs.find(({ id }) => id === runId);
  if (!run) throw new Error('There is such a run');
  return run;
}

describe('a chain', () => {
  it('lists its stages before they start, and runs until the last stage has ended', () => {
    const work = team('analyst', STAGES);
    const seen = [card(work)];
    work.first.end('completed', 'Found.');
    seen.push(card(work));
    const writer = follow(work, 'writer', 1);
    seen.push(card(work));
    writer.end('completed', 'Written.');
    follow(work, 'editor', 2).end('completed', 'Edited.');
    seen.push(card(work));
    expect(seen).toEqual([
      { phase: 'running', at: 'analyst', links: ['0 analyst works', '1 writer to come', '2 editor to come'] },
      { phase: 'running', at: 'analyst', links: ['0 analyst completed', '1 writer to come', '2 editor to come'] },
      { phase: 'running', at: 'writer', links: ['0 analyst completed', '1 writer works', '2 editor to come'] },
      { phase: 'completed', at: 'editor', links: ['0 analyst completed', '1 writer completed', '2 editor completed'] },
    ]);
  });

  it('shows the active stage and its number in the header', () => {
    const work = team('analyst', STAGES);
    const head = () => {
      const view = reduceStory(work.story);
      const { at, place, links } = agentLookOf(runIn(view.runs, work.first.runId), view);
      return `${at.agent} ${place} of ${links.length - 1}`;
    };
    const seen = [head()];
    work.first.end('completed', 'Found.');
    follow(work, 'writer', 1).end('completed', 'Written.');
    follow(work, 'editor', 2);
    expect([...seen, head()]).toEqual(['analyst 0 of 2', 'editor 2 of 2']);
  });

  it('shows a failed stage, which can be retried', () => {
    const work = team('analyst', STAGES);
    work.first.end('completed', 'Found.');
    const writer = follow(work, 'writer', 1);
    writer.end('error');
    expect(card(work)).toMatchObject({ phase: 'error', at: 'writer' });
    writer.again('Go on.', 2, 'retried');
    expect(card(work)).toMatchObject({ phase: 'running', at: 'writer' });
  });

  it('is interrupted where its workflow ended between two stages', () => {
    const work = team('analyst', STAGES);
    work.first.end('completed', 'Found.');
    work.story.endWorkflow(work.lead, 'interrupted', '');
    expect(card(work).phase).toBe('interrupted');
  });
});

describe('a coagent', () => {
  it('has a row per round below the run it reviews, and counts in the usage of the family', () => {
    const work = team('coder', { flow: flow('reviewer') });
    round(work, 'reviewer', 1, { passed: false, score: 60, critique: 'Too short.' });
    round(work, 'reviewer', 2, null);
    const { runs } = reduceStory(work.story);
    const own = runIn(runs, work.first.runId);
    expect(coagentRunsOf(own, runs).map(({ place, outcome }) => [place, outcome])).toEqual([
      [1, 'completed'],
      [2, null],
    ]);
    expect(familyOf(own, runs).map(({ agent }) => agent)).toEqual(['coder', 'reviewer', 'reviewer']);
    const sum = familyOf(own, runs).reduce((all, { usage }) => all + usage.outputTokens, 0);
    expect(usageOf(familyOf(own, runs)).outputTokens).toBe(sum);
    expect(sum).toBeGreaterThan(own.usage.outputTokens);
  });

  it('blocks the run it reviews while an approval of the coagent is open', () => {
    const work = team('coder', { flow: flow('reviewer') });
    const reviewer = round(work, 'reviewer', 1, null);
    expect(card(work).phase).toBe('running');
    reviewer.ask('toolu_2', [reviewer.child('nobody')]);
    expect(card(work).phase).toBe('waiting');
  });
});

it('coagents and stages share the mark of their sub-agent, and coagents of a lead have the mark of the lead', () => {
  const work = team('analyst', STAGES);
  work.first.end('completed', 'Found.');
  const writer = follow(work, 'writer', 1);
  const { story, lead } = work;
  const helper = lead.child('helper');
  helper.queue('coagent', 'Look.', null, 0, { place: 1 });
  const second = lead.child('second');
  second.queue('spawn', 'Look.', CALL, 1);
  const reviewer = second.child('reviewer');
  reviewer.queue('coagent', 'Look.', null, 0, { place: 1 });
  const { runs } = reduceStory(story);
  expect([work.first, writer, helper, second, reviewer].map(({ runId }) => agentMarkOf(runs, runId))).toEqual([
    ...['first', 'first', 'lead', 'second', 'second'],
  ]);
});

// A workflow's time is drawn as work only where somebody worked on it.
import { entriesIn } from '#lib/view/reduce.ts';
import { describe, expect, it } from 'vitest';
import { type Lane, lanesOf } from '#lib/history/waterfall.ts';
import { CALL, flow, follow, round, stage, team } from '../support/flows.ts';
import { Rows } from '../support/rows.ts';
import { type RecordedRun, Recording } from '../../support/recording.ts';

const HOUR = 3_600_000;

/** A lead that waits for its sub-agent, which has just begun to work. */
function atWork(): { story: Recording; lead: RecordedRun; child: RecordedRun; workflowId: string; now: () => number } {
  const story = new Recording({ stepMs: 1 });
  const now = (): number => Date.parse(story.at);
  const { lead, workflowId } = story.startWorkflow('Look at it');
  const child = lead.child('inspector');
  lead.answer('I ask for help.', { id: 'toolu_1', name: 'spawn_agent', input: {} });
  child.queue('spawn', 'Look.', 'toolu_1');
  story.pass(2000);
  lead.toolStart('toolu_1', 'spawn_agent');
  child.start('Look.');
  child.user('parent', 'Look.');
  story.pass(3000);
  child.answer('I read.', { id: 'toolu_2', name: 'read_file', input: {} });
  return { story, lead, child, workflowId, now };
}

/** As a program leaves it that died an hour ago, once the next one has looked at it. */
function interrupted(): ReturnType<typeof atWork> & { died: number } {
  const work = atWork();
  // The last request took a little longer than the event before it tells.
  const died = work.now() + 47;
  work.story.pass(HOUR);
  work.child.end('interrupted');
  work.story.endWorkflow(work.lead, 'interrupted', '');
  return { ...work, died };
}

function end({ story, lead, child }: ReturnType<typeof atWork>): void {
  story.pass(1000);
  child.answer('All is well.');
  child.end('completed', 'All is well.');
  lead.toolEnd('toolu_1', 'spawn_agent');
  lead.answer('Done.');
  story.endWorkflow(lead, 'completed', 'Done.');
}

function lanes(story: Recording, now: number): Lane[] {
  const rows = new Rows();
  for (const event of story.events) rows.take(event);
  const { workflows, runs, calls, approvals, entries } = rows.snapshot();
  const [workflow] = workflows;
  if (!workflow) throw new Error('The story has a workflow');
  const requests = story.events.flatMap((event) =>
    event.type === 'usage' ? [{ ...event.request, runId: event.runId }] : [],
  );
  return lanesOf({ workflow, runs, calls, approvals, requests }, entriesIn(entries), now);
}

/** The times of a lane's work. */
function times({ work }: Lane): number[][] {
  return work.map(({ from, to }) => [from, to]);
}

describe('lanesOf', () => {
  it('leaves out the time between an interruption and the resumption', () => {
    const work = interrupted();
    const { story, lead, child, workflowId, died, now } = work;
    story.pass(HOUR);
    lead.say({ type: 'workflow-start', prompt: 'Look at it', approve: 'ask', attempt: 2 });
    const resumed = now();
    lead.again('Look at it', 2);
    child.again('Look.', 2);
    end(work);
    const drawn = lanes(story, 0);
    const ended = Date.parse(story.events.at(-2)?.at ?? '');
    expect(drawn.map(({ run }) => run.workflowId)).toEqual([workflowId, workflowId]);
    const [of, its] = drawn.map(times);
    // The lead worked as long as the sub-agent that it waited for.
    expect(of?.[0]?.[1]).toBe(died);
    expect(its?.[0]?.[1]).toBe(died);
    expect(of).toHaveLength(2);
    expect(its).toHaveLength(2);
    expect(of?.[1]).toEqual([resumed + 2, ended]);
    for (const lane of drawn) {
      expect(lane.idleMs).toBeGreaterThan(2 * HOUR - 100);
      expect(lane.idleMs).toBeLessThan(2 * HOUR + 100);
    }
  });

  it('ends an interrupted run at its last activity, not at the detection of the interruption', () => {
    const { story, died } = interrupted();
    const drawn = lanes(story, 0);
    for (const lane of drawn) {
      // All that is drawn ends there too: else the work would be the first hair of an empty hour.
      const begun = Date.parse(lane.run.startedAt ?? '');
      expect(times(lane)).toEqual([[begun, died]]);
      expect(lane.idleMs).toBe(0);
    }
  });

  it('draws both attempts of a retried run beside its lead, which worked throughout', () => {
    const work = atWork();
    const { story, child } = work;
    child.end('error');
    story.pass(HOUR);
    child.again('Look.', 2, 'retried');
    end(work);
    const [lead, again] = lanes(story, 0);
    expect([lead?.work.length, lead?.idleMs]).toEqual([1, 0]);
    expect(again?.work).toHaveLength(2);
    expect(again?.idleMs).toBeGreaterThan(HOUR - 100);
  });

  it('draws running work up to now, and a queued run as waiting', () => {
    const { story, lead, now } = atWork();
    const waiting = lead.child('later');
    const [first, second] = lanes(story, now() + 5000);
    expect([first?.work.length, second?.work.length]).toEqual([1, 1]);
    for (const lane of [first, second]) {
      const [part] = lane?.work ?? [];
      expect(part?.to).toBe(now() + 5000);
    }
    expect(second?.queuedMs).toBeGreaterThanOrEqual(2000);
    waiting.queue('spawn', 'Look.', 'toolu_3');
    const queued = lanes(story, now() + 5000).find(({ run }) => run.agent === 'later');
    expect([queued?.work, queued?.workMs]).toEqual([[], null]);
    expect(queued?.queuedMs).toBeGreaterThanOrEqual(5000);
  });

  it('separates waits for the person, the queue, the model and tools', () => {
    const story = new Recording({ stepMs: 1 });
    const { lead } = story.startWorkflow('Look at it');
    const child = lead.child('inspector');
    lead.answer('I ask for help.', { id: 'toolu_1', name: 'spawn_agent', input: {} });
    child.queue('spawn', 'Look.', 'toolu_1');
    const { id } = lead.ask('toolu_1', [child]);
    story.pass(4000);
    lead.decide(id, 0, true);
    story.pass(1000);
    child.start('Look.');
    child.user('parent', 'Look.');
    child.answer('I read.', { id: 'toolu_2', name: 'read_file', input: {} });
    child.toolStart('toolu_2', 'read_file');
    child.toolEnd('toolu_2', 'read_file');
    child.answer('All is well.');
    child.end('completed', 'All is well.');
    story.endWorkflow(lead, 'completed', 'Done.');
    const drawn = lanes(story, 0).find(({ run }) => run.agent === 'inspector');
    const kinds = (drawn?.bars ?? []).map(({ kind }) => kind);
    expect([...new Set(kinds)].sort()).toEqual(['model', 'queue', 'tools', 'wait']);
    expect(drawn?.times.wait).toBeGreaterThanOrEqual(4000);
    expect(drawn?.times.wait).toBeLessThan(4100);
    expect(drawn?.times.queue).toBeGreaterThanOrEqual(1000);
    expect(drawn?.times.queue).toBeLessThan(1100);
    const requests = story.events.flatMap((event) =>
      event.type === 'usage' && event.runId === child.runId ? [event.request.requestId] : [],
    );
    expect(drawn?.bars.flatMap(({ requestId }) => requestId ?? [])).toEqual(requests);
  });

  it('draws the calls of MCP servers apart, each server below the run that called it', () => {
    const { story, child, now } = atWork();
    const names = ['read_file', 'mcp__tracker__list', 'mcp__everything__echo'];
    for (const [n, name] of names.entries()) {
      child.toolStart(`toolu_${n}`, name);
      story.pass(1000);
      child.toolEnd(`toolu_${n}`, name);
    }
    child.toolStart('toolu_9', 'mcp__tracker__close');
    const [ofLead, ofChild] = lanes(story, now() + 4000);
    expect(ofLead?.servers).toEqual([]);
    // A call that has ended took 12 ms in a story.
    const open = expect.closeTo(4000, -2) as number;
    const calls = ofChild?.servers.map(({ server, bars }) => [
      server,
      bars.map(({ tool, from, to }) => [tool, to - from]),
    ]);
    expect(calls).toEqual([
      [
        'tracker',
        [
          ['list', 12],
          ['close', open],
        ],
      ],
      ['everything', [['echo', 12]]],
    ]);
    expect(ofChild?.servers.map(({ ms }) => ms)).toEqual([open, 12]);
    expect(ofChild?.times).toMatchObject({ tools: 12, mcp: open });
    expect(ofChild?.bars.filter(({ kind }) => kind === 'mcp')).toHaveLength(3);
    const [tracker] = ofChild?.servers ?? [];
    const last = tracker?.bars.at(-1);
    expect(last?.to).toBe(now() + 4000);
  });

  it('counts no wait for an approval in the hours in which no run worked', () => {
    const work = atWork();
    const { story, lead, child } = work;
    const { id } = lead.ask('toolu_9', [lead.child('later')]);
    story.pass(HOUR);
    child.end('interrupted');
    story.endWorkflow(lead, 'interrupted', '');
    story.pass(HOUR);
    lead.say({ type: 'workflow-start', prompt: 'Look at it', approve: 'ask', attempt: 2 });
    lead.again('Look at it', 2);
    child.again('Look.', 2);
    story.pass(3000);
    lead.decide(id, 0, false);
    end(work);
    const [drawn] = lanes(story, 0);
    expect(drawn?.times.wait).toBeGreaterThanOrEqual(3000);
    expect(drawn?.times.wait).toBeLessThan(3500);
  });
});

it('places coagents and chain stages below their run, in order of start', () => {
  const work = team('coder', { flow: flow('reviewer'), stages: [stage('writer')] });
  round(work, 'reviewer', 1, { passed: false, score: 60, critique: 'Too short.' });
  round(work, 'reviewer', 2, { passed: true, score: 85, critique: 'Good.' });
  work.first.end('completed', 'Done.');
  follow(work, 'writer', 1).end('completed', 'Written.');
  const other = work.lead.child('other');
  other.queue('spawn', 'Look.', CALL, 1);
  expect(lanes(work.story, 0).map(({ run, level }) => [run.agent, run.place, level])).toEqual([
    ['lead', undefined, 0],
    ['coder', undefined, 1],
    ['reviewer', 1, 2],
    ['reviewer', 2, 2],
    ['writer', 1, 2],
    ['other', undefined, 1],
  ]);
});

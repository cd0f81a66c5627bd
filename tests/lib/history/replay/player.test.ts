// A player reads the events of one workflow, page by page, moves the moment, and asks the program for nothing else.
import { beforeEach, expect, it } from 'vitest';
import type { DurableEvent } from '#contract/event.ts';
import { Player } from '#lib/history/replay/player.svelte.ts';
import { isForPlayer, keysOf } from '#lib/history/replay/player-keys.ts';
import { viewBefore } from '#lib/view/replay/keyframes.ts';
import { reduce } from '#lib/view/reduce.ts';
import { FakeConnection } from '../../support/fake-connection.ts';
import { conversationId, Recording } from '../../../support/recording.ts';
import { emptyConversation } from '../../support/rows.ts';

const PAGE = 7;

/** A conversation of two workflows, of which the second was sent while the first worked. */
function conversation() {
  const story = new Recording();
  const { lead, workflowId } = story.startWorkflow('First');
  const later = story.startWorkflow('Second');
  lead.answer('I write.', { id: 'toolu_1', name: 'write_file', input: { path: 'a.txt' } });
  const { id } = lead.ask('toolu_1', [lead.child('helper')]);
  story.pass(60_000);
  lead.decide(id, 0, true);
  lead.toolStart('toolu_1', 'write_file');
  story.pass(10_000);
  lead.toolEnd('toolu_1', 'write_file', 'completed', {}, 10_000);
  lead.answer('Written.');
  story.endWorkflow(lead, 'completed', 'Written.');
  // What was done to it since is no part of how it went.
  lead.say({ type: 'change-undo', toolCallId: 'toolu_1', path: 'a.txt', undone: true });
  later.lead.answer('And the second.');
  story.endWorkflow(later.lead, 'completed', 'And the second.');
  const all = story.events.filter((event): event is DurableEvent => 'seq' in event);
  const of = all.filter((event) => event.workflowId === workflowId);
  return { all, workflowId, own: of.slice(0, of.findIndex(({ type }) => type === 'workflow-end') + 1) };
}

const { all, own, workflowId } = conversation();
const whole = reduce(viewBefore(emptyConversation()), own);
let connection: FakeConnection;
let frames: (() => void)[];
let now: number;

async function opened(outcome = whole.workflows[0]!.outcome): Promise<Player> {
  const workflow = { ...whole.workflows[0]!, outcome };
  const rows = { runs: whole.runs, calls: whole.calls, approvals: whole.approvals, requests: [] };
  connection = new FakeConnection()
    .on('workflow.get', () => ({ conversation: whole.conversation, workflow, ...rows }))
    .on('conversation.events', ({ after }) => all.filter(({ seq }) => seq > after).slice(0, PAGE));
  const schedule = (callback: () => void) => {
    frames.push(callback);
    return () => void (frames = frames.filter((one) => one !== callback));
  };
  const player = new Player(connection, workflowId, { schedule, now: () => now });
  await player.load();
  return player;
}

/** Lets time pass in frames of 100 ms. */
function pass(ms: number): void {
  for (let left = ms; left > 0; left -= 100) {
    now += Math.min(100, left);
    for (const frame of frames.splice(0)) frame();
  }
}

beforeEach(() => {
  frames = [];
  now = 0;
});

it('reads event pages up to the end of its workflow, and keeps only events of that workflow', async () => {
  const player = await opened();
  expect(player.failure).toBeNull();
  expect(player.events).toEqual(own);
  expect(player.end).toEqual({ ...whole, conversation: expect.anything() as unknown });
  const asked = connection.calls.flatMap(({ method, input }) =>
    method === 'conversation.events' ? [(input as { after: number; conversationId: string }).after] : [],
  );
  expect(asked).toEqual(Array.from({ length: Math.ceil(own.at(-1)!.seq / PAGE) }, (_, page) => page * PAGE));
  expect(connection.calls[1]?.input).toMatchObject({ conversationId });
});

it('starts at the message, paused', async () => {
  const player = await opened();
  expect([player.count, player.stepIndex, player.playing, player.place]).toEqual([1, 0, false, 0]);
  expect(player.view?.workflows[0]?.prompt).toBe('First');
  expect(player.view?.runs).toEqual([]);
});

it('keys step by one or ten steps, to marks and to both ends', async () => {
  const player = await opened();
  const press = (key: string, shiftKey = false) => {
    const prevented: boolean[] = [];
    keysOf(player)({ key, shiftKey, preventDefault: () => prevented.push(true) } as unknown as KeyboardEvent);
    return [player.stepIndex, prevented.length];
  };
  const last = player.steps.length - 1;
  expect(press('ArrowRight')).toEqual([1, 1]);
  expect(press('ArrowRight', true)).toEqual([Math.min(11, last), 1]);
  expect(press('ArrowLeft', true)).toEqual([1, 1]);
  expect(press('End')).toEqual([last, 1]);
  expect(player.view).toEqual({ ...whole, conversation: expect.anything() as unknown });
  expect(press('Home')).toEqual([0, 1]);
  const question = player.steps.findIndex(({ what }) => what.kind === 'asks');
  expect(press('PageDown')).toEqual([question, 1]);
  expect(press('PageDown')).toEqual([last, 1]);
  expect(press('PageUp')).toEqual([question, 1]);
  expect(press('a')).toEqual([question, 0]);
  expect(press(' ')).toEqual([question, 1]);
  expect(player.playing).toBe(true);
  press('ArrowRight');
  expect(player.playing, 'who steps has the time').toBe(false);
});

it('plays to the end at the speed that was chosen, with the wait for the person folded', async () => {
  const player = await opened();
  player.speed = 2;
  player.play();
  const seen = new Set<number>();
  let ms = 0;
  for (; player.playing && ms < 100_000; ms += 100) {
    pass(100);
    seen.add(player.count);
  }
  expect(player.count).toBe(own.length);
  // About ten seconds of work, and no more than an instant of waiting.
  expect(ms).toBeGreaterThan(4900);
  expect(ms).toBeLessThan(6000);
  expect(frames, 'nothing goes on').toEqual([]);
  player.play();
  expect([player.count, player.playing], 'again from the beginning').toEqual([1, true]);
  player.close();
});

it('plays waits at full length in true time', async () => {
  const player = await opened();
  player.speed = 20;
  player.inTrueTime = true;
  player.play();
  let ms = 0;
  for (; player.playing && ms < 100_000; ms += 100) pass(100);
  expect(ms).toBeGreaterThan(3400);
  expect(ms).toBeLessThan(3800);
});

it('keeps its moment when waits are unfolded, and after the page slept', async () => {
  const player = await opened();
  player.toPlace(0.5);
  const { at } = player;
  player.inTrueTime = true;
  expect(player.at).toBe(at);
  player.speed = 1;
  player.play();
  now += 60_000;
  frames.splice(0)[0]?.();
  expect(player.at - at).toBeLessThan(300);
  player.pause();
});

it('does not read events of a running workflow', async () => {
  const player = await opened(null);
  expect(player.view).toBeNull();
  expect(connection.calls.map(({ method }) => method)).toEqual(['workflow.get']);
});

it('reports why a load failed, and stops reading when it is closed', async () => {
  const player = await opened();
  connection.on('conversation.events', () => {
    throw Object.assign(new Error('gone'), { code: 'not_found' });
  });
  await player.load();
  expect(player.failure).not.toBeNull();
  connection.on('conversation.events', ({ after }) => {
    player.close();
    return all.filter(({ seq }) => seq > after).slice(0, PAGE);
  });
  connection.calls.length = 0;
  await player.load();
  expect(connection.calls.filter(({ method }) => method === 'conversation.events')).toHaveLength(1);
});

it('requests only stored events and the workflow', async () => {
  const player = await opened();
  for (let step = 0; step < player.steps.length; step += 1) player.move(1);
  player.play();
  pass(30_000);
  player.toPlace(0.3);
  await player.loadEntries();
  player.close();
  expect([...new Set(connection.calls.map(({ method }) => method))].sort()).toEqual([
    'conversation.events',
    'workflow.get',
  ]);
  expect(connection.subscriptions).toEqual([]);
});

it('handles keys only where the focused element does not use them', () => {
  const at = (of: string) =>
    ({ closest: (names: string) => (names.split(', ').includes(of) ? {} : null) }) as unknown as Element;
  const keys = ['ArrowRight', 'ArrowUp', 'End', ' '];
  const had = (of: string) => keys.map((key) => isForPlayer({ key, target: at(of) }));
  expect(had('body')).toEqual([true, true, true, true]);
  expect(had('button')).toEqual([true, true, true, false]);
  expect(had('[role=group][tabindex="0"]'), 'a transcript scrolls').toEqual([true, false, false, false]);
  expect(had('input'), 'the speeds').toEqual([false, false, false, false]);
});

it('plays copied sub-agents with the events of the original workflow, below the lead of the copy', async () => {
  const origin = new Recording();
  const first = origin.startWorkflow('First');
  const helper = first.lead.child('helper');
  helper.queue('spawn', 'Help.', 'toolu_1');
  helper.start('Help.');
  helper.answer('I helped.');
  helper.end('completed', 'I helped.');
  origin.endWorkflow(first.lead, 'completed', 'Helped.');
  const there = origin.events.filter((event): event is DurableEvent => 'seq' in event);
  const rows = reduce(viewBefore(emptyConversation()), there);
  const copiedFrom = { conversationId: 'origin', workflowId: 'first', runId: helper.runId };
  const [workflow, lead] = [whole.workflows[0]!, whole.runs[0]!];
  const elsewhere = rows.runs
    .filter(({ id }) => id === helper.runId)
    .map((run) => ({ ...run, workflowId, parentRunId: lead.id, conversationId: 'origin', copiedFrom }));
  const detail = { conversation: whole.conversation, runs: [], calls: [], approvals: [], requests: [] };
  connection = new FakeConnection()
    .on('workflow.get', (asked) =>
      asked.workflowId === workflowId
        ? { ...detail, workflow, elsewhere }
        : { ...detail, workflow: { ...rows.workflows[0]!, conversationId: 'origin' } },
    )
    .on('conversation.events', ({ conversationId, after }) =>
      (conversationId === 'origin' ? there : all).filter(({ seq }) => seq > after),
    );
  const player = new Player(connection, workflowId, { schedule: () => () => undefined, now: () => now });
  await player.load();
  const run = player.end?.runs.find(({ id }) => id === helper.runId);
  expect(run).toMatchObject({ copiedFrom, workflowId, parentRunId: lead.id, outcome: 'completed', text: 'I helped.' });
  expect(player.end?.workflows).toHaveLength(1);
});

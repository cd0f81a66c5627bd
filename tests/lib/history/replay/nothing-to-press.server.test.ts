// What happened cannot be answered, stopped, undone, tried again or talked to in a replay, at whatever moment.
import DOMPurify from 'dompurify';
import { render } from 'svelte/server';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { DurableEvent } from '#contract/event.ts';
import type { RunRow } from '#contract/view.ts';
import { Player } from '#lib/history/replay/player.svelte.ts';
import { viewBefore } from '#lib/view/replay/keyframes.ts';
import { questionsOf } from '#lib/view/phase.ts';
import { reduce } from '#lib/view/reduce.ts';
import { createPartialApp } from '../../support/partial-app.ts';
import { FakeConnection } from '../../support/fake-connection.ts';
import ReplayParts from '../../support/replay-parts.svelte';
import { emptyConversation } from '../../support/rows.ts';
import { storage } from '../../support/storage.ts';
import { type RecordedRun, Recording } from '../../../support/recording.ts';

// What needs a document or a browser, as far as it is needed: what is shown here is the test's own.
beforeAll(() => {
  Object.assign(DOMPurify, { sanitize: (html: string) => html });
  Object.assign(globalThis, { localStorage: storage() });
});
afterAll(() => {
  Reflect.deleteProperty(DOMPurify, 'sanitize');
  Reflect.deleteProperty(globalThis, 'localStorage');
});

const story = new Recording();
const { lead, workflowId } = story.startWorkflow('Go.');

function change(who: RecordedRun, call: string): void {
  who.answer('I write.', { id: call, name: 'write_file', input: { path: 'a.txt' } });
  who.toolStart(call, 'write_file');
  who.toolEnd(call, 'write_file', 'completed', { path: 'a.txt', undoable: true, diff: '@@ -0,0 +1 @@\n+a' });
}

function compact(who: RecordedRun, n: number): void {
  const sizes = { tokensBefore: 90, tokensAfter: 9, auto: true };
  const entry = { kind: 'compaction', n, at: story.at, text: 'It was so.', upTo: 1, kept: '' } as const;
  who.say({ type: 'compaction', entry: { ...entry, ...sizes, prior: [], priorRuns: [] } });
}

function end(who: RecordedRun, outcome: 'error' | 'budget_exceeded'): void {
  const error = { code: outcome === 'error' ? 'provider' : 'limit_reached', message: 'No more.' } as const;
  const usage = { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0, costUsd: null };
  who.say({ type: 'run-end', outcome, text: '', error, durationMs: 9, usage });
}

function tell(): DurableEvent[] {
  const helpers = ['one', 'two', 'three'].map((name) => lead.child(name));
  const [one, two, three] = helpers as [RecordedRun, RecordedRun, RecordedRun];
  change(lead, 'toolu_1');
  compact(lead, lead.entries);
  lead.answer('I ask for help.', { id: 'toolu_2', name: 'parallel_tasks', input: {} });
  helpers.forEach((voice, item) => voice.queue('parallel', 'Look.', 'toolu_2', item));
  const asked = lead.ask('toolu_2', helpers);
  helpers.forEach((_, item) => lead.decide(asked.id, item, true));
  lead.toolStart('toolu_2', 'parallel_tasks');
  for (const voice of helpers) voice.start('Look.');
  change(one, 'toolu_3');
  one.answer('And more.', { id: 'toolu_4', name: 'bash', input: { command: 'ls' } });
  const subject = { kind: 'tool', tool: 'bash', input: {}, folder: '/', preview: null, hash: 'hash' } as const;
  const call = { id: story.newId(), runId: one.runId, toolCallId: 'toolu_4', agent: 'one', subject };
  one.say({ type: 'approval-request', approval: { ...asked, ...call } });
  end(two, 'error');
  end(three, 'budget_exceeded');
  one.end('completed', 'Looked.');
  lead.toolEnd('toolu_2', 'parallel_tasks');
  story.endWorkflow(lead, 'completed', 'Done.');
  return story.events.filter((event): event is DurableEvent => 'seq' in event);
}

const events = tell();
const whole = reduce(viewBefore(emptyConversation()), events);

async function opened(): Promise<Player> {
  const { conversation, runs, calls, approvals } = whole;
  const detail = { conversation, workflow: whole.workflows[0]!, runs, calls, approvals, requests: [] };
  const connection = new FakeConnection()
    .on('workflow.get', () => detail)
    .on('conversation.events', ({ after }) => events.filter(({ seq }) => seq > after));
  const player = new Player(connection, workflowId);
  await player.load();
  return player;
}

/** Returns the parts of the app that these components read, at the moment of the player. */
const createApp = (player: Player) =>
  createPartialApp({
    attention: { questions: questionsOf(player.view!.approvals) },
    clock: { now: player.now },
    contexts: { windowOf: () => null, compactAt: null },
  });

/** Returns the names of the buttons that act. A text field counts as `say`. */
function findActs(body: string): string[] {
  const acts = /<(textarea|input|select)\b/.test(body) ? ['say'] : [];
  for (const [, inside = ''] of body.matchAll(/<button[^>]*>([\s\S]*?)<\/button>/g)) {
    const name = inside.replaceAll(/<[^>]*>/g, '').trim();
    const act = /^(Stop|Undo|Try again|Answer|Extend|Give it more)\b/.exec(name)?.[1];
    if (act !== undefined) acts.push(act);
  }
  return acts;
}

/** Returns the names of the buttons that act at any step. */
function actsIn(player: Player, present: boolean): string[] {
  const found = new Set<string>();
  for (let step = 0; step < player.steps.length; step += 1) {
    player.toStep(step);
    const { body } = render(ReplayParts, { props: { app: createApp(player), player, present } });
    for (const act of findActs(body)) found.add(act);
  }
  return [...found].sort();
}

it('a replay has no action button and no text field, though the live rows have them', async () => {
  const player = await opened();
  expect(player.failure).toBeNull();
  expect(actsIn(player, true)).toEqual(['Answer', 'Extend', 'Stop', 'Try again', 'Undo', 'say']);
  expect(actsIn(player, false)).toEqual([]);
});

it('shows the answer of the person at each replayed approval', async () => {
  const player = await opened();
  player.toStep(player.steps.findIndex(({ what }) => what.kind === 'asks'));
  const { body } = render(ReplayParts, {
    props: { app: { attention: { questions: [] } } as never, player, present: false },
  });
  const asked = /<section[^>]*aria-label="What you were asked at this moment"[\s\S]*?<\/section>/.exec(body)?.[0];
  const words = asked
    ?.replaceAll(/<!--.*?-->/g, '')
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ');
  for (const name of ['one', 'two', 'three']) expect(words).toContain(`${name}: You said yes`);
  expect(asked).not.toContain('<button');
});

it('offers to copy the text of an agent before a call, and the report of a sub-agent', async () => {
  const player = await opened();
  player.toStep(player.steps.length - 1);
  const { body } = render(ReplayParts, { props: { app: createApp(player), player, present: true } });
  const copies = [...body.matchAll(/aria-label="(Copy: [^"]*)"/g)].map(([, label]) => label);
  expect(copies).toContain('Copy: what it said, “I write.”');
  expect(copies).toContain('Copy: report of one');
});

it('offers no actions on the cards of sub-agents that a fork copied', async () => {
  const player = await opened();
  player.toStep(player.steps.length - 1);
  const view = player.view!;
  const isSubAgent = ({ parentRunId }: RunRow) => parentRunId !== null;
  const copiedView = {
    ...view,
    runs: view.runs.map((run) => (isSubAgent(run) ? { ...run, copiedFrom: { ...run, runId: run.id } } : run)),
  };
  const renderActs = (player: unknown) =>
    findActs(
      render(ReplayParts, { props: { app: createApp(player as Player), player: player as Player, present: true } })
        .body,
    );
  expect(renderActs(player)).toEqual(expect.arrayContaining(['Try again', 'Extend']));
  // The changes of the lead, which the fork has not copied here.
  expect(renderActs({ now: player.now, view: copiedView })).toEqual(['Undo', 'Undo']);
});

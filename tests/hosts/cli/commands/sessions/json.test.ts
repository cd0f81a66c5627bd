/** `triad sessions`: the stable JSON, and what becomes of an id that names nothing. */
import { expect, test } from 'vitest';
import type { SubAgentSummary } from '#contract/event.ts';
import type { Tally } from '#contract/outcome.ts';
import type { Snapshot, ToolCallRow } from '#contract/view.ts';
import { ZERO_TALLY } from '#domain/tally.ts';
import { TriadError } from '#core/base/errors.ts';
import { newId } from '#core/base/ids.ts';
import { sessionTable } from '#hosts/cli/render/session-table.ts';
import {
  at,
  childId,
  conversationId,
  conversationRow,
  later,
  leadId,
  runRow,
  workflowEnd,
  workflowId,
  workflowRow,
} from '../../../support/events.ts';
import { memoryClient } from '../../../support/memory-client.ts';
import { commandLine, type Setup, typing } from '../../../support/memory-io.ts';

const child = runRow({
  id: childId,
  parentRunId: leadId,
  kind: 'delegate',
  agent: 'code-reviewer',
  durationMs: 1500,
});
const served = { parentRunId: childId, agent: 'editor', place: 1 };
const stage = runRow({ ...served, id: newId(), kind: 'chain', durationMs: 1500 });
const snapshot: Snapshot = {
  seq: 9,
  conversation: conversationRow(),
  workflows: [workflowRow()],
  more: false,
  runs: [runRow(), child, stage, runRow({ ...served, id: newId(), kind: 'coagent' })],
  entries: {},
  calls: [],
  approvals: [],
  open: [],
};
const usage = { inputTokens: 1234, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, costUsd: 0 };
const zero = { ...usage, inputTokens: 0 };
const subAgents: SubAgentSummary[] = [
  {
    runId: childId,
    agent: 'code-reviewer',
    kind: 'delegate',
    status: 'completed',
    outcome: 'completed',
    durationMs: 1500,
    usage: zero,
  },
];
/** With the stage that followed; no coagent. */
const shown = [...subAgents, { ...subAgents[0]!, runId: stage.id, agent: 'editor', kind: 'chain' as const }];
const listed = { id: workflowId, outcome: 'completed', status: 'completed', subAgents, usage } as const;

const none = () => {
  throw new TriadError('not_found', 'nothing');
};
const { conversation, runs } = snapshot;
const detail = { conversation, workflow: workflowRow(), runs, calls: [], approvals: [], requests: [] };
type Answers = Parameters<typeof memoryClient>[0];
const history = (answers: Answers = {}) =>
  memoryClient({
    'conversation.list': () => ({ items: [conversationRow()], next: null }),
    'conversation.work': ({ conversationIds }) =>
      conversationIds.map((id) => ({
        conversationId: id,
        workflows: [{ ...listed, startedAt: at, subAgentCount: 1 }],
      })),
    'conversation.snapshot': () => snapshot,
    'conversation.notes': () => ({ linking: [] }),
    'workflow.get': none,
    ...answers,
  });

async function triad(args: string[], client = history(), terminal: Setup['terminal'] = null) {
  return { ...(await commandLine(client, { terminal })(...args)), client };
}

test('list --json has exactly the promised form', async () => {
  const { code, out, client } = await triad(['sessions', 'list', '--json']);
  expect(code).toBe(0);
  expect(client.requests.map(({ method }) => method)).toEqual([
    'conversation.list',
    'conversation.work',
    'store.unlisted',
  ]);
  expect(JSON.parse(out)).toEqual([
    {
      id: conversationId,
      title: 'Review the parser',
      createdAt: at,
      updatedAt: later(5000),
      usage,
      workflows: [{ ...listed, startedAt: at }],
    },
  ]);
});

test('list gets the work of several sessions with a single request', async () => {
  const items = [newId(), newId(), newId()].map((id) => conversationRow({ id }));
  const { out, client } = await triad(
    ['sessions', 'list', '--json'],
    history({ 'conversation.list': () => ({ items, next: null }) }),
  );
  expect((JSON.parse(out) as { id: string }[]).map(({ id }) => id)).toEqual(items.map(({ id }) => id));
  expect(client.requests.filter(({ method }) => method === 'conversation.work')).toHaveLength(1);
});

test('list follows the pages, and stops at the limit', async () => {
  const page = (next: string | null) => ({ items: [conversationRow({ id: newId() })], next });
  const pages = (): Answers => ({
    'conversation.list': ({ before }) => page(before === undefined ? 'more' : null),
  });
  expect(JSON.parse((await triad(['sessions', 'list', '--json'], history(pages()))).out)).toHaveLength(2);
  const limited = await triad(['sessions', 'list', '--limit', '1'], history(pages()));
  expect(limited.out.trim().split('\n')).toHaveLength(2);
  expect(limited.err).toBe('Only the newest 1: more with --limit.\n');
  expect((await triad(['sessions', 'list', '--limit', '0'])).code).toBe(2);
});

test('list prints an empty history as an empty array, or as a sentence on stderr', async () => {
  const empty = () => history({ 'conversation.list': () => ({ items: [], next: null }) });
  expect((await triad(['sessions', 'list', '--json'], empty())).out).toBe('[]\n');
  expect(await triad(['sessions', 'list'], empty())).toMatchObject({
    code: 0,
    out: '',
    err: 'No sessions yet.\n',
  });
});

test.each([['list'], ['list', '--trash'], ['search', 'Review'], ['project']])(
  'an empty %s of an incomplete store warns that the lists are not complete',
  async (...args) => {
    const nothing = () => ({ items: [], next: null });
    const client = history({
      'conversation.list': nothing,
      'trash.list': nothing,
      'history.search': nothing,
      'store.unlisted': () => ({ conversations: 1, workflows: 0 }),
    });
    expect(await triad(['sessions', ...args], client)).toMatchObject({
      code: 0,
      out: '',
      err: expect.stringMatching(
        /^The lists are not complete: at least 1 conversation cannot be read .*doctor --full.*\n$/,
      ) as string,
    });
  },
);

test('show prints prompt, sub-agents, outcome and answer, older pages too', async () => {
  const older = workflowRow({ id: newId(), prompt: 'Earlier', text: 'First answer' });
  const client = () =>
    history({
      'conversation.snapshot': () => ({ ...snapshot, more: true }),
      'conversation.earlier': () => ({ ...snapshot, workflows: [older], runs: [], more: false }),
      'workflow.get': () => detail,
    });
  const { out } = await triad(['sessions', 'show', conversationId], client());
  expect(out).toMatch(
    /> Earlier\n[\s\S]*First answer\n[\s\S]*> Review it\n {2}● ✓ code-reviewer \(delegate\) · completed · 1\.5 s · 0 tokens\n {4}✓ editor \(chain\) · completed · 1\.5 s · 0 tokens\n\nAll good\.\n$/,
  );
  const json = JSON.parse((await triad(['sessions', 'show', conversationId, '--json'], client())).out) as {
    workflows: object[];
  };
  expect(json.workflows).toMatchObject([
    { prompt: 'Earlier' },
    { ...listed, subAgents: shown, prompt: 'Review it', answer: 'All good.' },
  ]);
});

test.each(['show', 'trace', 'resume'])('%s rejects an invalid or unknown id', async (command) => {
  const odd = await triad(['sessions', command, 'x']);
  expect(odd).toMatchObject({
    code: 2,
    out: '',
    err: 'triad: "x" is not the id of a session: see "triad sessions list"\n',
  });
  const unknown = await triad(['sessions', command, conversationId], history({ 'conversation.snapshot': none }));
  expect(unknown).toMatchObject({
    code: 2,
    out: '',
    err: `triad: There is no session ${conversationId}: see "triad sessions list"\n`,
  });
});

test('trace accepts the id of a workflow', async () => {
  const detail = {
    conversation: conversationRow(),
    workflow: workflowRow(),
    runs: [runRow(), child],
    calls: [],
    approvals: [],
    requests: [],
  };
  const client = history({ 'conversation.snapshot': none, 'workflow.get': () => detail });
  const { code, out } = await triad(['sessions', 'trace', workflowId, '--json'], client);
  expect(code).toBe(0);
  expect(JSON.parse(out)).toMatchObject({
    id: conversationId,
    workflows: [{ id: workflowId, runs: [{ children: [{ runId: childId }] }] }],
  });
});

const interrupted = (approve: 'ask' | 'all') => {
  const rows = [
    workflowRow({ id: newId(), outcome: 'interrupted' }),
    workflowRow({ outcome: 'interrupted', approve }),
    workflowRow({ id: newId() }),
  ];
  const client = history({
    'conversation.snapshot': () => ({ ...snapshot, workflows: rows }),
    'workflow.resume': () => {
      setImmediate(() => client.emit('conversation', workflowEnd()));
      return {};
    },
  });
  return client;
};

test('resume continues the newest interrupted workflow, and prints like run', async () => {
  const { code, out, client } = await triad(
    ['sessions', 'resume', conversationId, '--json'],
    interrupted('ask'),
    typing([]),
  );
  expect(code).toBe(0);
  expect(client.requests.at(-1)).toEqual({ method: 'workflow.resume', input: { workflowId } });
  expect(JSON.parse(out)).toMatchObject({ type: 'workflow-end', outcome: 'completed' });
});

test('resume rejects --approve for a workflow that was started without questions', async () => {
  const changed = await triad(['sessions', 'resume', conversationId, '--approve', 'none'], interrupted('all'));
  expect(changed).toMatchObject({
    code: 2,
    err: 'triad: This workflow was started with --approve all, and goes on with it\n',
  });
  expect((await triad(['sessions', 'resume', conversationId, '--approve', 'ask'], interrupted('ask'))).code).toBe(2);
});

test('resume of a session without an interrupted workflow fails', async () => {
  const { code, err } = await triad(['sessions', 'resume', conversationId]);
  expect([code, err]).toEqual([1, `triad: Nothing in session ${conversationId} was interrupted\n`]);
});

test('show names the notes that a session read, wrote and is linked from', async () => {
  const done = { runId: leadId, name: 't', status: 'completed', startedAt: at, endedAt: at } as const;
  const calls: ToolCallRow[] = [
    { ...done, toolCallId: '1', read: 'b.md' },
    { ...done, toolCallId: '2', read: 'a.md' },
    { ...done, toolCallId: '3', read: 'a.md' },
    { ...done, toolCallId: '4', wrote: 'x.js', wroteAlso: ['c.md'] },
  ];
  const client = () =>
    history({
      'workflow.get': () => ({ ...detail, calls }),
      'conversation.notes': () => ({ linking: ['d\u001b[1m.md'] }),
    });
  const { out } = await triad(['sessions', 'show', conversationId], client());
  expect(out).toContain('\n  notes read: a.md, b.md · written: c.md\n');
  expect(out).toContain('\n  notes linking here: d');
  expect(out).not.toContain('\u001b[1m.md');
  const json = JSON.parse((await triad(['sessions', 'show', conversationId, '--json'], client())).out) as object;
  expect(json).toMatchObject({
    linkingNotes: ['d\u001b[1m.md'],
    workflows: [{ notes: { read: ['a.md', 'b.md'], written: ['c.md'] } }],
  });
});

test('show prints the estimated part of each total, and list marks the total', async () => {
  const usage = { ...ZERO_TALLY, requests: 2, inputTokens: 5300, outputTokens: 40 };
  const estimated = { unknownRequests: 1, estimatedInputTokens: 1200, estimatedOutputTokens: 34 };
  const row = (used: Tally) =>
    sessionTable([{ conversation: { ...conversationRow(), usage: used }, workflows: [] }], 200);
  expect(row({ ...usage, ...estimated })[1]).toContain(' ≈ 5,340 ');
  expect(row(usage)[1]).not.toContain('≈');
  const client = () =>
    history({
      'conversation.snapshot': () => ({
        ...snapshot,
        conversation: { ...conversationRow(), usage: { ...usage, ...estimated } },
        workflows: [workflowRow({ usage: { ...usage, ...estimated } })],
      }),
      'workflow.get': () => detail,
    });
  const { out } = await triad(['sessions', 'show', conversationId], client());
  expect(out.match(/5,340 tokens \(of which 1,234 estimated\)/g)).toHaveLength(2);
  const json = JSON.parse((await triad(['sessions', 'show', conversationId, '--json'], client())).out) as {
    usage: object;
    workflows: object[];
  };
  const parts = { inputTokens: 5300, estimatedInputTokens: 1200, estimatedOutputTokens: 34 };
  expect(json).toMatchObject({ usage: parts, workflows: [{ usage: parts }] });
});

test('show prints the pictures of a message', async () => {
  const image = { mediaType: 'image/png' as const, bytes: 73, width: 4, height: 3, sha256: 'a'.repeat(64) };
  const workflows = [workflowRow({ images: [image, image] })];
  const client = () =>
    history({ 'conversation.snapshot': () => ({ ...snapshot, workflows }), 'workflow.get': () => detail });
  const { out } = await triad(['sessions', 'show', conversationId], client());
  const line = '  Sent with 2 pictures: image/png, 4 × 3 pixels; image/png, 4 × 3 pixels\n';
  expect(out).toContain(line);
  const json = (await triad(['sessions', 'show', conversationId, '--json'], client())).out;
  expect(JSON.parse(json)).toMatchObject({ workflows: [{ images: [image, image] }] });
});

/** `triad sessions search`, `export`, `clean`, `delete` and `restore`. */
import { expect, test } from 'vitest';
import stringWidth from 'string-width';
import type { ChangeRow, UndoneFile } from '#contract/change.ts';
import type { SearchHit } from '#contract/view.ts';
import { TriadError } from '#core/base/errors.ts';
import { plainStyle } from '#hosts/cli/terminal/style.ts';
import { hitLines } from '#hosts/cli/render/hit-lines.ts';
import { at, conversationId, conversationRow, leadId, workflowId, workflowRow } from '../../../support/events.ts';
import { memoryClient } from '../../../support/memory-client.ts';
import { commandLine } from '../../../support/memory-io.ts';

const forkId = '01957a10-0000-7000-8000-0000000000f0';

const hit: SearchHit = {
  conversationId,
  workflowId,
  runId: leadId,
  n: 0,
  kind: 'answer',
  agent: 'lead',
  title: 'The\nparser',
  at,
  snippet: 'one\n  two \u001b[2J three',
  hits: [{ start: 0, end: 3 }],
};

async function triad(args: string[], answers: Parameters<typeof memoryClient>[0] = {}) {
  const client = memoryClient(answers);
  const printed = await commandLine(client)('sessions', ...args);
  return { ...printed, requests: client.requests };
}

test('search prints the text around the words, and reports that there are more hits', async () => {
  const { code, out, err, requests } = await triad(['search', 'two', '--limit', '1'], {
    'history.search': () => ({ items: [hit], next: 'more' }),
  });
  expect(code).toBe(0);
  expect(out).toMatch(/^[\w-]{36} {2}2026.* · answer · lead · The parser\n {2}one two ⟦U\+001B⟧\[2J three\n$/);
  expect(err).toBe('Only the newest 1: more with --limit.\n');
  expect(requests).toEqual([{ method: 'history.search', input: { text: 'two', limit: 1 } }]);
  const json = await triad(['search', 'two', '--json'], {
    'history.search': () => ({ items: [hit], next: null }),
  });
  expect(JSON.parse(json.out)).toEqual([hit]);
  for (const line of hitLines(hit, 50, plainStyle)) expect(stringWidth(line)).toBeLessThanOrEqual(50);
});

test('export prints only the text of the session', async () => {
  const exported = await triad(['export', conversationId, '--format', 'json'], {
    'conversation.export': ({ format }) => ({ fileName: 'x', text: `{"format":"${format}"}` }),
  });
  expect(exported).toMatchObject({ code: 0, out: '{"format":"json"}\n', err: '' });
  expect((await triad(['export', conversationId, '--format', 'pdf'])).code).toBe(2);
  expect(await triad(['export', 'nonsense'])).toMatchObject({
    code: 2,
    err: 'triad: "nonsense" is not the id of a session: see "triad sessions list"\n',
  });
});

test('clean prints how many sessions were moved to the trash, and how to restore them', async () => {
  const answers = { 'trash.fill': () => ({ count: 2 }) };
  const { err, requests } = await triad(['clean', '--older-than', '4w'], answers);
  expect(err).toBe(
    '2 sessions were moved to the trash (not changed for 28 days). To get one back: triad sessions restore ID\n',
  );
  expect(requests).toEqual([{ method: 'trash.fill', input: { olderThanDays: 28 } }]);
  expect((await triad(['clean', '--older-than', '30d', '--json'], answers)).out).toBe('{"count":2}\n');
  for (const args of [['clean'], ['clean', '--older-than', 'soon']]) {
    expect(await triad(args, answers)).toMatchObject({ code: 2, requests: [] });
  }
});

test('delete moves a session to the trash, and restore brings it back', async () => {
  const answers = { 'conversation.delete': () => ({}), 'conversation.restore': () => ({}) };
  const deleted = await triad(['delete', conversationId], answers);
  expect(deleted.err).toBe(`Moved to the trash. To get it back: triad sessions restore ${conversationId}\n`);
  const restored = await triad(['restore', conversationId], answers);
  expect(restored.err).toBe('Restored from the trash.\n');
});

test('rewind makes a session and undoes the files in one request, and a file in the way prevents both', async () => {
  let isInTheWay = true;
  let outcome: UndoneFile['outcome'] = 'put_back';
  const version = (hash: string) => ({ kind: 'file' as const, hash, bytes: 1, mode: 0o644 });
  const change: ChangeRow = {
    conversationId,
    workflowId,
    runId: leadId,
    agent: 'lead',
    at,
    toolCallId: 'call',
    tool: 'write_file',
    folder: '/work',
    notKept: [],
    files: [{ path: 'a.txt', before: version('b'), after: version('c'), state: 'done', kept: true }],
  };
  const answers: Parameters<typeof memoryClient>[0] = {
    'conversation.snapshot': () => ({
      seq: 0,
      conversation: conversationRow(),
      workflows: [workflowRow()],
      more: false,
      runs: [],
      entries: {},
      calls: [],
      approvals: [],
      open: [],
    }),
    'change.list': () => [change],
    'change.undo': () => [{ path: 'a.txt', outcome: 'put_back' }],
    'conversation.rewind': () => {
      if (isInTheWay) throw new TriadError('conflict', 'a.txt: what was changed since is in the way');
      return { conversation: { ...conversationRow(), id: forkId }, files: [{ path: 'a.txt', outcome }] };
    },
  };
  const rewind = async (...more: string[]) => {
    const { requests, ...rest } = await triad(['rewind', conversationId, workflowId, ...more], answers);
    const writes = requests.filter(({ method }) => method === 'change.undo' || method === 'conversation.rewind');
    return { ...rest, writes: writes.map(({ method, input }) => [method, input]) };
  };
  expect(await rewind('--again')).toMatchObject({ code: 2, err: expect.stringContaining('--again belongs') as string });
  const refused = await rewind();
  expect(refused).toMatchObject({ code: 1, err: expect.stringContaining('With --leave it is made') as string });
  const target = { fromWorkflowId: workflowId };
  expect(refused.writes).toEqual([
    ['conversation.rewind', { conversationId, workflowId, leave: false }],
    ['change.undo', { conversationId, target, redo: false, preview: true }],
  ]);

  isInTheWay = false;
  expect((await rewind('--files')).writes).toEqual([
    ['change.undo', { conversationId, target, redo: false, leave: false }],
  ]);
  expect(await rewind()).toEqual({
    code: 0,
    out: `put back  a.txt\n${forkId}\n`,
    err:
      `That session ends before the message. To go on: triad run --conversation ${forkId} "…"\n` +
      `To take the undo back: triad sessions rewind ${conversationId} ${workflowId} --files --again\n`,
    writes: [['conversation.rewind', { conversationId, workflowId, leave: false }]],
  });
  outcome = 'conflict';
  expect((await rewind('--leave')).err).not.toContain('To take the undo back');
  outcome = 'put_back';
  const files = [{ path: 'a.txt', outcome: 'put_back' }];
  const both = await rewind('--json');
  expect(JSON.parse(both.out)).toEqual({ conversationId, workflowId, again: false, fork: forkId, files });
  const again = await rewind('--files', '--again', '--json');
  expect(JSON.parse(again.out)).toEqual({ conversationId, workflowId, again: true, files });
  expect(again.writes).toEqual([['change.undo', { conversationId, target, redo: true, leave: false }]]);
});

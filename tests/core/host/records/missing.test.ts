/** What the store has lost of a history is counted, and said wherever that history is shown; files that have more stay. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { countsOf } from '#contract/missing-text.ts';
import { checkHistory } from '#hosts/cli/commands/doctor/history.ts';
import { commandLine } from '../../../hosts/support/memory-io.ts';
import { startEngine } from '../../../support/engine.ts';
import { threeChildren } from '../../../support/fake-model/scenarios.ts';
import { loseRow } from '../../../support/run-parts.ts';
import { filesBelow } from '../../../support/session-files.ts';
import { eventually } from '../../../support/eventually.ts';
import { folderWith } from '../../../support/workspace.ts';
import { openOn } from '../../store/support.ts';
import { variations } from '../../../support/samples.ts';

async function worked() {
  const data = await folderWith({});
  const { store, database } = await openOn('mem');
  const engine = await startEngine(threeChildren(), { store, data });
  const { workflowId } = await engine.ask('Look at all parts');
  const { runtime, conversationId } = engine;
  const detail = await runtime.request('workflow.get', { workflowId });
  const check = () => runtime.request('conversation.check', { conversationId });
  const project = () => runtime.request('conversation.project', { conversationId });
  const triad = async (...args: string[]) => {
    const { code, out, err } = await commandLine(runtime)(...args);
    return { code, text: `${out}${err}` };
  };
  return { ...engine, detail, database, data, check, project, triad, lead: detail.workflow.runId };
}

type Worked = Awaited<ReturnType<typeof worked>>;

async function countsEachKind({ database, check, conversationId, detail, lead }: Worked): Promise<void> {
  expect(await check()).toMatchObject({ workflows: 1, missing: [] });
  const [child] = detail.runs.filter(({ parentRunId }) => parentRunId !== null);
  const lost: [string, unknown, string][] = [
    ['approval', detail.approvals[0]?.request.id, '1 approval'],
    ['sub_agent_execution', child?.id, '1 record'],
  ];
  for (const [table, key, said] of lost) {
    const record = database.record(table, key as string);
    const [before] = (await database.query('SELECT * FROM $record', { record })) as [unknown[]];
    await database.query('DELETE $record', { record });
    expect(countsOf((await check()).missing), table).toBe(said);
    await database.query(`INSERT INTO ${table} $before`, { before });
    expect((await check()).missing).toEqual([]);
  }
  const [call, request] = [detail.calls[0]!, detail.requests[0]!];
  const inParts: [Parameters<typeof loseRow>[1], string][] = [
    [{ kind: 'message', run: lead, name: 1 }, '1 message or result'],
    [{ kind: 'tool_call', run: call.runId, name: call.toolCallId }, '1 tool call'],
    [{ kind: 'model_request', run: request.runId, name: request.requestId }, '1 model request'],
  ];
  for (const [row, said] of inParts) {
    const putBack = await loseRow(database, row);
    expect(countsOf((await check()).missing), row.kind).toBe(said);
    await putBack();
    expect((await check()).missing).toEqual([]);
  }
  await loseRow(database, { kind: 'message', run: lead, name: 2 });
  expect((await check()).missing).toMatchObject([{ kind: 'entries', runId: lead, ranges: [{ from: 2, to: 2 }] }]);
  // Without the events, what the rows state is held against what there is.
  await database.query(`DELETE event:[$id, NONE]..[$id, ..]`, { id: conversationId });
  await database.query('DELETE $record', { record: database.record('run', child?.id ?? '') });
  for (const { runId, requestId } of detail.requests.filter(({ runId: run }) => run === lead))
    await loseRow(database, { kind: 'model_request', run: runId, name: requestId });
  const { missing } = await check();
  expect(missing.map(({ kind }) => kind)).toEqual(['events', 'runs', 'entries', 'requests']);
  expect(missing[0]).toMatchObject({
    count: detail.workflow.lastSeq,
    ranges: [{ from: 1, to: detail.workflow.lastSeq }],
  });
}

async function countsHiddenRows({ database, check, conversationId, detail }: Worked): Promise<void> {
  const row = database.record('workflow', detail.workflow.id);
  const [before] = (await database.query('SELECT * FROM $row', { row })) as [unknown[]];
  await database.query('DELETE $row', { row });
  expect(countsOf((await check()).missing)).toBe('1 workflow');
  await database.query('INSERT INTO workflow $before', { before });
  const first = { first: database.record('event', [conversationId, 1]) };
  const [[was]] = (await database.query('SELECT VALUE text FROM $first', first)) as [[unknown]];
  await database.query('UPDATE $first SET text = <bytes>"x"', first);
  expect((await check()).missing).toMatchObject([{ kind: 'events', ranges: [{ from: 1 }] }]);
  await database.query('UPDATE $first SET text = $was', { ...first, was });
}

test('the history check counts a lost workflow, an unreadable event and each kind of lost row separately', async () => {
  const all = await worked();
  await countsHiddenRows(all);
  await countsEachKind(all);
});

test('show, trace and doctor --full report a missing entry, and more complete Markdown files are not replaced', async () => {
  const { database, data, project, triad, lead, runtime, conversationId } = await worked();
  const sessions = join(data, 'sessions');
  const look = () => checkHistory(runtime, new AbortController().signal);
  await eventually(async () =>
    expect(await look()).toEqual([
      {
        name: 'history',
        state: 'ok',
        text: expect.stringMatching(/^looked at 1 sessions, 1 workflows, \d+ events: nothing is missing$/) as string,
        advice: null,
      },
    ]),
  );
  await project();
  const whole = await filesBelow(sessions);
  await loseRow(database, { kind: 'message', run: lead, name: 1 });
  const says = 'This history is not complete: 1 message or result cannot be found or read in the store.';
  expect(await project()).toMatchObject({ files: 0, missing: [{ kind: 'entries', count: 1 }] });
  expect(await filesBelow(sessions)).toEqual(whole);
  for (const args of variations([['show'], ['trace'], ['export'], ['project']], 2)) {
    const { code, text } = await triad('sessions', ...args, conversationId);
    expect([code, text.replace(/\s+/g, ' ')], args[0]).toEqual([0, expect.stringContaining(says) as string]);
  }
  expect(await look()).toMatchObject([
    { state: 'problem', text: expect.stringContaining('missing in 1 (1 message or result)') as string },
    { state: 'problem', text: `session ${conversationId}: 1 message or result missing` },
  ]);
  const { text } = await runtime.request('conversation.export', { conversationId, format: 'json' });
  expect(JSON.parse(text)).toMatchObject({ missing: [{ kind: 'entries', runId: lead }] });
  expect(await filesBelow(sessions)).toEqual(whole);
});

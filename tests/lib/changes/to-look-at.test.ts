// The number on the button is known from rows of calls; what was loaded once knows more of its own.
import { describe, expect, it } from 'vitest';
import type { ChangeRow, ChangeState } from '#contract/change.ts';
import type { ToolCallRow } from '#contract/view.ts';
import { changeCount, filesToLookAt, mayHaveMore } from '#lib/changes/to-look-at.ts';
import { fromSnapshot } from '#lib/view/reduce.ts';
import { Rows } from '../support/rows.ts';
import { Recording } from '../../support/recording.ts';
import { changeRow, fileState } from '../support/change-rows.ts';

const at = '2026-01-02T03:04:05.000Z';

function call(toolCallId: string, more: Partial<ToolCallRow> = {}): ToolCallRow {
  return {
    runId: 'lead',
    toolCallId,
    name: 'bash',
    status: 'completed' as const,
    startedAt: at,
    endedAt: at,
    ...more,
  };
}

function row(toolCallId: string, path: string, state: ChangeState, kept = false): ChangeRow {
  const made = changeRow('lead', toolCallId, [[path, null, fileState('a')]], state);
  return { ...made, files: made.files.map((file) => ({ ...file, kept })) };
}

describe('filesToLookAt', () => {
  it('counts each changed file once, and excludes undone changes', () => {
    const calls = [
      call('1', { wrote: 'a', wroteAlso: ['b', 'c'] }),
      call('2', { wrote: 'a' }),
      call('3', { wrote: 'd', undone: true }),
      call('4'),
    ];
    expect(filesToLookAt(calls, [])).toBe(3);
  });

  it('excludes kept, undone and unreachable files of loaded changes, and counts files listed only there', () => {
    const calls = [call('1', { wrote: 'a' }), call('2', { wrote: 'b' })];
    const rows = [
      row('1', 'a', 'done', true),
      row('2', 'b', 'undone'),
      row('3', 'c', 'gone'),
      row('4', 'd', 'changed'),
    ];
    expect(filesToLookAt(calls, rows)).toBe(1);
  });

  it('prefers the undo state of the call to that of the loaded changes', () => {
    expect(filesToLookAt([call('1', { wrote: 'a', undone: true })], [row('1', 'a', 'done')])).toBe(0);
    expect(filesToLookAt([call('1', { wrote: 'a', undone: false })], [row('1', 'a', 'undone')])).toBe(1);
  });
});

it('changeCount grows with each change and each undo, and not with other calls', () => {
  const undo = { path: 'a', undone: true, at };
  expect(changeCount([call('1'), call('2', { wrote: 'a' })])).toBe(1);
  expect(changeCount([call('1'), call('2', { wrote: 'a', undos: [undo, undo] })])).toBe(3);
});

describe('mayHaveMore', () => {
  function views() {
    const story = new Recording();
    const { lead } = story.startWorkflow('Write it');
    const child = lead.child('writer');
    lead.answer('I ask for help.', { id: 'toolu_1', name: 'spawn_agent', input: {} });
    child.queue('spawn', 'Write.', 'toolu_1');
    lead.toolStart('toolu_1', 'spawn_agent');
    child.start('Write.');
    const rows = new Rows();
    const view = () => fromSnapshot(rows.snapshot());
    for (const event of story.events) rows.take(event);
    const atWork = view();
    const known = story.events.length;
    child.end('completed', 'Written.');
    for (const event of story.events.slice(known)) rows.take(event);
    return { atWork, ended: view() };
  }
  const withPermissions = (
    view: ReturnType<typeof fromSnapshot>,
    permissions: 'FilesystemRead' | 'FilesystemWrite',
  ) => ({
    ...view,
    runs: view.runs.map((run) => ({ ...run, envelope: { ...run.envelope, permissions: [permissions] } })),
  });

  it('is true if an ended sub-agent with write permission has no loaded calls', () => {
    const { atWork, ended } = views();
    expect(mayHaveMore(withPermissions(ended, 'FilesystemWrite'))).toBe(true);
    expect(mayHaveMore(withPermissions(ended, 'FilesystemRead'))).toBe(false);
    expect(mayHaveMore(withPermissions(atWork, 'FilesystemWrite'))).toBe(false);
    const child = ended.runs.find(({ parentRunId }) => parentRunId !== null)!;
    const held = { ...ended, calls: [call('1', { runId: child.id })] };
    expect(mayHaveMore(withPermissions(held, 'FilesystemWrite'))).toBe(false);
  });

  it('is true while older messages are not loaded', () => {
    const { atWork } = views();
    expect(mayHaveMore(withPermissions({ ...atWork, more: true }, 'FilesystemRead'))).toBe(true);
  });
});

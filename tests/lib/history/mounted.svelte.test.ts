// Parts of the history and the conversation page, mounted without a browser.
import { afterEach, expect, it, vi } from 'vitest';
import type { ListedExecution } from '#contract/execution.ts';
import type { Missing } from '#contract/missing.ts';
import type { RunRow, ToolCallRow } from '#contract/view.ts';
import { ConversationActions } from '#lib/app/conversation-actions.ts';
import { Forks } from '#lib/app/forks.ts';
import ExecutionRow from '#lib/history/execution-row.svelte';
import ForkStep from '#lib/history/fork-step.svelte';
import WorkflowNotes from '#lib/history/workflow-notes.svelte';
import SessionFolder from '#lib/history/session-folder.svelte';
import MissingNote from '#lib/runs/missing-note.svelte';
import { mountInApp, useDocument } from '../support/dom.ts';
import { FakeConnection, settled } from '../support/fake-connection.ts';
import { emptyConversation } from '../support/rows.ts';
import { silentToasts } from '../support/toasts.ts';

const lists = { removed: () => undefined, restored: () => undefined, changed: () => undefined };
const attention = { state: { questions: [] }, waiting: [] };

useDocument();
afterEach(() => void vi.restoreAllMocks());

it('a row of a sub-agent shows its task, outcome and report, and links to its run', async () => {
  const execution = {
    id: 'run',
    workflow_id: 'workflow',
    sub_agent_name: 'inspector',
    status: 'completed',
    outcome: 'completed',
    task_description: 'Inspect the parser.\nAll of it.',
    result_summary: 'All is **well**.',
    created_at: '2026-01-02T03:04:05.000Z',
  } as unknown as ListedExecution;
  const now = Date.parse('2026-01-02T04:00:00.000Z');
  const columns = ['outcome'] as const;
  const props = { execution, now, tabindex: 0 as const, columns, isUnderDay: false };
  const page = await mountInApp(ExecutionRow, props, { attention });
  expect(page.text).toMatch(/^inspector Inspect the parser\. completed/);
  expect(page.find('a').getAttribute('href')).toBe('/history/[id]?run=run');
  expect(page.find('a').getAttribute('title')).toBe('All is well.');
});

it.each([true, false])('the folder of a session has a button that opens it: %s', async (opens) => {
  const folder = '/home/sessions/inspect-0123456789ab';
  const connection = new FakeConnection().on('conversation.folder', () => ({ folder, opens }));
  const conversationActions = new ConversationActions(connection, silentToasts, lists);
  const page = await mountInApp(SessionFolder, { conversationId: 'c' }, { conversationActions });
  expect(page.text).toContain(folder);
  expect(page.buttons).toEqual([...(opens ? ['Open'] : []), 'Copy: Folder of the session']);
  if (opens) await page.press('Open');
  const openCalls = connection.calls.filter(({ input }) => 'open' in (input as object));
  expect(openCalls.map(({ input }) => input)).toEqual(opens ? [{ conversationId: 'c', open: true }] : []);
});

it('lists notes that were read, written, or link to the session', async () => {
  const connection = new FakeConnection().on('conversation.notes', () => ({
    read: [],
    written: [],
    linking: ['docs/log.md'],
  }));
  const calls = [{ read: ['README.md'] }, { wrote: 'docs/plan.md' }] as unknown as ToolCallRow[];
  const page = await mountInApp(WorkflowNotes, { conversationId: 'c', calls }, { connection });
  expect(page.text).toMatch(/Read README.md *Written docs\/plan.md *Link here docs\/log.md/);
});

it('a fork goes on only after a second press', async () => {
  const connection = new FakeConnection().on('conversation.fork', () => emptyConversation());
  const app = { forks: new Forks(connection, silentToasts, () => undefined) };
  const run = { id: 'run', conversationId: 'c', workflowId: 'w' } as RunRow;
  const page = await mountInApp(ForkStep, { run, entry: 3 }, app);
  await page.press('Fork from here');
  expect(page.text).toContain('Files stay as they are.');
  expect(connection.calls).toEqual([]);
  await page.press('Go on from here');
  const input = { conversationId: 'c', workflowId: 'w', runId: 'run', entry: 3, goOn: true };
  expect(connection.calls).toEqual([{ method: 'conversation.fork', input }]);
});

it('reports the missing entries of a history, and checks each workflow once', async () => {
  const missingEntries: Missing = {
    kind: 'entries',
    conversationId: 'c',
    workflowId: 'w',
    runId: null,
    count: 1,
    ranges: [],
  };
  const connection = new FakeConnection().on('conversation.check', () => {
    return { workflows: 1, events: 9, missing: [missingEntries] };
  });
  const props = $state({ conversationId: 'c', workflowIds: ['w'] });
  const page = await mountInApp(MissingNote, props, { connection });
  expect(page.find('[role=status]').textContent).toBe(
    'This history is not complete: 1 message or result cannot be found or read in the store. To get them back, restore a backup with "triad restore DIR".',
  );
  props.workflowIds = ['w', 'v'];
  await page.settle();
  const checkedIds = connection.calls.map(({ input }) => (input as { workflowIds: string[] }).workflowIds);
  expect(checkedIds).toEqual([['w'], ['v']]);
});

it.each([
  ['md', 'text/markdown'],
  ['json', 'application/json'],
] as const)('saves a conversation as a file: %s', async (format, type) => {
  const savedFiles: [string, string, string][] = [];
  let content = new Blob();
  vi.spyOn(URL, 'createObjectURL').mockImplementation((blob) => {
    content = blob as Blob;
    return 'blob:1';
  });
  const link = { href: '', download: '', click: () => void savedFiles.push([link.download, link.href, content.type]) };
  vi.spyOn(document, 'createElement').mockReturnValueOnce(link as unknown as HTMLAnchorElement);
  const connection = new FakeConnection().on('conversation.export', () => ({
    fileName: `a.${format}`,
    text: 'Hello.',
  }));
  await new ConversationActions(connection, silentToasts, lists).download('c', format);
  await settled();
  expect(savedFiles).toEqual([[`a.${format}`, 'blob:1', type]]);
  expect(await content.text()).toBe('Hello.');
});

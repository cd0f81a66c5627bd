// The palette asks for files and reports together with conversations, shows what belongs to the last letters, and names a file in a message.
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { SearchHit } from '#contract/view.ts';
import { settingRows } from '#core/settings/settings.ts';
import { Palette } from '#lib/shell/palette-findings.svelte.ts';
import { text } from '#lib/words/text.ts';
import { createPartialApp } from '../support/partial-app.ts';
import { settingsOf } from '../../support/compose.ts';
import { FakeConnection } from '../support/fake-connection.ts';
import { storage } from '../support/storage.ts';

const HIT: SearchHit = {
  conversationId: 'c',
  workflowId: 'w',
  runId: 'r',
  n: 4,
  kind: 'report',
  agent: 'alpha',
  title: 'Parsers',
  at: '2026-03-01T12:00:00.000Z',
  snippet: 'The parser is fine',
  hits: [],
};

const rows = settingRows(settingsOf('')).map((row) => ({
  ...row,
  origin: { from: 'default' as const },
  others: [],
}));

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal('window', {});
  vi.stubGlobal('localStorage', storage());
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

function desk(box: ReturnType<typeof createPartialApp>['box'] = null) {
  const connection = new FakeConnection()
    .on('conversation.list', () => ({ items: [], next: null }))
    .on('file.find', ({ text: wanted }) => ({ paths: wanted === null ? [] : [`src/${wanted}.ts`], more: false }))
    .on('history.search', () => ({ items: [HIT], next: null }))
    .on('settings.list', () => rows);
  const app = createPartialApp({
    connection,
    box,
    folder: '/x',
    settings: { folder: '/home' },
    conversations: { items: [] },
    rail: { active: null },
  });
  const palette = new Palette(app, { can: () => false, keysOf: () => '' } as unknown as ConstructorParameters<
    typeof Palette
  >[1]);
  const type = async (query: string): Promise<void> => {
    palette.type(query);
    await vi.advanceTimersByTimeAsync(150);
  };
  const found = (name: string) => palette.findings.find((group) => group.name === name)?.items ?? [];
  const asked = (method: string) => connection.calls.filter((call) => call.method === method).map(({ input }) => input);
  return { palette, type, found, asked };
}

it('links a report to the matching entry, and searches the folder of the visible message box', async () => {
  const { type, found, asked } = desk({
    folder: '/project',
    agent: 'writer',
    mention: () => undefined,
    insert: () => undefined,
    focus: () => undefined,
  });
  await type('parser');
  const [report] = found(text.shell.palette.reports);
  expect(report).toMatchObject({ label: 'alpha: The parser is fine', detail: 'Parsers' });
  expect(report?.to).toEqual({ path: '/history/w?run=r&n=4&q=parser' });
  expect(found(text.shell.palette.files).map(({ to }) => to)).toEqual([{ mention: 'src/parser.ts' }]);
  expect(asked('file.find')).toMatchObject([{ folder: '/project', agent: 'writer', text: 'parser', limit: 8 }]);
  expect(asked('history.search')).toEqual([{ text: 'parser', limit: 8, kind: 'report' }]);
});

it('searches no files or reports for one letter, and drops results of the longer query', async () => {
  const { type, found, asked } = desk();
  await type('pa');
  expect(found(text.shell.palette.files)).toHaveLength(1);
  await type('p');
  expect([found(text.shell.palette.files), found(text.shell.palette.reports)]).toEqual([[], []]);
  expect([asked('file.find').length, asked('history.search').length, asked('conversation.list').length]).toEqual([
    1, 1, 2,
  ]);
});

it('ranks files and reports before settings, and an exact name before all', async () => {
  const { palette, type } = desk();
  const groups = () => palette.findings.map(({ name }) => name);
  const { files, reports, settings } = text.shell.palette;
  await type('shortcut');
  expect(groups()).toEqual([files, reports, settings]);
  await type('shortcut.ts');
  expect(groups()[0]).toBe(files);
  await type('Keyboard shortcuts');
  expect(groups()).toEqual([settings, files, reports]);
  expect(palette.findings[0]?.items[0]?.label).toBe('Keyboard shortcuts');
});

it('finds the field of a setting, and a section of the settings', async () => {
  const { palette, type, found } = desk();
  await palette.open();
  const paths = () => found(text.shell.palette.settings).map(({ to }) => to);
  await type('max_sub_agents');
  expect(paths()).toContainEqual({ path: '/settings?at=limits.max_sub_agents' });
  await type('telemetry');
  expect(paths()).toContainEqual({ path: '/settings?section=telemetry' });
});

it('puts a setting whose name has the words before one that only mentions them', async () => {
  const { palette, type, found } = desk();
  await palette.open();
  await type('max_cost workflow');
  expect(found(text.shell.palette.settings).map(({ detail }) => detail)).toEqual([
    'limits.workflow.max_cost_usd',
    'limits.run.max_cost_usd',
  ]);
});

it('ends the search for files when it closes', async () => {
  const { palette, type, asked } = desk();
  await type('parser');
  palette.close();
  expect(asked('file.find').at(-1)).toMatchObject({ text: null });
});

it('mentions a file in the visible message, or else in the draft of a new conversation', () => {
  const named: string[] = [];
  expect(
    desk({
      folder: undefined,
      agent: 'lead',
      mention: (path) => void named.push(path),
      insert: () => undefined,
      focus: () => undefined,
    }).palette.mention('a.ts'),
  ).toBe(true);
  expect(named).toEqual(['a.ts']);
  localStorage.setItem('triad-draft-new', 'Look at');
  expect(desk().palette.mention('a.ts')).toBe(false);
  expect(localStorage.getItem('triad-draft-new')).toBe('Look at @a.ts ');
});

/** Notes are the workspace's Markdown: listed with their titles, read by name or section, and found by their words. */
import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { listNotesTool } from '#core/tools/notes/list-notes.ts';
import { type PastReport, rankSections } from '#core/tools/notes/note-search.ts';
import { sectionNamed, sectionsOf, titleOfNote } from '#core/tools/notes/note-sections.ts';
import { readNoteTool } from '#core/tools/notes/read-note.ts';
import { semanticSearchTool } from '#core/tools/notes/semantic-search.ts';
import { inFullRun } from '../../support/samples.ts';
import { call, contextIn, folderWith } from '../../support/workspace.ts';

const files = {
  'README.md':
    '# The parser\n\nReads files.\n\n## Errors\n\nEach error has a line.\n\n### Of YAML\n\nTabs are refused.\n\n## Speed\n\nFast.\n',
  'docs/decisions.md': '---\ntitle: "What we decided"\n---\n\n# Ignored\n\nThe cache is kept for ten minutes.\n',
  'docs/plain.markdown': 'No heading at all, but caching twice.\n',
  'src/parser.ts': '// The cache of the parser.\n',
  '.hidden/secret.md': '# Hidden\n\nThe cache of nobody.\n',
  'node_modules/x/README.md': '# Of a package\n\nThe cache.\n',
};

const within = async (more: Record<string, string> = {}) => contextIn(await folderWith({ ...files, ...more }));

test('the list has each note with its title, and nothing else', async () => {
  const { output, status } = await call(listNotesTool(), {}, await within());
  expect(status).toBe('completed');
  expect(output).toBe('README.md — The parser\ndocs/decisions.md — What we decided\ndocs/plain.markdown — plain');
  expect((await call(listNotesTool(), { path: 'src' }, await within())).output).toBe('[There are no notes.]');
});

test('lists the first thousand notes', async () => {
  const many = Object.fromEntries(Array.from({ length: 1001 }, (_, n) => [`n/${n}.md`, '']));
  const { output, metadata } = await call(listNotesTool(), { path: 'n' }, contextIn(await folderWith(many)));
  expect(output).toMatch(/\nn\/998\.md — 998\n\[The first 1000 notes; there are more: name a folder\.\]$/);
  expect([output.split('\n').length, metadata]).toEqual([1001, { notes: 1000, truncated: true }]);
});

describe('reading', () => {
  const read = async (input: object, more: Record<string, string> = {}) =>
    call(readNoteTool(), input, await within(more));

  test.each([
    ...['docs/decisions', 'Decisions', '[[decisions#Ignored|x]]'],
    ...(inFullRun ? ['docs/decisions.md', 'decisions', '[[decisions]]'] : []),
  ])('by %s', async (note) => {
    expect((await read({ note })).output).toBe(files['docs/decisions.md']);
  });

  test('one section has all that stands below it', async () => {
    const { output } = await read({ note: 'README', section: '## errors' });
    expect(output).toBe('## Errors\n\nEach error has a line.\n\n### Of YAML\n\nTabs are refused.');
  });

  test('what is not there is told with what is', async () => {
    expect((await read({ note: 'decision' })).output).toContain('did you mean docs/decisions.md?');
    expect((await read({ note: 'README.md', section: 'Cost' })).output).toContain('It has: The parser, Errors');
    expect((await read({ note: 'plain', section: 'Cost' })).output).toBe(
      'docs/plain.markdown has no section "Cost". It has: none',
    );
    expect((await read({ note: 'nowhere at all' })).output).toBe('There is no note nowhere at all: see list_notes');
  });

  test('a note of anybody’s making takes no time', async () => {
    // Minutes where each blank is looked at from every other.
    const blank = `# a${' '.repeat(30_000)}x`;
    const { output } = await read({ note: 'bad', section: 'b' }, { 'bad.md': blank });
    expect(output).toContain('has no section "b". It has: a');
  });

  test('rejects a note of more than 256 KiB', async () => {
    const largest = 'a'.repeat(256 * 1024);
    expect((await read({ note: 'large' }, { 'large.md': largest })).output).toBe(largest);
    expect((await read({ note: 'large' }, { 'large.md': `${largest}b` })).output).toBe(
      'large.md has 262145 bytes: read it page by page with read_file',
    );
  });

  test('of several with one name none is guessed', async () => {
    const { output, status } = await read({ note: 'decisions' }, { 'old/decisions.md': 'Others.' });
    expect(status).toBe('error');
    expect(output).toContain('docs/decisions.md, old/decisions.md');
  });

  test('nothing outside of the folder, and no link out of it', async () => {
    const context = await within();
    const outside = await folderWith({ 'far.md': '# Far' });
    await symlink(join(outside, 'far.md'), join(context.workspace.folder, 'near.md'));
    for (const note of [join(outside, 'far.md'), '../far.md', 'near.md'])
      expect((await call(readNoteTool(), { note }, context)).output).toContain('is outside the workspace');
    expect((await call(listNotesTool(), {}, context)).output).not.toContain('Far');
    expect((await call(semanticSearchTool(), { query: 'far' }, context)).output).not.toContain('near.md');
  });
});

describe('searching', () => {
  const report: PastReport = {
    runId: 'run-1',
    conversationId: 'c',
    agent: 'code-reviewer',
    title: 'Review the cache',
    endedAt: '2026-03-01T12:00:00.000Z',
    text: '# Report\n\nThe cache of the index is never emptied.',
  };

  test('sections of notes and reports, best first, with their places; no code and nothing hidden', async () => {
    const context = { ...(await within()), pastReports: () => Promise.resolve([report]) };
    const { output, metadata } = await call(semanticSearchTool(), { query: 'the cache' }, context);
    const places = output.split('\n').filter((line) => !line.startsWith('  '));
    expect(places[0]).toBe('report of code-reviewer, 2026-03-01 (run run-1) — Review the cache');
    expect(places.slice(1).some((place) => place.startsWith('docs/decisions.md:5 — What we decided'))).toBe(true);
    expect(output).not.toMatch(/parser\.ts|secret\.md|node_modules/);
    expect(metadata).toMatchObject({ notes: 3, reports: 1 });
  });

  test('shows at most 400 characters around the first match, on one line', () => {
    const long = `${'before '.repeat(100)}the\ncache ${'after '.repeat(100)}`;
    const notes = [{ path: 'a.md', text: `No heading.\n# One\n\n${long}\n## Two\n\nA cache.\n` }];
    const [first = '', second = '', third] = rankSections('cache', 5, { notes, reports: [report] });
    expect(first).toBe(
      'report of code-reviewer, 2026-03-01 (run run-1) — Review the cache\n  # Report The cache of the index is never emptied.',
    );
    expect(second).toBe('a.md:6 — One › Two\n  A cache.');
    expect(third).toMatch(/^a\.md:2 — One\n {2}….{100}cache after .*…$/);
    expect(third?.split('\n')[1]).toHaveLength(2 + 1 + 400 + 1);
    expect(rankSections('cache', 1, { notes, reports: [report] })).toEqual([first]);
    expect(rankSections('before', 5, { notes, reports: [] })).toEqual([
      expect.stringMatching(/^a\.md:2 — One\n {2}before .*…$/) as string,
    ]);
  });

  test('a word in the heading counts more than one in the text', async () => {
    const context = await within({
      'a.md': '# Errors\n\nNothing.\n',
      'b.md': '# Other\n\nSome errors in a text of many other words.\n',
    });
    const { output } = await call(semanticSearchTool(), { query: 'errors' }, context);
    expect(output.indexOf('a.md')).toBeLessThan(output.indexOf('b.md'));
  });

  test('what was typed not quite right is found; what is nowhere says where it was looked for', async () => {
    const context = await within();
    expect((await call(semanticSearchTool(), { query: 'desided' }, context)).output).toContain('decisions.md');
    expect((await call(semanticSearchTool(), { query: 'xylophone' }, context)).output).toBe(
      '[Nothing was found in 3 notes and 0 reports.]',
    );
  });

  test('what rules hide is not found', async () => {
    const context = { ...(await within()), hidden: () => Promise.resolve(['docs/**']) };
    expect((await call(semanticSearchTool(), { query: 'cache' }, context)).output).toContain('Nothing was found');
    expect((await call(listNotesTool(), {}, context)).output).toBe('README.md — The parser');
  });
});

test('headings in code and front matter are none', () => {
  const text = '---\n# no\n---\nbefore\n\n```sh\n# no\n```\n# Yes #\ntext\n~~~\n## no\n~~~\n';
  expect(sectionsOf(text).map(({ heading, line }) => [heading, line])).toEqual([
    ['', 4],
    ['Yes', 9],
  ]);
  expect(titleOfNote('a/b.md', text)).toBe('Yes');
  expect(sectionNamed(text, 'no')).toBeNull();
});

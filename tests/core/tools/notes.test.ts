/** Notes are the workspace's Markdown: listed with their titles, read by name or section, and found by their words. */
import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { listNotesTool } from '#core/tools/notes/list-notes.ts';
import { type PastReport, rankPassages, rankSections } from '#core/tools/notes/note-search.ts';
import { sectionNamed, sectionsOf, titleOfNote } from '#core/tools/notes/note-sections.ts';
import { readNoteTool } from '#core/tools/notes/read-note.ts';
import { semanticSearchTool } from '#core/tools/notes/semantic-search.ts';
import { inFullRun } from '../../support/samples.ts';
import { call, contextIn, contextWith, folderWith } from '../../support/workspace.ts';

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

test('lists each note with its title, and no other files', async () => {
  const { output, status } = await call(listNotesTool(), {}, await within());
  expect(status).toBe('completed');
  expect(output).toBe('README.md — The parser\ndocs/decisions.md — What we decided\ndocs/plain.markdown — plain');
  expect((await call(listNotesTool(), { path: 'src' }, await within())).output).toBe('[There are no notes.]');
});

test('reports that there are more notes than listed', async () => {
  const found = { lines: ['a.md — A'], marks: [], more: true, timedOut: false, files: 1001, passedOver: false };
  const context = contextWith(await within(), { search: { run: () => Promise.resolve(found) } });
  expect(await call(listNotesTool(), {}, context)).toEqual({
    status: 'completed',
    output: 'a.md — A\n[The first 1000 notes; there are more: name a folder.]',
    metadata: { notes: 1, truncated: true },
  });
});

test('names the first three sessions that read or wrote a note', async () => {
  const session = (n: number) => ({ id: `s${n}`, title: `T"${n}` });
  const sessions = new Map([
    ['README.md', [1, 2, 3, 4, 5].map(session)],
    ['docs/plain.markdown', [session(1), session(2), session(3)]],
    ['docs/decisions.md', []],
  ]);
  const context = contextWith(await within(), { reports: { noteSessions: () => Promise.resolve(sessions) } });
  const named = 'linked from sessions: "T\\"1" s1, "T\\"2" s2, "T\\"3" s3';
  expect((await call(listNotesTool(), {}, context)).output.split('\n')).toEqual([
    `README.md — The parser (${named} and 2 more)`,
    'docs/decisions.md — What we decided',
    `docs/plain.markdown — plain (${named})`,
  ]);
  const { output, metadata } = await call(readNoteTool(), { note: 'readme', section: 'Speed' }, context);
  expect(output).toBe(`## Speed\n\nFast.\n\n[${named} and 2 more]`);
  expect(metadata).toEqual({ path: 'README.md', section: 'Speed' });
});

describe('read_note', () => {
  const read = async (input: object, more: Record<string, string> = {}) =>
    call(readNoteTool(), input, await within(more));

  test.each([
    ...['docs/decisions', 'Decisions', '[[decisions#Ignored|x]]'],
    ...(inFullRun ? ['docs/decisions.md', 'decisions', '[[decisions]]'] : []),
  ])('finds a note by %s', async (note) => {
    expect((await read({ note })).output).toBe(files['docs/decisions.md']);
  });

  test('returns a section with all its subsections', async () => {
    const { output } = await read({ note: 'README', section: '## errors' });
    expect(output).toBe('## Errors\n\nEach error has a line.\n\n### Of YAML\n\nTabs are refused.');
  });

  test('reports a missing note or section with the available names', async () => {
    expect((await read({ note: 'decision' })).output).toContain('did you mean docs/decisions.md?');
    expect((await read({ note: 'README.md', section: 'Cost' })).output).toContain('It has: The parser, Errors');
    expect((await read({ note: 'plain', section: 'Cost' })).output).toBe(
      'docs/plain.markdown has no section "Cost". It has: none',
    );
    expect((await read({ note: 'nowhere at all' })).output).toBe('There is no note nowhere at all: see list_notes');
  });

  test('reads a hostile note with many blanks in little time', async () => {
    // Minutes where each blank is looked at from every other.
    const blank = `# a${' '.repeat(30_000)}x`;
    const { output } = await read({ note: 'bad', section: 'b' }, { 'bad.md': blank });
    expect(output).toContain('has no section "b". It has: a');
  });

  test('suggests no note that a rule hides in any letter case', async () => {
    const context = contextWith(await within(), { search: { hidden: () => Promise.resolve(['DOCS/**']) } });
    const read = async (note: string) => (await call(readNoteTool(), { note }, context)).output;
    expect(await read('decision')).toBe('There is no note decision: see list_notes');
    expect(await read('[[readm#Errors|x]]')).toBe('There is no note [[readm#Errors|x]]: did you mean README.md?');
  });

  test('targets every note with the name, or the file at the path', async () => {
    const { workspace } = await within({ 'old/decisions.md': 'Others.', 'a.txt': 'x' });
    const targets = async (note: string) => (await readNoteTool().targets?.({ note }, workspace))?.values;
    expect(await targets('decisions')).toEqual(['docs/decisions.md', 'old/decisions.md']);
    expect([await targets('docs/plain.markdown'), await targets('README'), await targets('a.txt')]).toEqual([
      ...[['docs/plain.markdown'], ['README.md'], []],
    ]);
  });

  test('takes a section heading of at most 1000 characters', () => {
    const isValid = (section: string) => readNoteTool().input.safeParse({ note: 'plan', section }).success;
    expect([isValid('Goals'), isValid('x'.repeat(1000)), isValid('x'.repeat(1001))]).toEqual([true, true, false]);
  });

  test('rejects a note of more than 256 KiB', async () => {
    const largest = 'a'.repeat(256 * 1024);
    expect((await read({ note: 'large' }, { 'large.md': largest })).output).toBe(largest);
    expect((await read({ note: 'large' }, { 'large.md': `${largest}b` })).output).toBe(
      'large.md has 262145 bytes: read it page by page with read_file',
    );
  });

  test('rejects a name that several notes share, with their paths', async () => {
    const { output, status } = await read({ note: 'decisions' }, { 'old/decisions.md': 'Others.' });
    expect(status).toBe('error');
    expect(output).toContain('docs/decisions.md, old/decisions.md');
  });

  test('rejects notes outside the folder and links out of the folder', async () => {
    const context = await within();
    const outside = await folderWith({ 'far.md': '# Far' });
    await symlink(join(outside, 'far.md'), join(context.workspace.folder, 'near.md'));
    for (const note of [join(outside, 'far.md'), '../far.md', 'near.md'])
      expect((await call(readNoteTool(), { note }, context)).output).toContain('is outside the workspace');
    expect((await call(listNotesTool(), {}, context)).output).not.toContain('Far');
    expect((await call(semanticSearchTool(), { query: 'far' }, context)).output).not.toContain('near.md');
  });
});

describe('semantic_search', () => {
  const report: PastReport = {
    runId: 'run-1',
    conversationId: 'c',
    agent: 'code-reviewer',
    title: 'Review the cache',
    endedAt: '2026-03-01T12:00:00.000Z',
    text: '# Report\n\nThe cache of the index is never emptied.',
  };

  test('returns sections of notes and reports, best first, with locations, without code and hidden files', async () => {
    const context = contextWith(await within(), { reports: { past: () => Promise.resolve([report]) } });
    const { output, metadata, status } = await call(semanticSearchTool(), { query: 'the cache' }, context);
    expect(status).toBe('completed');
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

  test('tolerates typing errors and other word endings only in long words', () => {
    const ranked = (query: string, text: string) =>
      rankSections(query, 5, { notes: [{ path: 'a.md', text }], reports: [] }).length;
    expect([ranked('cach', 'caches'), ranked('cac', 'caches'), ranked('caching', 'cachinh')]).toEqual([1, 0, 1]);
    expect([ranked('cache', 'cachi'), ranked('caches', 'cachis')]).toEqual([0, 1]);
  });

  test('describes each passage by its location, its text with headings and its beginning', () => {
    const long = `${'word '.repeat(1000)}end`;
    const notes = [{ path: 'd/a.md', text: `# One\n\n## Two\n${long}` }];
    const { passages, hits } = rankPassages('report', 5, { notes, reports: [report] });
    expect(hits).toEqual([{ passage: 2, line: rankSections('report', 5, { notes, reports: [report] })[0] }]);
    expect(passages).toMatchObject([
      { owner: '', path: 'd/a.md', text: 'One\nOne\n', line: 'd/a.md:1 — One\n  ' },
      { owner: '', path: 'd/a.md', text: `One\nTwo\n${long}`.slice(0, 4000) },
      {
        owner: 'c',
        path: '',
        text: `Review the cache\n\n${report.text}`,
        line: expect.stringMatching(/^report of/) as string,
      },
    ]);
    expect(passages[1]?.line).toBe(`d/a.md:3 — One › Two\n  ${long.slice(0, 400)}…`);
    expect(new Set(passages.map(({ hash }) => hash)).size).toBe(3);
    expect(passages.every(({ hash }) => /^[0-9a-f]{64}$/.test(hash))).toBe(true);
  });

  test('takes a query of words and between 1 and 20 results', async () => {
    const input = (more: object) => semanticSearchTool().input.safeParse({ query: 'x', ...more }).success;
    expect([input({}), input({ query: ' ' }), input({ limit: 0 }), input({ limit: 20 }), input({ limit: 21 })]).toEqual(
      [...[true, false, false, true, false]],
    );
    const many = Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`${n}.md`, `# T${n}\n\nbees`]));
    const context = contextIn(await folderWith(many));
    const results = async (more: object) =>
      (await call(semanticSearchTool(), { query: 'bees', ...more }, context)).metadata?.['results'];
    expect([await results({}), await results({ limit: 20 })]).toEqual([8, 20]);
  });

  test('reports a stopped search and the notice of the search', async () => {
    const found = {
      lines: [],
      marks: [],
      more: true,
      timedOut: true,
      files: null,
      passedOver: false,
      notice: 'No model',
    };
    const context = contextWith(await within(), { search: { run: () => Promise.resolve(found) } });
    expect(await call(semanticSearchTool(), { query: 'x' }, context)).toMatchObject({
      status: 'error',
      output:
        '[Nothing was found in 0 notes and 0 reports.]\n[The search was stopped: there are too many notes.]\n[No model]',
    });
  });

  test('ranks a word in a heading higher than a word in the text', async () => {
    const context = await within({
      'a.md': '# Errors\n\nNothing.\n',
      'b.md': '# Other\n\nSome errors in a text of many other words.\n',
    });
    const { output } = await call(semanticSearchTool(), { query: 'errors' }, context);
    expect(output.indexOf('a.md')).toBeLessThan(output.indexOf('b.md'));
  });

  test('finds a misspelled word, and reports the searched notes if nothing matches', async () => {
    const context = await within();
    expect((await call(semanticSearchTool(), { query: 'desided' }, context)).output).toContain('decisions.md');
    expect((await call(semanticSearchTool(), { query: 'xylophone' }, context)).output).toBe(
      '[Nothing was found in 3 notes and 0 reports.]',
    );
  });

  test('excludes notes that rules hide', async () => {
    const context = contextWith(await within(), { search: { hidden: () => Promise.resolve(['docs/**']) } });
    expect((await call(semanticSearchTool(), { query: 'cache' }, context)).output).toContain('Nothing was found');
    expect((await call(listNotesTool(), {}, context)).output).toBe('README.md — The parser');
  });
});

test('ignores headings in code blocks and front matter', () => {
  const text = '---\n# no\n---\nbefore\n\n```sh\n# no\n```\n# Yes #\ntext\n~~~\n## no\n~~~\n';
  expect(sectionsOf(text).map(({ heading, line }) => [heading, line])).toEqual([
    ['', 4],
    ['Yes', 9],
  ]);
  expect(titleOfNote('a/b.md', text)).toBe('Yes');
  expect(sectionNamed(text, 'no')).toBeNull();
});

test('distinguishes headings from text, and ends a code block only at its matching fence', () => {
  const text = [
    ...['# One #C# ##', 'body', '   ###\tThree', '    # indented', '####### seven', '#none', '######  Six  '],
    ...[
      '````js',
      '```',
      '# in code',
      '~~~',
      '````x',
      '# still',
      '`````',
      '## After',
      '~~~~',
      '## no',
      '~~~',
      '~~~~',
      '##',
    ],
  ].join('\r\n');
  expect(sectionsOf(text).map(({ heading, level, line }) => [heading, level, line])).toEqual([
    ['One #C#', 1, 1],
    ['Three', 3, 3],
    ['Six', 6, 7],
    ['After', 2, 15],
  ]);
  expect(sectionsOf(text)[1]?.text).toBe('###\tThree\n    # indented\n####### seven\n#none');
  expect(sectionsOf(' \n\n# A\n')).toEqual([{ heading: 'A', level: 1, line: 3, text: '# A' }]);
  expect(sectionsOf('---\na: b\n--- \n\nText')).toMatchObject([{ heading: '', line: 4, text: 'Text' }]);
  expect(sectionsOf('---\n# Not closed')).toMatchObject([{ line: 1 }, { heading: 'Not closed' }]);
});

test('takes the title from the front matter, else the first heading, else the name of the file', () => {
  const front = (title: string) => titleOfNote('x.md', `---\nfor: me\ntitle: ${title} \n---\nText\n# H`);
  expect(['Plain', '"Quoted"', "'It''s'", '"Open', `"Mixed'`, '"', ''].map(front)).toEqual([
    ...['Plain', 'Quoted', "It''s", '"Open', `"Mixed'`, '"', 'H'],
  ]);
  expect(titleOfNote('x.md', 'a\ntitle: No\n---\n# H')).toBe('H');
  expect(titleOfNote('x.md', '---\na: b\n---\ntitle: No')).toBe('x');
  expect(titleOfNote('d.e/v1.2.md', '')).toBe('v1.2');
});

test('a section ends with the next heading of its level or above', () => {
  const text = '# A\n\n## B\n\n### C\n\n## D\n\n# B\n';
  expect(['##  b ', 'C', 'D', 'a'].map((heading) => sectionNamed(text, heading))).toEqual([
    '## B\n\n### C',
    '### C',
    '## D',
    '# A\n\n## B\n\n### C\n\n## D',
  ]);
  expect(sectionNamed('# Of C# code', 'of c# code')).toBe('# Of C# code');
  expect(sectionNamed('no heading', 'x')).toBeNull();
});

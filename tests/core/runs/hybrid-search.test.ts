/** With something that embeds texts, a search finds by meaning what no word finds, within what it may see and no further. */
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { HybridSearch } from '#core/runs/hybrid-search.ts';
import { storeOn } from '#core/store/store-on.ts';
import { memoryStore } from '../../support/stores/pooled.ts';
import { type PastReport, rankPassages } from '#core/tools/notes/note-search.ts';
import { search, type SearchJob, type SearchResult } from '#core/tools/search/search.ts';
import { semanticSearchTool } from '#core/tools/notes/semantic-search.ts';
import { type TestEmbedder, testEmbedder } from '../../support/embedder.ts';
import { type Harness, startEngine } from '../../support/engine.ts';
import { CHILD, spawn } from '../../support/fake-model/scenarios.ts';
import { Script, text, toolUse } from '../../support/fake-model/script.ts';
import { inFullRun } from '../../support/samples.ts';
import { call, contextIn, contextWith, folderWith } from '../../support/workspace.ts';
import { conversationRow, openOn, put } from '../store/support.ts';

const files = {
  'garage.md': '# Garage\n\nThe automobile stands here.\n\n## Tools\n\nA wrench and a saw.\n',
  'zoo.md': '# Zoo\n\nThe wombat sleeps.\n',
  'trip.md': '# Trip\n\nBy car to the sea.\n',
};

interface Options {
  reports?: readonly PastReport[];
  hidden?: readonly string[];
  patienceMs?: number;
  signal?: AbortSignal;
}

type Ranking = SearchJob & { kind: 'ranked' };

/** What the thread of a search gives, without the start of one, which takes longer than all else here. */
async function byWords({ workspace, hidden, query, limit, reports, passages = 0 }: Ranking): Promise<SearchResult> {
  const paths = (await readdir(workspace.folder)).filter((path) => path.endsWith('.md') && !hidden.includes(path));
  const texts = paths
    .sort()
    .map(async (path) => ({ path, text: await readFile(join(workspace.folder, path), 'utf8') }));
  const ranked = rankPassages(query, passages, { notes: await Promise.all(texts), reports });
  const lines = ranked.hits.slice(0, limit).map(({ line }) => line);
  return { lines, marks: [], more: false, timedOut: false, files: paths.length, passedOver: false, ranked };
}

/** As a run's tool has it. */
function searching(
  folder: string,
  store: Harness['store'],
  embedder: TestEmbedder,
  most?: { texts: number; bytes: number },
) {
  const of = (bounds = {}) => new HybridSearch(embedder, store.vectors, bounds);
  const shared = of(most && { most });
  return async (query: string, options: Options = {}): Promise<string> => {
    const { reports = [], hidden = [], patienceMs, signal = new AbortController().signal } = options;
    const hybrid = patienceMs === undefined ? shared : of({ patienceMs });
    const context = contextWith(contextIn(folder, signal), {
      search: {
        run: (job) =>
          job.kind === 'ranked' ? hybrid.search(job, signal, byWords) : search(job, signal, { ripgrep: null }),
        hidden: () => Promise.resolve(hidden),
      },
      reports: { past: () => Promise.resolve(reports) },
    });
    return (await call(semanticSearchTool(), { query }, context)).output;
  };
}

async function begin(more: Record<string, string> = {}, embedder = testEmbedder()) {
  const [folder, store] = [await folderWith({ ...files, ...more }), await memoryStore()];
  return { folder, store, embedder, find: searching(folder, store, embedder) };
}

const places = (output: string): string[] => output.split('\n').filter((line) => /^\S.*:\d+ — /.test(line));
const embedded = ({ requests }: TestEmbedder): number => requests.flat().length;

test('redacts keys in texts sent to the embedding service', async () => {
  const token = `ghp_${'a1'.repeat(18)}`;
  const { find, embedder } = await begin({ 'key.md': `# Key\n\nIt is ${token}.\n` });
  await find('key');
  const sent = embedder.requests.flat().join('\n');
  expect(sent).toContain('It is [redacted: GitHub token].');
  expect(sent).not.toContain(token);
});

test('finds sections by meaning in addition to sections found by words, each once', async () => {
  const { folder, store, find } = await begin({ 'again.md': '# Again\n\nA car, a car.\n' });
  const words = await call(semanticSearchTool(), { query: 'car' }, contextIn(folder));
  expect(words.output).not.toContain('garage.md');
  const output = await find('car');
  for (const place of places(words.output)) expect(places(output)).toContain(place);
  expect(output).toContain('garage.md:1 — Garage\n  The automobile stands here.');
  expect(new Set(places(output)).size).toBe(places(output).length);
  await store.close();
});

test('a section in both rankings comes first, and a section in only one ranking is still found', async () => {
  const far = `# Far\n\n${'wombat '.repeat(700)}quagga\n`;
  const nearest = '# Automobile\n\nVehicle, automobile.\n';
  const { store, find } = await begin({ 'auto.md': nearest, 'far.md': far }, testEmbedder({ dimensions: 512 }));
  const [first, second] = places(await find('car'));
  expect([first, second]).toEqual(['trip.md:1 — Trip', 'auto.md:1 — Automobile']);
  // Its word stands behind what is embedded.
  expect(places(await find('quagga'))).toEqual(['far.md:1 — Far']);
  await store.close();
});

test('embeds an unchanged section once and a changed section again, and deletes vectors of deleted sections', async () => {
  const { folder, store, embedder, find } = await begin();
  await Promise.all([find('car'), find('wombat')]);
  expect(embedded(embedder), 'four sections and two queries').toBe(6);
  await find('car');
  expect(embedded(embedder)).toBe(7);
  await writeFile(join(folder, 'garage.md'), '# Garage\n\nEmpty now.\n\n## Tools\n\nA wrench and a saw.\n');
  await rm(join(folder, 'zoo.md'));
  expect(await find('car')).not.toContain('automobile');
  expect(embedder.requests.at(-1)).toEqual(['Garage\nGarage\n\nEmpty now.']);
  const { known } = await store.vectors.table({ embedder: 'trigrams', dimensions: 64, folder });
  expect([...known.values()].map(({ path }) => path).sort()).toEqual(['garage.md', 'garage.md', 'trip.md']);
  // What a rule hides from one agent is not gone.
  await find('car', { hidden: ['trip.md'] });
  expect([...known.values()].some(({ path }) => path === 'trip.md')).toBe(true);
  await store.close();
});

test('finds no section that is hidden by a rule or is in another folder', async () => {
  const { store, embedder, find } = await begin();
  await find('car');
  expect(await find('car', { hidden: ['garage.md'] })).not.toContain('garage');
  const other = await folderWith({ 'b.md': '# B\n\nA physician.\n' });
  expect(await searching(other, store, embedder)('car')).not.toMatch(/garage|trip/);
  const before = embedded(embedder);
  await find('car');
  expect(embedded(embedder) - before, 'only the query: the folders share nothing').toBe(1);
  await store.close();
});

const broken: [string, TestEmbedder['fault'], string][] = [
  ['fails', () => Promise.reject(new Error('no\nroute')), 'no route'],
  ['gives too few', () => Promise.resolve([]), 'it should give 1 vectors of 64 numbers'],
  ['gives no numbers', () => Promise.resolve([new Float32Array(64).fill(NaN)]), 'it should give 1 vectors'],
  ['never answers', () => new Promise(() => {}), 'it took too long'],
];
const brokenToo: typeof broken = [
  ['gives others', () => Promise.resolve([new Float32Array(3).fill(1)]), 'it should give 1 vectors of 64 numbers'],
  ['gives none', () => Promise.resolve([new Float32Array(64)]), 'it should give 1 vectors of 64 numbers'],
];
test('does not return the nearest section if it has nothing in common with the query', async () => {
  const { store, find } = await begin({}, testEmbedder({ dimensions: 512 }));
  expect(await find('xyxyx')).toBe('[Nothing was found in 3 notes and 0 reports.]');
  await store.close();
});

test('ranks by words and reports the reason in one line if the embedder fails', async () => {
  const { folder, store, embedder, find } = await begin();
  const words = (await call(semanticSearchTool(), { query: 'car' }, contextIn(folder))).output;
  for (const [how, fault, reason] of inFullRun ? [...broken, ...brokenToo] : broken) {
    embedder.fault = fault;
    const output = await find('car', { patienceMs: 200 });
    expect(output.startsWith(`${words}\n[Ranked by words alone: trigrams failed: ${reason}`), how).toBe(true);
    expect(output.split('\n'), how).toHaveLength(words.split('\n').length + 1);
  }
  embedder.fault = null;
  expect(await find('car')).toContain('automobile');
  await store.close();
});

test('a stopped run waits for no embedder', async () => {
  const { store, embedder, find } = await begin();
  const stop = new AbortController();
  embedder.fault = () => {
    stop.abort(new Error('stopped'));
    return new Promise(() => {});
  };
  await expect(find('car', { signal: stop.signal })).resolves.toBe('Cancelled before it was done.');
  await store.close();
});

test('limits the size of embedding requests and the number of passages embedded in one search', async () => {
  const many = Array.from({ length: 110 }, (_, n) => `# Number ${n}\n\nCar ${n}.\n`).join('\n');
  const long = Array.from({ length: 40 }, (_, n) => `# Long ${n}\n\n${'wombat '.repeat(600)}\n`).join('\n');
  const { folder, store, embedder } = await begin({ 'many.md': many, 'long.md': long });
  const find = searching(folder, store, embedder, { texts: 120, bytes: 1024 * 1024 });
  expect(await find('car')).toContain('[34 passages are not embedded yet');
  expect(embedded(embedder)).toBe(121);
  for (const request of embedder.requests) {
    expect(request.length).toBeLessThanOrEqual(64);
    expect(Math.max(...request.map(({ length }) => length))).toBeLessThanOrEqual(4000);
    expect(Buffer.byteLength(request.join(''))).toBeLessThanOrEqual(128 * 1024);
  }
  expect(await find('car')).not.toContain('not embedded yet');
  await store.close();
});

test('vectors survive a restart, and a change of dimensions is reported once and rebuilds the vectors', async () => {
  const folder = await folderWith(files);
  const space = { embedder: 'trigrams', folder };
  const opened = await openOn('rocksdb');
  const { store, database } = opened;
  await searching(folder, store, testEmbedder())('car');
  // Another life of the program on the same database.
  const again = testEmbedder();
  expect(await searching(folder, storeOn(database).store, again)('car')).toContain('automobile');
  expect(again.requests).toEqual([['car']]);

  const wide = testEmbedder({ dimensions: 96 });
  const last = storeOn(database).store;
  const find = searching(folder, last, wide);
  const output = await find('car');
  expect(output).toContain(
    '[The vectors of this folder had 64 numbers each, trigrams now gives 96: they are made anew.]',
  );
  expect(output).toContain('automobile');
  expect(await find('car')).not.toContain('made anew');
  expect(embedded(wide)).toBe(4 + 2);
  const [{ tables }] = (await database.query('INFO FOR DB')) as [{ tables: Record<string, string> }];
  expect(Object.keys(tables).filter((name) => name.startsWith('vector_'))).toHaveLength(1);
  expect((await last.vectors.table({ ...space, dimensions: 96 })).known.size).toBe(4);
  await opened.close();
});

test('deletes vectors of reports of a deleted conversation, and embeds a report again after the restore', async () => {
  const [opened, folder] = [await openOn('mem'), await folderWith(files)];
  const { store, database } = opened;
  const find = searching(folder, store, testEmbedder());
  const row = conversationRow({ folder });
  await store.commit([put('conversation', row)]);
  const report = {
    runId: 'r',
    conversationId: row.id,
    agent: 'scout',
    title: 'Look',
    endedAt: '2026-03-01T12:00:00.000Z',
    text: 'The physician came.',
  };
  const { known } = await store.vectors.table({ embedder: 'trigrams', dimensions: 64, folder });
  const own = () => [...known.values()].filter(({ owner }) => owner === row.id).length;
  expect(await find('doctor', { reports: [report] })).toContain('physician');
  expect(own()).toBe(1);
  await store.trash(row.id, '2026-03-01T12:00:00.000Z');
  expect(own()).toBe(0);
  // By a search that had read it before.
  await find('doctor', { reports: [report] });
  expect(own(), 'nothing of what is in the trash is kept').toBe(0);
  await store.restore(row.id);
  await find('doctor', { reports: [report] });
  expect(own()).toBe(1);
  await store.trash(row.id, '2026-03-01T12:00:00.000Z');
  // Left there by a kill in that moment.
  const [{ tables }] = (await database.query('INFO FOR DB')) as [{ tables: Record<string, string> }];
  const table = Object.keys(tables).find((name) => name.startsWith('vector_'));
  const left = { id: [row.id, 'hash'], path: '', vector: Array.from({ length: 64 }, () => 1) };
  await database.query(`INSERT INTO ${table} $left`, { left });
  await store.purge(row.id);
  const [rows] = await database.query(`SELECT VALUE record::id(id)[0] FROM ${table}`);
  expect(rows).toEqual(['', '', '', '']);
  await opened.close();
});

test('a lead finds a past report by its meaning, and a sub-agent does not', async () => {
  const look = toolUse('semantic_search', { query: 'doctor' });
  const script = new Script()
    .on({ ...CHILD, asked: /^Find/ })
    .reply([text('# Report\n\nThe physician is in the cellar.')])
    .on({ ...CHILD, step: 1 })
    .reply([look])
    .on(CHILD)
    .reply([text('# Report\n\nNothing.')])
    .on({ asked: /^First/, step: 1 })
    .reply([spawn({ name: 'scout', prompt: 'Find it.' })])
    .on({ asked: /^Then/, step: 1 })
    .reply([look])
    .on({ asked: /^Then/, step: 2 })
    .reply([spawn({ name: 'other', prompt: 'Search.' })])
    .on({})
    .reply([text('Done.')]);
  const engine = await startEngine(script, { embeddings: testEmbedder() });
  await engine.ask('First look');
  await engine.ask('Then search');
  const found = engine
    .of('tool-end')
    .flatMap(({ agent, entry }) => (entry.name === 'semantic_search' ? [[agent, entry.output]] : []));
  expect(found.map(([agent, output]) => [agent, output?.includes('physician')])).toEqual([
    ['lead', true],
    ['other', false],
  ]);
});

test('a search without an embedder returns unchanged results and does not use vectors', async () => {
  const script = new Script()
    .on({ step: 1 })
    .reply([toolUse('semantic_search', { query: 'car' })])
    .on({})
    .reply([text('Done.')]);
  const opened = await openOn('mem');
  const { database, store } = opened;
  const seen: string[] = [];
  const watched: Harness['store'] = {
    ...store,
    vectors: {
      table: (space) => {
        seen.push('table');
        return store.vectors.table(space);
      },
      forget: (id) => store.vectors.forget(id),
    },
  };
  const engine = await startEngine(script, { files, store: watched });
  await engine.ask('Look');
  const [end] = engine.of('tool-end');
  const words = await call(semanticSearchTool(), { query: 'car' }, contextIn(engine.folder));
  expect(end?.entry.output).toBe(words.output);
  expect(seen).toEqual([]);
  const [{ tables }] = (await database.query('INFO FOR DB')) as [{ tables: Record<string, string> }];
  expect(Object.keys(tables).filter((name) => name.startsWith('vector_'))).toEqual([]);
  await engine.runtime.close();
  await opened.close();
});

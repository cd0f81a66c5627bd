/** docs/sessions.md names every field that the files have, and the example beside it is what the program writes. */
import { mkdtempSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SessionProjector } from '#core/host/records/sessions/projector.ts';
import { workflowDetail } from '#core/host/records/snapshots.ts';
import type { Store } from '#core/store/store.ts';
import { memoryStore } from '../support/stores/pooled.ts';
import { traceOf } from '#hosts/cli/render/trace.ts';
import { recordedTrouble, recordedWorkflow } from '../support/events.ts';
import { conversationId, conversationRow, type Recording } from '../support/recording.ts';
import { recordedServing } from '../support/flows/served.ts';
import { fieldsOf, filesBelow } from '../support/session-files.ts';
import { eventItems } from '../support/commit-items.ts';

const docs = path.resolve(import.meta.dirname, '../../docs');
const page = readFileSync(path.join(docs, 'sessions.md'), 'utf8');
const data = mkdtempSync(path.join(tmpdir(), 'triad-docs-'));
afterAll(() => rm(data, { recursive: true, force: true }));

async function stored(recording: Recording): Promise<Store> {
  const store = await memoryStore();
  await store.commit([{ table: 'conversation', key: conversationId, row: { ...conversationRow() } }]);
  await store.commit(eventItems(recording.durable));
  return store;
}

async function written(recording: Recording): Promise<Record<string, string>> {
  const store = await stored(recording);
  const settings = { sessions: { project: false } };
  const ports = { store, data, settings, version: '0.1.0' };
  const projector = new SessionProjector({ ...ports, onFailure: () => undefined });
  const { folder } = await projector.rebuild(conversationId);
  await store.close();
  const name = path.basename(folder);
  const files = Object.entries(await filesBelow(folder));
  return Object.fromEntries(files.map(([file, text]) => [`${name}/${file}`, text]));
}

/** The names in backticks below a heading, up to the next one. */
function named(heading: string): Set<string> {
  const section = page.split(/^#{2,3} /m).find((one) => one.startsWith(`${heading}\n`));
  if (section === undefined) throw new Error(`There is no section "${heading}"`);
  return new Set([...section.matchAll(/`([A-Za-z_]+)`/g)].map(([, name = '']) => name));
}

/** Of an object and all that lies in it, except in what is another document's. */
function keysOf(value: unknown, except: readonly string[] = []): string[] {
  if (Array.isArray(value)) return value.flatMap((item) => keysOf(item, except));
  if (value === null || typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([key, inner]) => [key, ...(except.includes(key) ? [] : keysOf(inner, except))]);
}

test('the example session is what the program writes', async () => {
  const files = await written(recordedWorkflow());
  expect(await filesBelow(path.join(docs, 'examples/sessions'))).toEqual(files);
});

describe('the page names each field', () => {
  let files: [name: string, text: string][];
  beforeAll(async () => {
    files = [];
    for (const recording of [recordedWorkflow(), recordedTrouble(), recordedServing()])
      files.push(...Object.entries(await written(recording)));
  });

  test.for([
    ['session.md', (name: string) => name.endsWith('/session.md')],
    ['A sub-agent’s file', (name: string) => name.endsWith('.md') && !name.endsWith('/session.md')],
  ] as const)('in the front matter of %s', ([heading, isOne]) => {
    const names = named(heading.replace('’', "'"));
    for (const [name, text] of files)
      if (isOne(name)) expect(Object.keys(fieldsOf(text)).filter((key) => !names.has(key))).toEqual([]);
  });

  test('in metadata.json', () => {
    const names = new Set([...named('metadata.json'), ...named('execution_trace')]);
    for (const [name, text] of files)
      if (name.endsWith('.json')) expect(keysOf(JSON.parse(text)).filter((key) => !names.has(key))).toEqual([]);
  });

  test('in the JSON of a trace', async () => {
    const names = named('The trace in a terminal');
    for (const recording of [recordedWorkflow(), recordedTrouble()]) {
      const store = await stored(recording);
      const { items } = await store.workflows({ conversationId, limit: 10 });
      const details = await Promise.all(items.map((workflow) => workflowDetail(store, workflow)));
      const conversation = details[0]?.conversation ?? conversationRow();
      const keys = keysOf(traceOf(conversation, details), ['usage', 'error', 'asked', 'approved']);
      expect(keys.filter((key) => !names.has(key))).toEqual([]);
      await store.close();
    }
  });
});

/** Arguments that are no JSON or do not fit: the model reads what is wrong and the schema; the records keep what it wrote. */
import { expect, test } from 'vitest';
import { z } from 'zod';
import { MAX_SCHEMA_BYTES, parsedArguments } from '#core/loop/invalid-arguments.ts';
import { defineTool } from '#core/tools/tool.ts';
import { NO_PERMISSION } from '#core/tools/traits.ts';
import { startEngine } from '../../support/engine.ts';
import { Script, text, toolUse } from '../../support/fake-model/script.ts';

const ODD = { path: 7, 'no such': ['field', { of: null }] };

test.for([
  { what: 'no JSON', sent: toolUse('read_file', {}, { raw: '{"path": "READ' }), raw: '{"path": "READ', wrong: /JSON/ },
  {
    what: 'not of the schema',
    sent: toolUse('read_file', ODD),
    raw: JSON.stringify(ODD, null, 2),
    wrong: /no such[^]*expected string/,
  },
])('arguments that are $what', async ({ sent, raw, wrong }) => {
  const script = new Script().on({ step: 1 }).reply([sent]);
  script.on({}).reply([text('I see.')]);
  const engine = await startEngine(script);
  const { workflowId } = await engine.ask('Hello');
  expect(engine.of('tool-start')).toEqual([]);

  const [first, second] = engine.model.requests;
  const [answer] = second?.seen.results ?? [];
  const offered = first?.seen.body.tools?.find(({ name }) => name === 'read_file');
  expect(answer?.isError).toBe(true);
  expect(answer?.text).toMatch(wrong);
  expect(answer?.text).toContain(`\n${JSON.stringify(offered?.input_schema)}`);

  // The log and both forms of the export have the arguments as they came.
  const { runs } = await engine.runtime.request('workflow.get', { workflowId });
  const entries = await engine.store.entriesOf(runs[0]?.id ?? '');
  const parts = entries.flatMap((entry) => (entry.kind === 'assistant' ? entry.parts : []));
  const { conversationId } = engine;
  const as = async (format: 'json' | 'md') =>
    (await engine.runtime.request('conversation.export', { conversationId, format })).text;
  const malformed = sent.type === 'tool_use' && sent.raw !== undefined;
  const kept = malformed ? { input: {}, malformed: raw } : { input: ODD };
  expect(parts).toContainEqual(expect.objectContaining({ type: 'tool_use', ...kept }));
  expect(await as('json')).toContain(JSON.stringify(malformed ? raw : 'no such'));
  expect(await as('md')).toContain(raw);
});

test('a schema that is too long is cut, and says so', async () => {
  const tool = defineTool<{ name: string }>({
    ...NO_PERMISSION,
    name: 'odd',
    order: 'serial',
    describe: () => '',
    input: z.strictObject({ name: z.string() }),
    execute: () => Promise.reject(new Error('not run')),
  });
  const call = { type: 'tool_use', id: 'a', name: 'odd', input: {} } as const;
  const refusalOf = async (length: number) => {
    const told = await parsedArguments(tool, call, () => Promise.resolve({ description: 'é'.repeat(length) }));
    return 'refusal' in told ? told.refusal.slice(told.refusal.indexOf('{')) : null;
  };
  const around = Buffer.byteLength(JSON.stringify({ description: '' }));
  const fits = (MAX_SCHEMA_BYTES - around) / 2;
  expect(await refusalOf(Math.floor(fits))).toBe(JSON.stringify({ description: 'é'.repeat(Math.floor(fits)) }));
  const cut = await refusalOf(3000);
  expect(Buffer.byteLength(cut?.split('\n')[0] ?? '')).toBeGreaterThan(MAX_SCHEMA_BYTES - 3);
  expect(Buffer.byteLength(cut?.split('\n')[0] ?? '')).toBeLessThanOrEqual(MAX_SCHEMA_BYTES);
  expect(cut).toMatch(/\n\[\d+ bytes more: /);
});

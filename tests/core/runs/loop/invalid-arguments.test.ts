/** Arguments that are not JSON or do not fit: the model gets the problem and the signature; the records have what it wrote. */
import { expect, test } from 'vitest';
import { startEngine } from '../../../support/engine.ts';
import { Script, text, toolUse } from '../../../support/fake-model/script.ts';

const ODD = { path: 7, 'no such sandbox': ['field', { of: null }] };

test.for([
  { what: 'not JSON', sent: toolUse('read_file', {}, { raw: '{"path": "READ' }), raw: '{"path": "READ', wrong: /JSON/ },
  {
    what: 'outside the schema',
    sent: toolUse('read_file', ODD),
    raw: JSON.stringify(ODD, null, 2),
    wrong: /path must be a text/,
  },
])('answers arguments that are $what with the problem and the tool signature', async ({ sent, raw, wrong }) => {
  const script = new Script().on({ step: 1 }).reply([sent]);
  script.on({}).reply([text('I see.')]);
  const engine = await startEngine(script);
  const { workflowId } = await engine.ask('Hello');
  expect(engine.of('tool-start')).toEqual([]);

  const [, second] = engine.model.requests;
  const [answer] = second?.seen.results ?? [];
  expect(answer?.isError).toBe(true);
  expect(answer?.text).toMatch(wrong);
  expect(answer?.text).toContain(
    '\nArguments: read_file(path: string, offset?: integer, limit?: integer, unredacted?: boolean)',
  );

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
  expect(await as('json')).toContain(JSON.stringify(malformed ? raw : 'no such sandbox'));
  expect(await as('md')).toContain(raw);
});

/** Prompt in, report out: nothing of the lead's conversation reaches a sub-agent, in any request that it makes. */
import { expect, test } from 'vitest';
import { outputOf, startEngine } from '../../support/engine.ts';
import { CHILD, LEAD, reportOf, spawn } from '../../support/fake-model/scenarios.ts';
import { Script, text, thinking, toolUse } from '../../support/fake-model/script.ts';

/** Words that stand only in the lead's conversation: in its messages, thoughts, tool arguments and results. */
const LEADS_OWN = [
  'SECRET-QUESTION',
  'SECRET-THOUGHT',
  'SECRET-WORDS',
  'SECRET-FILE',
  'SECRET-TITLE',
  'SECRET-SIBLING',
  'SECRET-BEFORE',
];
const PROMPT = 'Count the files. Answer with a number.';

test('every request of a sub-agent contains its own system prompt and prompt, and nothing from the lead', async () => {
  const script = new Script()
    .on({ ...LEAD, lastUser: /SECRET-BEFORE/ })
    .reply([text('SECRET-WORDS of an earlier workflow')])
    .on({ ...LEAD, step: 1 })
    .reply([
      thinking('SECRET-THOUGHT', { signature: 'sig' }),
      text('SECRET-WORDS'),
      toolUse('read_file', { path: 'plan.md' }),
    ])
    .on({ ...LEAD, step: 2 })
    .reply([
      spawn({ name: 'counter', prompt: PROMPT, reason: 'SECRET-TITLE' }),
      spawn({ name: 'sibling', prompt: 'Say SECRET-SIBLING', system_prompt: 'You are the sibling.' }),
    ])
    .on({ ...CHILD, prompt: /Count the files/, step: 1 })
    .reply([toolUse('list_directory', { path: '.' })])
    .on({ ...CHILD, prompt: /Count the files/ })
    .reply([text(reportOf('counting'))])
    .on(CHILD)
    .reply([text(reportOf('SECRET-SIBLING'))])
    .on({})
    .reply([text('Done.')]);
  const engine = await startEngine(script, { files: { 'plan.md': 'SECRET-FILE\n' } });
  await engine.ask('SECRET-BEFORE: an earlier message');
  const end = await engine.ask('SECRET-QUESTION: please count');
  expect(end.outcome).toBe('completed');

  const childs = engine.model.requests.filter(({ seen }) => seen.prompt === PROMPT);
  expect(childs).toHaveLength(2);
  for (const { body } of childs) {
    const all = JSON.stringify(body);
    for (const word of LEADS_OWN) expect(all, word).not.toContain(word);
  }
  const first = childs[0]?.body.messages;
  expect(first).toHaveLength(1);
  expect(childs[0]?.seen.tools).toEqual([
    ...[
      'ask_question',
      'bash',
      'bash_jobs',
      'bash_online',
      'delete_file',
      'edit_file',
      'glob',
      'grep',
      'list_directory',
      'list_notes',
      'memory',
      'move_file',
      'read_file',
      'read_note',
      'read_output',
    ],
    ...['request_approval', 'semantic_search', 'todo_read', 'todo_write', 'web_fetch', 'write_file'],
  ]);

  // And back: of a child only its report and its metrics reach the lead.
  const results = engine.model.requests.find(
    ({ seen }) => seen.tools.includes('spawn_agent') && seen.results.length === 2,
  )?.seen.results;
  expect(Object.keys(outputOf(results?.[0]?.text)).sort()).toEqual([
    'child_id',
    'metrics',
    'outcome',
    'report',
    'success',
  ]);
});

test('lets a lead read the Markdown of sessions, but no sub-agent', async () => {
  const note = '.triad/sessions/one/session.md';
  const read = toolUse('read_note', { note });
  const script = new Script()
    .on({ ...LEAD, step: 1 })
    .reply([read, spawn({ name: 'reader', prompt: 'Read.' })])
    .on({ ...CHILD, step: 1 })
    .reply([read])
    .on({})
    .reply([text('Done.')]);
  const engine = await startEngine(script, { files: { [note]: '# SECRET-BEFORE\n' } });
  await engine.ask('Go');
  const results = engine
    .of('tool-end')
    .flatMap(({ agent, entry: { name, status, output } }) =>
      name === 'read_note' ? [[agent, status, output.includes('SECRET-BEFORE')]] : [],
    );
  expect(Object.fromEntries(results.map(([agent, ...rest]) => [agent, rest]))).toEqual({
    lead: ['completed', true],
    reader: ['error', false],
  });
});

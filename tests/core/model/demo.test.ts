/** The demo after the person gave more or had a sub-agent tried again: the engine's notes are no task. */
import { expect, test } from 'vitest';
import { asTold } from '#core/store/log/transcript.ts';
import { newId } from '#core/base/ids.ts';
import { createDemoModel } from '#core/model/demo.ts';
import { wordsOf } from '#core/model/demo-language.ts';
import type { Language } from '#contract/messages/language.ts';
import type { ModelRequest, WireMessage } from '#core/model/model.ts';

const RAISED =
  'The person raised the limit of 1 turn. You have your tools again: go on with the task where you stopped, and write your final report when it is done.';
const TOLD =
  'The limit of 1 turn is reached. You have no tools any more. Write your final report now, from what you have, and say what is missing.';
const TASK = '**Task**: Find the texts.\n\n**Input Data**: the folder. Files: `**/*.md`';

const user = (...texts: string[]): WireMessage => ({
  role: 'user',
  content: texts.map((text) => ({ type: 'text', text })),
});
const said = (text: string): WireMessage => ({ role: 'assistant', content: [{ type: 'text', text }] });

function called(id: string, name: string, output: string, ...notes: string[]): WireMessage[] {
  return [
    { role: 'assistant', content: [{ type: 'tool_use', id, name, input: {} }] },
    {
      role: 'user',
      content: [
        { type: 'tool_result', toolCallId: id, output, isError: false },
        ...notes.map((text) => ({ type: 'text' as const, text })),
      ],
    },
  ];
}

async function reply(messages: WireMessage[], names: string[], asked: Language = 'en') {
  const tools = names.map((name) => ({ name, description: '', inputSchema: {} }));
  const request: ModelRequest = {
    model: 'demo',
    effort: null,
    system: '',
    messages,
    tools,
    maxTokens: 10_000,
    toolChoice: 'auto' as const,
  };
  let text = '';
  const calls: string[] = [];
  const inputs: unknown[] = [];
  const stream = createDemoModel({ firstMs: 0, pieceMs: 0, language: () => asked }).stream(
    request,
    new AbortController().signal,
  );
  for await (const event of stream) {
    if (event.type !== 'part') continue;
    if (event.value.type === 'text') text += event.value.text;
    if (event.value.type !== 'tool_use') continue;
    calls.push(event.value.name);
    inputs.push(event.value.input);
  }
  return { text, calls, inputs };
}

const CHILD = ['glob', 'grep', 'read_file', 'list_directory'];
const found = called('demo_agent_glob', 'glob', 'README.md\nnotes/plan.md', TOLD);

test('a demo sub-agent with a raised limit goes on from its earlier results', async () => {
  const messages = [user(TASK), ...found, said('# Report'), user(RAISED)];
  expect(await reply(messages, CHILD)).toMatchObject({
    text: 'I open `README.md`.',
    calls: ['read_file'],
  });
  const { text, calls } = await reply([...messages, ...called('demo_agent_read', 'read_file', '# Pears\n')], CHILD);
  expect(calls).toEqual([]);
  expect(text).toContain('# Report: Find the texts.');
  expect(text).toContain('2 files match `**/*.md`');
  expect(text).toContain('first heading is “Pears”');
});

test('a demo sub-agent that had done nothing starts with its task', async () => {
  expect((await reply([user(TASK, TOLD), said('Nothing.'), user(RAISED)], CHILD)).calls).toEqual(['glob']);
});

test('the demo lead replaces a failed result by the late report of the retried sub-agent', async () => {
  const [one, two] = [newId(), newId()];
  const report = (text: string) => `# Report\n\n## Summary\n\n${text}`;
  const results = [
    { agent_id: 'analyst', child_id: one, success: true, outcome: 'completed', report: report('Two tests.') },
    { agent_id: 'writer', child_id: two, success: false, outcome: 'error', report: '', error: 'lost' },
  ];
  const late = `Report of the sub-agent writer (${two}), outcome completed:\n\n${report('Three links.')}`;
  const { text, calls } = await reply(
    [
      user('Go'),
      ...called('demo_act3_look', 'list_directory', 'README.md'),
      ...called('demo_act3_batch', 'parallel_tasks', JSON.stringify({ results })),
      said('One was lost.'),
      user(late),
    ],
    ['spawn_agent', 'parallel_tasks', 'list_directory'],
  );
  expect(calls).toEqual([]);
  expect(text).toContain('- **analyst**: Its report: Two tests.\n- **writer**: Its report: Three links.');
  expect(text).not.toContain('lost');
});

const LEAD = ['spawn_agent', 'parallel_tasks', 'list_directory', 'write_file'];
const third = (listing: string, success: boolean): WireMessage[] => {
  const results = [{ agent_id: 'analyst', success, outcome: success ? 'completed' : 'rejected', report: 'Two tests.' }];
  return [
    user('Go'),
    ...called('demo_act3_look', 'list_directory', listing),
    ...called('demo_act3_batch', 'parallel_tasks', JSON.stringify({ results })),
  ];
};

test('the demo lead writes reports to a new file, and writes nothing if unsure', async () => {
  expect(await reply(third('README.md\ntriad-demo.md', true), LEAD)).toMatchObject({
    calls: ['write_file'],
    inputs: [{ path: 'triad-demo-2.md', content: expect.stringContaining('Two tests.') as string }],
  });
  const partly = 'README.md\n[1 of 2000 entries; narrow it with glob.]';
  for (const [listing, success, names] of [
    [partly, true, LEAD],
    ['README.md', false, LEAD],
    ['README.md', true, LEAD.slice(0, 3)],
  ] as const)
    expect((await reply(third(listing, success), [...names])).calls).toEqual([]);
});

test('the demo lead quotes the reason of a rejected write and tries nothing else', async () => {
  const refused = called('demo_act3_write', 'write_file', 'Rejected by the person: no');
  for (const part of refused[1]!.content) if (part.type === 'tool_result') part.isError = true;
  const { text, calls } = await reply([...third('README.md', true), ...refused], LEAD);
  expect(calls).toEqual([]);
  expect(text).toContain('Nothing was written. You said no: “no”.');
  expect(text).not.toContain('--undo');
});

test('the last demo stage removes a statement from a report that its source does not support', async () => {
  const lines = ['- Line 1 says “one”. [a.md:1]', '- Line 2 says “never”. [b.md:2]', '- The folder holds 2 files. [.]'];
  const report = `# What is it?\n\n## Answer\n\nTwo.\n\n## Facts\n\n${lines.join('\n')}\n\n## Open\n\nNothing.`;
  const first = await reply([user(report)], CHILD);
  expect(first.inputs).toEqual([{ path: 'a.md' }, { path: 'b.md' }]);
  const outputs = ['one\n', 'two\n'];
  const id = (index: number): string => `demo_agent_open_${index}`;
  const both: WireMessage[] = [
    {
      role: 'assistant',
      content: outputs.map((_, n) => ({ type: 'tool_use', id: id(n), name: 'read_file', input: {} })),
    },
    {
      role: 'user',
      content: outputs.map((output, n) => ({ type: 'tool_result', toolCallId: id(n), output, isError: false })),
    },
  ];
  const { text } = await reply([user(report), ...both], CHILD);
  expect(text).toBe(
    `${report.replace(`${lines[1]}\n`, '')}\n\n## Checked\n\n2 statements of 3 checked, 1 held.\n- Taken out, because its source does not say it: ${lines[1]!.slice(2)}`,
  );
});

test('the demo reports an unsuccessful search as an open question, not as a fact', async () => {
  const wanted = `**Task**: What is here?\n\nLook for: \`TODO\`\n\n**Expected Output Format**: ${wordsOf('en').factsWanted}.`;
  const { text } = await reply([user(wanted), ...called('demo_agent_grep', 'grep', '[No matches.]')], CHILD);
  expect(JSON.parse(text)).toEqual({ question: 'What is here?', facts: [], open: ['No line matches `TODO`.'] });
});

test('the demo answers in the language of the person, and keeps the first language in an exchange', async () => {
  const look = await reply([user('Bonjour')], LEAD, 'fr');
  expect(look.text).toBe('Démo, acte 1 sur 4. J’examine le dossier, puis je vous demande un sous-agent.');
  const begun = [user('Bonjour'), said(look.text), ...called('demo_act1_look', 'list_directory', 'docs/\na.md')];
  const start = await reply(begun, LEAD, 'en');
  expect(start.text).toMatch(/^Un sous-agent temporaire/);
  expect(start.text, 'said once, at the end').not.toContain('Le dossier contient');
  const [{ prompt = '' } = {}] = start.inputs as { prompt?: string }[];
  expect(prompt).toContain('**Tâche**\u202f: Compter les fichiers');

  const child = await reply([user(prompt)], CHILD, 'en');
  expect(child).toMatchObject({ calls: ['glob'], inputs: [{ pattern: '**/*' }], text: 'Je commence par `glob`.' });
  const report = await reply([user(prompt), ...called('demo_agent_glob', 'glob', 'Makefile')], CHILD, 'en');
  expect(report.text).toContain('## Résumé\n\n1 fichier correspond à `**/*`\u202f: `Makefile`.');
  expect((await reply([user('Hello')], LEAD)).text).toMatch(/^Demo, act 1 of 4/);
});

test('the demo counts rare file endings together, so that the counts add up to all files', async () => {
  const files = ['a.md', 'b.md', 'c.ts', 'd.ts', 'e.js', 'f.js', 'g.py', 'Makefile'].join('\n');
  const { text } = await reply([user(TASK), ...called('demo_agent_glob', 'glob', files)], []);
  expect(text).toContain('8 files match `**/*.md`, by ending: 2 `.js`, 2 `.md`, 2 `.ts`, 2 with others.');
});

test('the demo check confirms only statements that match the quoted line or file size', async () => {
  const lines = [
    '- Line 2 says “one”. [a.md:2]',
    '- `a.md` has 9 lines, 4 bytes. [a.md]',
    '- `a.md` has 1 line, 4 bytes. [a.md]',
  ];
  const report = `# What?\n\n## Facts\n\n${lines.join('\n')}`;
  const { text } = await reply([user(report), ...called('demo_agent_open_0', 'read_file', 'one\n')], CHILD);
  expect(text).toContain('3 statements of 3 checked, 1 held.');
  expect(text.split('## Checked')[0]).not.toContain('9 lines');
});

test('a demo report on a later message of the person has only the words of that message as title', async () => {
  const words = asTold({ text: 'Please also name the longest file.', said: 'word' });
  const listed = called('demo_agent_list', 'list_directory', 'src/');
  const { text } = await reply([user(TASK), said('# Report'), user(words), ...listed], CHILD);
  expect(text).toMatch(/^# Report: Please also name the longest file\.\n/);
});

test('the demo answers a question about a pending call with a fixed text, and makes no other call', async () => {
  const ask =
    'The person has a question about your call toolu_1 (Start file-counter) before deciding about it.\n\nWhy?';
  const pending = called('demo_act1_spawn', 'spawn_agent', 'Not done yet', ask);
  const first = [user('Go'), ...called('demo_act1_look', 'list_directory', 'src/'), ...pending];
  const tools = ['list_directory', 'spawn_agent'];
  for (const language of ['en', 'fr'] as const) {
    const told = { text: wordsOf(language).askedBack, calls: [] };
    expect(await reply(first, tools, language)).toMatchObject(told);
    // A second question comes in a message of its own.
    expect(await reply([...first, said('…'), user('And why that?')], tools, language)).toMatchObject(told);
  }
});

/** An agent that says through a tool that it is done is not asked again: its summary is its answer, like any other. */
import { expect, test } from 'vitest';
import { startEngine } from '../../support/engine.ts';
import { REVIEWER, verdict } from '../../support/fake-model/reflecting.ts';
import { type Block, Script, text, toolUse } from '../../support/fake-model/script.ts';

const done = (summary: string): Block => toolUse('task_complete', { summary });

/** With a lead that has the two tools, and what else its front matter says. */
async function started(script: Script, more = '') {
  const content = `---\nname: lead\ndescription: Leads\nrole: primary\ntools: [think, task_complete]\n${more}---\nWork.\n`;
  const path = '.triad/agents/lead.md';
  const engine = await startEngine(script, { files: { [path]: content, 'a.txt': 'one' } });
  await engine.trust.add(engine.folder, path, content);
  return engine;
}

test('ends the run with the summary as its answer, which is in the history of the next run', async () => {
  const script = new Script()
    .step([toolUse('think', { thought: 'Nothing to do.' })])
    .step([text('Nearly.'), toolUse('read_file', { path: 'a.txt' }), done('# Done')])
    .step([text('As I said.')]);
  const engine = await started(script);
  expect(await engine.ask('Go')).toMatchObject({ outcome: 'completed', text: '# Done' });
  expect(engine.model.requests).toHaveLength(2);
  expect(
    engine
      .of('tool-end')
      .map(({ entry }) => [entry.name, entry.status, entry.output])
      .sort(),
  ).toEqual([
    ['read_file', 'completed', 'one'],
    ['task_complete', 'completed', 'Your summary is your answer.'],
    ['think', 'completed', 'Noted.'],
  ]);
  const answers = engine.of('message-end').flatMap(({ entry }) => (entry.kind === 'assistant' ? [entry] : []));
  expect(answers.at(-1)).toMatchObject({ parts: [{ type: 'text', text: '# Done' }], stopReason: 'end_turn' });
  expect(await engine.ask('And?')).toMatchObject({ outcome: 'completed', text: 'As I said.' });
  const { messages } = engine.model.requests[2]!.body;
  expect(messages.map(({ role }) => role)).toEqual([
    'user',
    'assistant',
    'user',
    'assistant',
    'user',
    'assistant',
    'user',
  ]);
  expect(JSON.stringify(messages[5])).toContain('# Done');
});

test('an empty summary does not end the run', async () => {
  const engine = await started(new Script().step([done(' ')]).step([text('So be it.')]));
  expect(await engine.ask('Go')).toMatchObject({ outcome: 'completed', text: 'So be it.' });
});

test('reviews the summary of a self-reviewing agent, which continues after a failed review', async () => {
  const script = new Script();
  script.on({ system: REVIEWER, lastUser: /"answer": "first"/ }).reply([text(verdict(false, 40, 'No line.'))]);
  script.on({ system: REVIEWER }).reply([text(verdict(true, 90))]);
  script.on({ step: 1 }).reply([done('first')], { times: 1 });
  script.on({}).reply([done('second')]);
  const engine = await started(script, 'enable_reflection: true\nmax_retries: 1\n');
  expect(await engine.ask('Go')).toMatchObject({ outcome: 'completed', text: 'second' });
  expect(engine.model.requests.map(({ seen }) => REVIEWER.test(seen.system))).toEqual([false, true, false, true]);
});

test('offers task_complete and think only to agents that name them', async () => {
  const engine = await startEngine(new Script().step([text('Hello.')]));
  await engine.ask('Go');
  const offered = engine.model.requests[0]!.seen.tools;
  expect(offered).toContain('edit_file');
  expect(offered).not.toContain('task_complete');
  expect(offered).not.toContain('think');
});

/** `$(triad run --agent …)`: of a composition, a chain and an agent that reviews itself, a pipe gets one text, the result; a terminal sees the drafts too. */
import { readdirSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkerFile, REVIEWER as REVIEWER_OF_ANSWERS, verdict } from '../../../support/fake-model/reflecting.ts';
import { Script, text, toolUse } from '../../../support/fake-model/script.ts';
import { inProcess } from '../../support/engine.ts';
import { machine } from '../../support/process.ts';

const REVIEWER = { system: /You check work that another agent has done/ };
const shipped = readdirSync(new URL('../../../../src/core/agents/builtin/compositions', import.meta.url)).map((file) =>
  file.replace('.toml', ''),
);

/** What each prints: a judged answer is sent back once; a loop ends itself; the others end with their first whole answer. */
const RESULTS: Readonly<Record<string, string>> = {
  'BUILD-HITL': 'The first draft.',
  'BUILD-LOOP': 'The second draft.',
  'BUILD-JUDGE': 'The second draft.',
  'BUILD-SMART': 'The second draft.',
  'TASK-SMART': 'The second draft.',
  PLAN: 'The first draft.',
};

function script(isLoop: boolean): Script {
  return new Script()
    .on({ ...REVIEWER, turn: 1, where: ({ prompt }) => prompt.includes('The second draft.') })
    .reply([toolUse('task_complete', { summary: 'It is whole. Score: 90' })])
    .on(REVIEWER)
    .reply([text('The end is missing, so Score: 40')])
    .on({ turn: 1 })
    .reply([text('I look at the files first.'), toolUse('think', { thought: 'Hm.' })])
    .on({ turn: 2 })
    .reply([text('The first draft.')])
    .on({ turn: 3 })
    .reply(isLoop ? [toolUse('task_complete', { summary: 'The second draft.' })] : [text('The second draft.')]);
}

test('the table of results covers every built-in composition', () => {
  expect(Object.keys(RESULTS).sort()).toEqual(shipped.sort());
});

test.for(Object.entries(RESULTS))('%s prints one text on a pipe: %s', async ([name, result]) => {
  const home = await machine(script(name === 'BUILD-LOOP'));
  const run = await inProcess(home, 'memory')(['run', '--agent', name, '--approve', 'all', 'Write the page.']);
  expect([run.out, run.code]).toEqual([`${result}\n`, 0]);
});

test('an agent with stages prints only the answer of the last stage', async () => {
  const home = await machine(
    new Script()
      .on({ system: /You open/ })
      .reply([text('The opening.')])
      .on({ system: /You close/ })
      .reply([text('The close.')]),
  );
  const folder = join(home.home, 'agents');
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'va.md'), '---\nname: va\ndescription: Opens.\nnext: vb\n---\nYou open.\n');
  await writeFile(join(folder, 'vb.md'), '---\nname: vb\ndescription: Closes.\n---\nYou close.\n');
  const run = await inProcess(home, 'memory')(['run', '--agent', 'va', '--approve', 'all', 'Go']);
  expect([run.out, run.code]).toEqual(['The close.\n', 0]);
  expect(run.err).toContain('triad: va, then vb');
});

test('an agent that reviews itself prints only the final answer', async () => {
  const home = await machine(
    new Script()
      .on({ system: REVIEWER_OF_ANSWERS, where: ({ prompt }) => prompt.includes('The second draft.') })
      .reply([text(verdict(true, 90))])
      .on({ system: REVIEWER_OF_ANSWERS })
      .reply([text(verdict(false, 30, 'The end is missing.'))])
      .on({ turn: 1 })
      .reply([text('The first draft.')])
      .on({ turn: 2 })
      .reply([text('The second draft.')]),
  );
  const folder = join(home.home, 'agents');
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'checker.md'), checkerFile());
  const run = await inProcess(home, 'memory')(['run', '--agent', 'checker', 'Go']);
  expect([run.out, run.code]).toEqual(['The second draft.\n', 0]);
  expect(run.err).toContain('Review 1: not passed, 30 of 100');
});

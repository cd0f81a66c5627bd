/** Reviews can be looked up wherever a run can: its Markdown, both exports, the search. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fieldsOf, filesBelow } from '../../../support/session-files.ts';
import { folderWith } from '../../../support/workspace.ts';
import { verdict } from '../../../support/fake-model/reflecting.ts';
import { startReflecting } from '../../../support/reflecting.ts';

test('shows reviews with their score and critique, and a superseded answer behind a fold', async () => {
  const data = await folderWith();
  const engine = await startReflecting(
    {
      answers: ['first', 'second'],
      reviews: { first: verdict(false, 40, 'Kumquat is missing.'), second: verdict(true, 90, 'Complete.') },
    },
    { data },
  );
  const { conversationId, runtime } = engine;
  await engine.ask('Go');

  const { text } = await runtime.request('conversation.export', { conversationId, format: 'md' });
  expect(text).toMatch(/\*\*Remark\*\* \(review\)[\s\S]*Review 1: not passed, 40 of 100\. Kumquat is missing\./);
  const json = await runtime.request('conversation.export', { conversationId, format: 'json' });
  expect(json.text).toContain('"reviews"');

  const { items } = await runtime.request('history.search', { text: 'kumquat' });
  expect(items.map(({ kind, agent }) => [kind, agent])).toEqual([['interim', 'checker']]);

  await runtime.request('conversation.project', { conversationId });
  // Beside them lie marks that go when a session is written.
  const pages = Object.entries(await filesBelow(join(data, 'sessions')));
  const page = pages.find(([, words]) => words.includes('## Reviews'))?.[1] ?? '';
  const fold = '<details>\n<summary>Superseded answer</summary>\n\n```\nfirst\n```\n\n</details>\n\n- Review 2';
  expect(page).toContain(`- Review 1: not passed, 40 of 100\n\n> Kumquat is missing.\n\n${fold}`);
  expect(page).toContain('- Review 2: passed, 90 of 100\n\n> Complete.\n\n## Findings\n\n> second\n');
  const reviews = [
    { attempt: 1, passed: false, score: 40, improvement: null, critique: 'Kumquat is missing.' },
    { attempt: 2, passed: true, score: 90, improvement: 50, critique: 'Complete.' },
  ];
  expect(fieldsOf(page)).toMatchObject({ reviews });
  const metadata = JSON.parse(pages.find(([file]) => file.endsWith('metadata.json'))?.[1] ?? '') as {
    execution_trace: { agent_name: string; reviews?: object[] }[];
  };
  expect(metadata.execution_trace.map((entry) => [entry.agent_name, entry.reviews])).toEqual([
    ['lead', undefined],
    ['checker', reviews],
  ]);
});

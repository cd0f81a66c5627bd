/** Reviews can be looked up wherever a run can: its Markdown, both exports, the search. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { filesBelow } from '../../support/session-files.ts';
import { folderWith } from '../../support/workspace.ts';
import { verdict } from '../../support/fake-model/reflecting.ts';
import { startReflecting } from '../../support/reflecting.ts';

test('with score and critique', async () => {
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
  expect(page).toContain('- Review 1: not passed, 40 of 100\n\n> Kumquat is missing.');
  expect(page).toContain('- Review 2: passed, 90 of 100\n\n> Complete.');
});

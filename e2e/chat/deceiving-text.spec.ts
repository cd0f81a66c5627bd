/** Text of a model and of files that deceives about a link, or about the text around it. */
import { LEAD } from '../../tests/support/fake-model/scenarios.ts';
import { Script, text, thinking, toolUse } from '../../tests/support/fake-model/script.ts';
import { expect, test } from '../support/test.ts';

const STACK = `e${'\u0301'.repeat(60)}`;
const ARABIC = 'مرحبا می\u200Cخواهم \u200Fx';
const ANSWER = `Sign in at [github.com](https://evil.example/login), or read [the guide](https://docs.example/guide).

The file is \u202Etxt.exe\u202C now, and so is &#x202E;this. ${STACK} ${ARABIC}

\`\`\`js
if (admin) { /* \u2067 */ }
\`\`\`

See https://docs.example/all.`;
const DECEIVES = /[\u202A-\u202E\u2066-\u2069]|\p{Mn}{6}/u;

test('a link shows its host, and no text is reversed or covered, after streaming and after a reload', async ({
  start,
}) => {
  const script = new Script()
    .on({ ...LEAD, step: 1 })
    .reply([thinking(`Hm\u202E. ${STACK}`), toolUse('read_file', { path: 'notes.txt' })])
    .on(LEAD)
    .reply([text(ANSWER, { deltas: 200, delayMs: 1 })]);
  const app = await start(script, { files: { 'notes.txt': `a\u202Eb ${STACK}` } });
  await app.send('Look.');
  await app.expectOutcome('completed');
  for (const isReloaded of [false, true]) {
    if (isReloaded) await app.page.reload();
    const answer = app.workflow().locator('.prose').last();
    await expect(answer.getByRole('link', { name: 'github.com' })).toHaveAttribute('data-target', 'evil.example');
    await expect(answer.getByRole('link', { name: 'the guide' })).toHaveAttribute('data-target', 'docs.example');
    await expect(answer.getByRole('link', { name: 'https://docs.example/all' })).not.toHaveAttribute('data-target');
    await expect(answer).toContainText('The file is ⟦U+202E⟧txt.exe⟦U+202C⟧ now, and so is ⟦U+202E⟧this.');
    await expect(answer).toContainText(`⟦+55 marks⟧ ${ARABIC}`);
    await expect(answer).toContainText('/* ⟦U+2067⟧ */');
    await app.button('Thought').first().click();
    await app.call(/^read_file/).click();
    await expect(app.log).toContainText('a⟦U+202E⟧b');
    expect(await app.workflow().innerText()).not.toMatch(DECEIVES);
  }
});

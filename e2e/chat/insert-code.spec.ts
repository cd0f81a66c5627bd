/** Code of an answer goes into a file: the person names it, the lead writes it, and a question comes before. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { LEAD } from '../../tests/support/fake-model/scenarios.ts';
import { Script, text, toolUse } from '../../tests/support/fake-model/script.ts';
import { expectAlsoAccessible } from '../support/accessible.ts';
import { expect, fullSpec, test } from '../support/test.ts';

const CODE = 'export const double = (n) => 2 * n;';

test(
  'a code block of an answer is written to a file that the person names, after approval',
  fullSpec([
    'tests/lib/chat/composer/word.test.ts › appends code in a long enough fence, and puts the cursor where the file is named',
    'tests/core/tools/write-file.test.ts › the question shows the whole change and contains the hash of the input',
  ]),
  async ({ start }) => {
    const script = new Script()
      .on({ ...LEAD, asked: /^Show/ })
      .reply([text(`It is one line:\n\n\`\`\`js\n${CODE}\n\`\`\``)])
      .on({ ...LEAD, asked: /Put this code into/, step: 1 })
      .reply([toolUse('write_file', { path: 'src/sum.js', content: `${CODE}\n` })])
      .on(LEAD)
      .reply([text('It is there.')]);
    const app = await start(script);
    const { page, message } = app;
    await app.send('Show me how to double.');
    await app.expectOutcome('completed');
    await message.fill('Thank you.');
    await app.workflow().getByRole('button', { name: 'Insert into a file…' }).click();
    await expect(message).toBeFocused();
    await expect(message).toHaveValue(`Thank you.\n\nPut this code into @\n\n\`\`\`js\n${CODE}\n\`\`\``);
    await expectAlsoAccessible(page, 'files into which code can go');
    await page.keyboard.type('sum');
    await expect(page.getByRole('option', { name: /src\/sum\.js/ })).toHaveAttribute('aria-selected', 'true');
    await page.keyboard.press('Enter');
    await expect(message).toHaveValue(/Put this code into @src\/sum\.js \n/);
    await page.keyboard.press('Enter');
    await expect(app.question).toContainText('src/sum.js');
    expect(await readFile(join(app.workspace, 'src/sum.js'), 'utf8')).not.toContain(CODE);
    await app.allow();
    await app.expectOutcome('completed');
    expect(await readFile(join(app.workspace, 'src/sum.js'), 'utf8')).toBe(`${CODE}\n`);
  },
);

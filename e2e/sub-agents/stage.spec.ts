/** The stage: lanes side by side, a word to one of them, one block in the end, and reports beside each other. */
import { answerFrom, CHILD, LEAD, spawn } from '../../tests/support/fake-model/scenarios.ts';
import { Script, text, toolUse } from '../../tests/support/fake-model/script.ts';
import { Gate } from '../../tests/support/gate.ts';
import { expectAccessibleInBoth } from '../support/accessible.ts';
import { expect, fullSpec, test } from '../support/test.ts';

const NAMES = ['alpha', 'beta', 'gamma'];
const WORD = 'Begin with the README.';
const report = (places: string) =>
  `# Report\n\n## Summary\n\nThe README is accurate in all but ${places} places.\n\n## Details\n\nSee line nine.`;

/** Each looks at the folder, and is held in the middle of its report; the report of one that got a word says so. */
function three(held: Gate): Script {
  const script = new Script()
    .on({ ...LEAD, step: 1 })
    .reply(NAMES.map((name) => spawn({ name, prompt: `Inspect part ${name}.` }, `call_${name}`)));
  script
    .on({ ...CHILD, lastUser: /Begin with the README/ })
    .reply([text(report('four'))])
    .on({ ...CHILD, step: 1 })
    .reply([text('I look.'), toolUse('list_directory', { path: '.' })]);
  for (const [at, name] of NAMES.entries())
    script
      .on({ ...CHILD, prompt: new RegExp(`part ${name}`) })
      .reply([text(report(['two', 'three', 'no'][at]!), { deltas: 20 })], { hold: held.at(12) });
  return script.on(LEAD).reply((seen) => [text(answerFrom(seen))]);
}

test(
  'three sub-agents run in adjacent lanes, receive messages and fold into a block with comparable reports',
  fullSpec([
    'e2e/sub-agents/lanes.spec.ts › shows the text of three agents side by side at 1280×800 with the sidebar open',
    'tests/core/workflows/say.test.ts › is sent once with its next request, after all tool results, as words of the person',
    'tests/lib/view/compare.test.ts › pairs sections with equal headings in order, with a gap for a missing section',
  ]),
  async ({ start }) => {
    const held = new Gate();
    const app = await start(three(held));
    const { page } = app;
    await page.setViewportSize({ width: 1600, height: 900 });
    await app.send('Look at every part.');
    await expect(app.waiting.getByRole('listitem')).toHaveCount(3);
    await page.keyboard.press('Escape');
    const lanes = app.log.getByRole('group', { name: 'At work: alpha, beta, gamma' });
    await expect(lanes.getByRole('article')).toHaveCount(3);
    await lanes.getByRole('button', { name: /^Answer: beta/ }).click();
    await expect(app.field('What it is told')).toHaveText('Inspect part beta.');
    for (const name of NAMES) await app.allow(name);
    for (const name of NAMES) await expect(app.card(name)).toContainText('The README');
    const tops = await lanes
      .getByRole('article')
      .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().top));
    expect(new Set(tops).size, 'on one line').toBe(1);
    await expect(app.card('alpha').getByRole('meter')).toHaveAttribute('aria-valuetext', /of 40 turns/);
    await expectAccessibleInBoth(page, 'three at work');

    const word = app.card('beta').getByRole('textbox', { name: 'Say something to beta' });
    await word.fill(WORD);
    await word.press('Enter');
    await expect(app.card('beta')).toContainText('It reads this before its next request');
    await word.fill('And one more');
    held.open();
    await app.expectOutcome('completed');
    const told = app.model.requests.filter(
      ({ seen }) => seen.lastUser.includes(WORD) && !seen.tools.includes('spawn_agent'),
    );
    expect(told).toHaveLength(1);
    expect(app.model.requests.at(-1)?.seen.results[1]?.text).toContain(`"person_said_to_it":["${WORD}"]`);

    await expect(word, 'what is being written stays').toHaveValue('And one more');
    await word.press('Enter');
    await expect(app.card('beta').getByRole('alert')).toContainText('This agent has ended');
    await expect(word).toHaveValue('And one more');
    await app.button('Fold').click();
    await app.button('Compare reports').click();
    const compared = page.getByRole('dialog', { name: '3 reports beside each other' });
    await expect(compared.getByRole('group', { name: 'alpha: Summary' })).toContainText('differs:');
    await expect(compared.getByRole('group', { name: 'gamma: Details' })).not.toContainText('differs:');
    await expectAccessibleInBoth(page, 'reports beside each other');
    await page.keyboard.press('Escape');
    await expect(app.card('beta')).toContainText('accurate in all but four places');
    await page.reload();
    await app.card('beta').getByRole('button', { name: /^beta/ }).click();
    await expect(app.card('beta').getByText(WORD)).toBeVisible();
    await expectAccessibleInBoth(page, 'the folded stage');
  },
);

/** Two tabs or windows: both see the same, and an answer in one is an answer in both. */
import { expect, fullSpec, test } from '../support/test.ts';
import { Gate } from '../../tests/support/gate.ts';
import { leadSpawns } from '../support/scripts.ts';

test(
  'an approval that was answered in one tab closes in the other, and both tabs show the progress',
  fullSpec([
    'tests/lib/app/attention.test.ts › closes when the last question was answered elsewhere',
    'tests/hosts/http/connection.test.ts › passes on whether the tab can answer, and sends attention whole and at once',
  ]),
  async ({ start }) => {
    const rest = new Gate();
    const app = await start(leadSpawns(['alpha'], { alpha: { hold: rest.at(8) } }));
    await app.send('Look at one part.');
    await app.lookAt('alpha');
    const other = await app.secondTab(app.path);
    await other.lookAt('alpha');
    await expect(other.workflow()).toContainText('Look at one part.');

    await app.page.bringToFront();
    await app.allow();
    await expect(app.question).toBeHidden();
    await expect(other.question).toBeHidden();
    await expect(other.reopen).toBeHidden();
    for (const tab of [app, other]) await tab.expectCard('alpha', 'running');
    rest.open();
    for (const tab of [app, other]) {
      await tab.expectCard('alpha', 'completed');
      await tab.expectOutcome('completed');
      await tab.expectQuoted('part alpha');
    }
    expect(app.model.requests).toHaveLength(3);

    await other.page.bringToFront();
    await other.send('And once more.');
    await expect(app.workflow(), 'a message from the other tab').toContainText('And once more.');
  },
);

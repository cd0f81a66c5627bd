/** What can be done with a message stays within reach of the keyboard while something works, and as it ends. */
import { plainAnswer } from '../../tests/support/fake-model/scenarios.ts';
import { Gate } from '../../tests/support/gate.ts';
import { expect, fullSpec, test } from '../support/test.ts';

test(
  'a disabled button of a message toolbar can be focused and says why, and the focus stays when the work ends',
  fullSpec(
    'tests/lib/chat/turn-actions.server.test.ts › keeps an unavailable action focusable and describes the reason',
  ),
  async ({ start }) => {
    const gate = new Gate();
    const script = plainAnswer();
    script.rules.length = 0;
    script.on({ asked: /second/ }).reply([{ type: 'text', text: 'One more.', deltas: 4 }], { hold: gate.at(2) });
    script.on({}).reply([{ type: 'text', text: 'Here.', deltas: 1 }]);
    const app = await start(script);
    const { page } = app;
    await app.send('The first.');
    await app.expectOutcome('completed');
    const tools = app.workflow(0).getByRole('toolbar', { name: /^Your message/ });
    const back = tools.getByRole('button', { name: 'Go back to before this…' });
    await tools.getByRole('button', { name: 'Copy', exact: true }).focus();
    await page.keyboard.press('End');
    await expect(back).toBeFocused();

    await app.send('The second.');
    await expect(back).toBeDisabled();
    await expect(back, 'it says why').toHaveAccessibleDescription(/^Go back to before this…: /);
    await back.focus();
    await expect(back, 'its place is the way into the toolbar').toBeFocused();
    await page.keyboard.press('Enter');
    await expect(page.getByRole('dialog')).toHaveCount(0);
    await page.keyboard.press('Home');
    await expect(tools.getByRole('button', { name: 'Copy', exact: true })).toBeFocused();

    const link = app.footer(1).getByRole('link', { name: 'Open in history' });
    await link.focus();
    gate.open();
    await app.expectOutcome('completed');
    await expect(link, 'as the work ends').toBeFocused();
    await expect(back).toBeEnabled();
  },
);

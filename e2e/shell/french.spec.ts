/** The screens in French: chosen in the settings, without a reload; nothing in English is left, and nothing is out of reach. */
import type { Page } from '@playwright/test';
import { learn } from '#lib/words/text.ts';
import { englishIn, type WordSamples } from '../../tests/lib/support/english-words.ts';
import { wordSamples } from '../../tests/lib/support/word-samples.ts';
import { plainAnswer } from '../../tests/support/fake-model/scenarios.ts';
import { expectAccessible, SAME_PAGE } from '../support/accessible.ts';
import { speak } from '../support/looks.ts';
import { leadSpawns } from '../support/scripts.ts';
import { expect, fullSpec, test } from '../support/test.ts';
import { visits } from '../support/visits.ts';

/** Keys of the program, which stand as they are, and what models and commands write in the visits. */
const NAMES = [
  'folder',
  'provider',
  'usable',
  'lead',
  'all',
  'off',
  'Triad',
  'Task',
  'Answer',
  'failed',
  'text',
  'auto',
];
/**
 * What people and agents write in the visits, in words that the program has too; and what was said of a value when it
 * was set, which stays in the language of that moment.
 */
const WRITTEN =
  /in good order|README|act \d of|Leave out|Check the links|No newline|Name of the city|^Write a whole number/;
const SIZES = [
  { width: 1280, height: 800 },
  { width: 800, height: 600 },
];
/** To be read once: the types of all words are looked at. */
let samples: WordSamples | undefined;

async function expectFrenchWords(page: Page, screen: string): Promise<void> {
  await learn('fr');
  samples ??= wordSamples();
  for (const size of SIZES) {
    await page.setViewportSize(size);
    // A message over the page was said in the language of its moment, and goes soon.
    const html = await page.evaluate(() => {
      const body = document.body.cloneNode(true) as HTMLElement;
      for (const message of body.querySelectorAll('[data-sonner-toaster]')) message.remove();
      return body.outerHTML;
    });
    const english = englishIn(html, NAMES, samples).filter((one) => !WRITTEN.test(one));
    expect.soft(english, `${screen}: no English`).toEqual([]);
    expect.soft(html, `${screen}: no space of its own as a mark`).not.toMatch(/⟦U\+(202F|00A0)⟧/);
    const wider = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    expect.soft(wider, `${screen}: nothing is beside the window`).toBeLessThanOrEqual(0);
  }
  await page.setViewportSize(SIZES[0]!);
}

async function expectFrench(page: Page, screen: string): Promise<void> {
  await expectFrenchWords(page, screen);
  await expectAccessible(page, `${screen} in French`);
}

test(
  'selecting French applies at once, keeps the draft of the message and survives a reload',
  fullSpec(
    [
      'tests/lib/app/language.alone.test.ts › keeps the chosen language for later starts',
      'tests/lib/words/french.test.ts › follows the selected language, even if its group was stored before',
      'tests/lib/words/literal-text.test.ts › no component contains literal text',
    ],
    { tag: '@browser', annotation: SAME_PAGE },
  ),
  async ({ start }) => {
    const app = await start(plainAnswer());
    const { page } = app;
    await page.getByRole('textbox', { name: 'Message' }).fill('A draft.');
    await page.getByRole('link', { name: 'Settings' }).first().click();
    await page.getByRole('link', { name: 'Appearance' }).click();
    await page.getByRole('radio', { name: 'Français' }).check();
    await expect(page.getByRole('link', { name: 'Apparence' })).toBeVisible();
    await expect(page.locator('html')).toHaveAttribute('lang', 'fr');
    await expect(page).toHaveTitle('Réglages – Triad');
    await expect(page.getByRole('radio', { name: 'Français' })).toBeFocused();
    await expectFrench(page, 'settings');
    await page.reload();
    await expect(page.getByRole('link', { name: 'Apparence' })).toBeVisible();
    for (const section of ['Fournisseurs et clés', 'Limites', 'Sons et notifications', 'Raccourcis clavier']) {
      await page.getByRole('link', { name: section }).click();
      await expect(page.getByRole('link', { name: section })).toHaveAttribute('aria-current', /./);
      await expectFrench(page, section);
    }
    await page.getByRole('link', { name: 'Nouvelle conversation' }).click();
    await expect(page.getByRole('textbox', { name: 'Message' })).toHaveValue('A draft.');
    await expectFrench(page, 'welcome');
    for (const [path, heading] of [
      ['/agents', 'Agents'],
      ['/permissions', 'Permissions'],
      ['/mcp', 'Serveurs MCP'],
      ['/history', 'Historique'],
      ['/history/trash', 'Corbeille'],
      ['/approvals', 'Approbations'],
    ] as const) {
      await app.goto(path);
      await expect(page.getByRole('heading', { name: heading, exact: true }).first()).toBeVisible();
      await expectFrench(page, path);
    }
    await page.getByRole('link', { name: 'Réglages' }).first().click();
    await page.getByRole('link', { name: 'Apparence' }).click();
    await page.getByRole('radio', { name: 'English' }).check();
    await expect(page.getByRole('link', { name: 'Appearance' })).toBeVisible();
  },
);

test(
  'approvals, conversations and the history are in French if the system language is French',
  fullSpec(
    [
      'tests/lib/app/language.alone.test.ts › uses the language of the system at the start',
      'tests/lib/approvals/approval-modal.server.test.ts › is complete in French, except for texts from elsewhere',
      'tests/lib/words/french.test.ts › differ from the English texts',
    ],
    { tag: '@browser', annotation: SAME_PAGE },
  ),
  async ({ start }) => {
    const app = await start(leadSpawns(['alpha', 'beta']), { ownContext: true });
    const { page } = app;
    await page.addInitScript(() => Object.defineProperty(navigator, 'languages', { get: () => ['fr-FR', 'en'] }));
    await page.reload();
    await page.getByRole('textbox', { name: 'Message' }).fill('Regarde deux parties.');
    await page.keyboard.press('Enter');
    await expect(page.getByRole('heading', { name: 'alpha veut démarrer' })).toBeVisible();
    await page.getByRole('button', { name: 'Détails et modification' }).click();
    await expectFrench(page, 'question');
    await page.getByRole('button', { name: 'Pourquoi cette question' }).click();
    await expect(page.getByText('Là où aucune règle ne décide, il vous est demandé avant')).toBeVisible();
    await page.getByRole('button', { name: /^Autoriser une fois/ }).click();
    await expect(page.getByRole('heading', { name: 'beta veut démarrer' })).toBeVisible();
    await page.getByRole('button', { name: /^Autoriser une fois/ }).click();
    await expect(page.locator('footer').getByText('terminé')).toBeVisible();
    await expectFrench(page, 'conversation');
    await page.getByRole('link', { name: 'Ouvrir dans l’historique' }).click();
    await expect(page.getByRole('link', { name: 'Ouvrir la conversation' })).toBeVisible();
    await expectFrench(page, 'workflow');
  },
);

/** Of what a person sees at all: each screen is asked for its French where it is shown, and goes on in English. */
for (const [name, { script, options = {}, go }] of visits())
  test(
    `each screen of the tour is in French: ${name}`,
    fullSpec(
      [
        'tests/lib/words/literal-text.test.ts › no component contains literal text',
        'tests/lib/words/french.test.ts › differ from the English texts',
      ],
      { tag: '@browser', annotation: SAME_PAGE },
    ),
    async ({ start }) => {
      test.slow();
      const app = await start(script(), { ...options, ownContext: true });
      await go(app, async (screen) => {
        await speak(app.page, 'fr');
        await expectFrenchWords(app.page, screen);
        await speak(app.page, 'en');
      });
    },
  );

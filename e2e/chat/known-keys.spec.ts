/** Keys in files are on no screen: in calls, diffs and questions. One question opens a file with them. */
import { listSecrets, SAMPLE_KEYS } from '../../tests/security/sample-keys.ts';
import { Script, text, toolUse } from '../../tests/support/fake-model/script.ts';
import type { App } from '../support/app.ts';
import { expect, test } from '../support/test.ts';

const FILE = 'notes.txt';
const encode = (key: string): string[] => [
  key,
  Buffer.from(`user:${key}\n`).toString('base64'),
  Buffer.from(key).toString('hex'),
];
const NOTES = `${SAMPLE_KEYS.flatMap(({ text: key }) => encode(key)).join('\n\n')}\nlast line\n`;
const SECRETS = SAMPLE_KEYS.flatMap(listSecrets).flatMap((secret) => [
  secret,
  Buffer.from(secret).toString('hex'),
  Buffer.from(`user:${secret}`).toString('base64').slice(8, -4),
]);

/** The whole text of the page, with what fields hold. */
async function expectNoKeys(app: App): Promise<void> {
  const shown = await app.page.evaluate(() =>
    [
      document.documentElement.outerHTML,
      document.body.innerText,
      ...Array.from(document.querySelectorAll('textarea, input'), (field) => (field as HTMLInputElement).value),
    ].join('\n'),
  );
  expect(SECRETS.filter((secret) => shown.includes(secret))).toEqual([]);
}

test('secrets in a file are redacted on every screen, and do not reach the model if the person refuses to send them', async ({
  start,
}) => {
  const script = new Script()
    .step([toolUse('read_file', { path: FILE })])
    .step([toolUse('edit_file', { path: FILE, edits: [{ old_text: 'last line', new_text: 'the last line' }] })])
    .step([toolUse('read_file', { path: FILE, unredacted: true })])
    .step([text('Done.')]);
  const app = await start(script, { files: { [FILE]: NOTES } });
  const title = app.question.getByRole('heading', { level: 2 });
  await app.send('Look at the notes.');
  await expect(title).toContainText('Edit notes.txt');
  await expect(app.question).toContainText('[redacted: ');
  await expectNoKeys(app);
  await app.allow();
  await expect(title).toContainText('Read notes.txt with its keys');
  await expect(app.question).toContainText('GitHub token');
  await expect(app.question).toContainText('the keys are sent to the model');
  await expectNoKeys(app);
  await app.reject('Not these');
  await app.expectOutcome('completed');
  for (const call of await app.call(/notes\.txt/).all()) await call.click();
  await expect(app.workflow()).toContainText('[redacted: ');
  await expectNoKeys(app);
  expect(SECRETS.filter((secret) => JSON.stringify(app.model.requests).includes(secret))).toEqual([]);
});

/** A decision, not a form: what matters fits the screen, the answer is near and has a key, and what is folded away is not taken as seen. */
import { spawn } from '../../tests/support/fake-model/scenarios.ts';
import { Script, text, toolUse } from '../../tests/support/fake-model/script.ts';
import type { App } from '../support/app.ts';
import { leadCalls, leadSpawns } from '../support/scripts.ts';
import { expectAlsoAccessible } from '../support/accessible.ts';
import { expect, fullSpec, test } from '../support/test.ts';
import { DOUBLE_ZOOM, expectRoomForQuestion } from '../support/window-size.ts';

const PROMPT = `Write tests for \`src/sum.js\` and report what they cover.

1. Every branch, with at least one input that fails
2. The **error messages**, word for word

Report as Markdown with a \`## Summary\`.`;

/** Milliseconds that are surely more than answers wait after a key or a click. */
const SURELY_READY = 600;

test(
  'the approval of a short spawn fits in 1280 by 800, with Allow at most three tab stops away',
  fullSpec([
    'e2e/approvals/asks.spec.ts › the person sends a message, approves a sub-agent and answers or skips questions without a mouse',
    'tests/lib/approvals/approval-modal.server.test.ts › shows the agent to start, with its prompt, model, tools, permissions and folder',
  ]),
  async ({ start }) => {
    const app = await start(leadCalls([spawn({ name: 'tester', prompt: PROMPT, tools: ['write_file'] })], []));
    const { page, question } = app;
    await page.setViewportSize({ width: 1280, height: 800 });
    await app.send('Have tests written.');
    await expect(question.getByRole('heading', { level: 2 })).toHaveText('tester wants to start');
    await expect(question.getByText('read this folder')).toBeVisible();
    await expect(question.getByText('write: asks you')).toHaveAttribute('title', 'FilesystemWrite: write_file');
    await expect(question.getByText('run: no')).toBeVisible();
    await expect(question.getByText('40 turns')).toBeVisible();
    await expect(app.field('What it is told').getByRole('listitem')).toHaveCount(2);
    await expect(app.unseen).toHaveCount(0);
    await expect(question.getByRole('button', { name: 'Why am I asked?' })).toBeInViewport({ ratio: 1 });

    await expect(app.decision).toBeFocused();
    const allow = question.getByRole('button', { name: 'Allow once' });
    const isAtAllow = () => allow.evaluate((button) => button === document.activeElement);
    for (let stops = 0; stops < 3 && !(await isAtAllow()); stops += 1) await page.keyboard.press('Tab');
    await expect(allow, 'three stops away at most').toBeFocused();

    await question.getByRole('button', { name: 'Why am I asked?' }).click();
    await expect(question.getByText('Where no rule decides, spawn_agent is asked about')).toBeVisible();
    await app.unfoldForm();
    await app.field('Turns at most').fill('5');
    await expect(question.locator('dd').filter({ hasText: '5 turns' })).toHaveText(/40 turns\s*5 turns/);
    await app.question.getByRole('checkbox', { name: 'write_file' }).uncheck();
    await expect(question.locator('dd').filter({ hasText: 'write: no' })).toHaveText(/write: asks you\s*write: no/);
  },
);

const alone = (name: string, input: unknown): Script =>
  new Script()
    .on({ step: 1 })
    .reply([toolUse(name, input)])
    .on({})
    .reply([text('Done.')]);
const BATCH = ['code-reviewer', 'test-generator', 'documentation-writer'].map((agent) => ({
  agent_id: agent,
  prompt: PROMPT,
  reason: 'One third',
}));
const LINES = Array.from({ length: 30 }, (_, at) => `Line ${at + 1} of the guide, which is long enough to be broken.`);

interface Kind {
  script: () => Script;
  title: string;
  prepare?: (app: App) => Promise<void>;
}
/** Each kind of question: who asks it, and what stands in it. */
const QUESTIONS: Readonly<Record<string, Kind>> = {
  'a batch': {
    script: () =>
      leadCalls([toolUse('parallel_tasks', { operation: 'execute_batch', tasks: BATCH, wait_all: true })], []),
    title: 'code-reviewer',
  },
  'one sub-agent': {
    script: () => leadCalls([spawn({ name: 'tester', prompt: PROMPT, tools: ['write_file'] })], []),
    title: 'tester',
  },
  'a write with its changes': {
    script: () => alone('write_file', { path: 'README.md', content: LINES.join('\n') }),
    title: 'README.md',
  },
  'a command': { script: () => alone('bash', { command: 'ls src && rm -rf dist' }), title: 'rm -rf' },
  'what cannot be undone': {
    script: () => alone('request_approval', { action: 'Send the letter', reason: 'It is due.', reversible: false }),
    title: 'Send the letter',
    prepare: async (app) => {
      await app.allow();
      await expect(app.question.getByRole('button', { name: 'Back' })).toBeVisible();
    },
  },
  'a yes for more than once': {
    script: () => alone('write_file', { path: 'docs/guide.md', content: 'One\n' }),
    title: 'docs/guide.md',
    prepare: async (app) => {
      await app.question.getByRole('button', { name: 'More than once…' }).click();
      await expect(app.field('Pattern')).toBeInViewport({ ratio: 1 });
      await app.field('Pattern').press('Escape');
      await expect(app.decision, 'one step back').toBeFocused();
      await app.question.getByRole('button', { name: 'More than once…' }).click();
      await expect(app.field('Pattern')).toBeInViewport({ ratio: 1 });
    },
  },
};

for (const [kind, { script, title, prepare }] of Object.entries(QUESTIONS))
  test(
    `at 200 % zoom the request has enough room and the answer buttons stay visible: ${kind}`,
    fullSpec(
      'e2e/approvals/questions.spec.ts › closing the approvals answers none of them; one is rejected, the others are allowed together with their edits',
    ),
    async ({ start }) => {
      const app = await start(script());
      const { page, question } = app;
      await page.setViewportSize(DOUBLE_ZOOM);
      await app.send('Do it.');
      await expect(question).toContainText(title);
      await prepare?.(app);
      await expectRoomForQuestion(app);
    },
  );

test(
  'several approval requests can be reviewed and answered by keyboard alone',
  fullSpec([
    'e2e/approvals/questions.spec.ts › closing the approvals answers none of them; one is rejected, the others are allowed together with their edits',
    'tests/lib/approvals/answer-keys.alone.test.ts › maps each key to its answer outside of a text field',
    'tests/lib/app/attention.test.ts › moves to the next question after an answer, and from the last question to the first',
  ]),
  async ({ start }) => {
    const app = await start(leadSpawns(['alpha', 'beta', 'gamma']), { ownContext: true });
    const { page, question } = app;
    const title = question.getByRole('heading', { level: 2 });
    await app.send('Look at three parts.');
    await expect(app.waiting.getByRole('listitem')).toHaveCount(3);
    await page.clock.install();
    const press = async (key: string): Promise<void> => {
      await page.clock.runFor(SURELY_READY);
      await page.keyboard.press(key);
    };
    await press('2');
    await expect(title).toContainText('beta');
    await press('ControlOrMeta+Enter');
    await expect(title, 'the next of the list').toContainText('gamma');
    await expect(app.decision).toBeFocused();
    await expect(app.waiting.getByRole('listitem')).toHaveCount(2);

    await press('ControlOrMeta+Backspace');
    await expect(app.field('Reason')).toBeFocused();
    await page.keyboard.type('Not now');
    for (const key of ['ControlOrMeta+Shift+Enter', 'ControlOrMeta+Backspace', '1', 'Shift+Enter']) await press(key);
    await expect(app.waiting.getByRole('listitem'), 'no other key answers there').toHaveCount(2);
    await app.field('Reason').fill('Not now');
    await press('ControlOrMeta+Enter');
    await expect(title).toContainText('alpha');

    await press('ControlOrMeta+/');
    await expect(question.getByRole('textbox', { name: 'Ask lead first' })).toBeFocused();
    await app.decision.focus();
    await press('ControlOrMeta+Enter');
    await expect(question).toBeHidden();
    await page.clock.resume();
    await app.expectCard('gamma', 'rejected');
    await app.expectOutcome('completed');
  },
);

test('the approval of a command shows the whole command, its folder and the parts that require approval', async ({
  start,
}) => {
  const command = 'ls src && rm -rf dist';
  const app = await start(
    new Script()
      .on({ step: 1 })
      .reply([toolUse('bash', { command })])
      .on({})
      .reply([text('Done.')]),
  );
  await app.send('Clean up.');
  await expect(app.question.getByRole('group', { name: 'Command' })).toHaveText(command);
  await expect(app.question.getByText(`in ${app.workspace}`, { exact: true })).toBeVisible();
  const parts = app.question.getByText('What of it is asked about').locator('..').getByRole('listitem');
  await expect(parts).toHaveText([/^ask.*ls src/, /^ask.*rm -rf dist/]);
  await expectAlsoAccessible(app.page, 'the question of a command');
  await app.reject('Not now.');
  await app.expectOutcome('completed');
});

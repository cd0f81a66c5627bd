/** Sub-agents that ask before they write: what is approved is what happens, is told by every record, and survives a kill. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { answerFrom, CHILD, LEAD, spawn } from '../../tests/support/fake-model/scenarios.ts';
import { Script, text, toolUse } from '../../tests/support/fake-model/script.ts';
import { filesBelow } from '../../tests/support/session-files.ts';
import type { App } from '../support/app.ts';
import { eventsOf, triad } from '../support/terminal.ts';
import { expect, fullSpec, test } from '../support/test.ts';

const NAMES = ['author', 'checker'];
const asked = (path: string) => `# ${path}\n\nAs the agent wrote it.\n`;
const EDITED = '# plan.md\n\nAs the person left it: “exactly” so.\n';
const REASON = 'One list is enough.';
const ANSWER = `All parts are done. The reports say:\n\n- # Report: author\n- # Report: checker\n\n${Array(8).fill('That is the whole answer.').join(' ')}`;

/** Each of two sub-agents writes two files, one after the other, and reports what it was told. */
function writers(): Script {
  const script = new Script().on({ ...LEAD, step: 1 }).reply(
    NAMES.map((name) => spawn({ name, prompt: `Write as ${name}.`, tools: ['write_file'] })),
    { name: 'lead starts two' },
  );
  for (const [name, ...paths] of [
    ['author', 'plan.md', 'notes/one.md'],
    ['checker', 'list.md', 'notes/two.md'],
  ] as const) {
    const child = { ...CHILD, prompt: new RegExp(`as ${name}`) };
    for (const [index, path] of paths.entries())
      script
        .on({ ...child, step: index + 1 })
        .reply([toolUse('write_file', { path, content: asked(path) })], { name: `${name} writes ${path}` });
    script
      .on(child)
      .reply((seen) => [text(`# Report: ${name}\n\n${seen.results.map((result) => result.text).join('\n')}`)], {
        name: `${name} reports`,
      });
  }
  return script.on(LEAD).reply((seen) => [text(answerFrom(seen))], { name: 'lead answers' });
}

/** Up to where two questions wait for an answer; of the first two, the later one was answered first. */
async function upToTwoQuestions(app: App): Promise<void> {
  await app.send('Have it written.');
  for (const name of NAMES) await app.allow(name);
  await expect(app.waiting.getByRole('listitem')).toHaveCount(2);
  await app.lookAt('plan.md');
  await app.allow('list.md');
  await app.lookAt('plan.md');
  expect(existsSync(join(app.workspace, 'plan.md')), 'the open question holds its file').toBe(false);
  await app.unfoldForm();
  await app.question.getByRole('textbox', { name: 'Content' }).fill(EDITED);
  await app.allow();
  await app.lookAt('one.md');
  await app.lookAt('two.md');
}

/** What a person, or a program, is left with in the end; without what differs from run to run. */
async function resultOf(app: App): Promise<unknown> {
  const id = app.path.split('/').at(-1) ?? '';
  const { workflows } = JSON.parse(await triad(app, 'sessions', 'export', id, '--format', 'json')) as {
    workflows: {
      outcome: string;
      text: string;
      runs: { name: string; outcome: string; text: string; usage: unknown; entries: { kind: string }[] }[];
      approvals: { request: { title: string }; decisions: { allowed: boolean; outcome: string }[] }[];
    }[];
  };
  return {
    files: await filesBelow(app.workspace),
    workflows: workflows.map(({ outcome, text: answer, runs, approvals }) => ({
      outcome,
      answer,
      runs: runs.map(({ name, outcome: end, text: report, usage, entries }) => ({
        name,
        end,
        report,
        usage,
        // Remarks say that it was interrupted.
        entries: entries.map(({ kind }) => kind).filter((kind) => kind !== 'system'),
      })),
      answers: approvals
        .map(({ request, decisions }) => [
          request.title,
          decisions.map(({ allowed, outcome: how }) => ({ allowed, how })),
        ])
        .sort(),
    })),
    requests: app.model.requests.map(({ rule, completed }) => `${rule} ${completed}`).sort(),
  };
}

/** The edited write: events, trace, Markdown and history say how it was asked for and how it was approved. */
async function expectRecorded(app: App): Promise<void> {
  const id = app.path.split('/').at(-1) ?? '';

  const events = await eventsOf(app, id);
  const request = events.flatMap((event) =>
    event.type === 'approval-request' && event.approval.title.includes('plan.md') ? [event] : [],
  )[0];
  const decide = events.find((event) => event.type === 'approval-decide' && event.approvalId === request?.approval.id);
  const ran = events.find((event) => event.type === 'tool-start' && event.toolCallId === request?.approval.toolCallId);
  expect(request?.approval).toMatchObject({ chain: ['user', 'lead', 'author'] });
  expect(request?.approval.subject).toMatchObject({ input: { path: 'plan.md', content: asked('plan.md') } });
  expect(decide).toMatchObject({
    decision: { outcome: 'edited', decidedBy: 'person', edited: { path: 'plan.md', content: EDITED } },
  });
  expect(ran, 'what was approved is what ran').toMatchObject({ input: { content: EDITED } });
  expect(
    [request, decide, ran].map((event) => event?.seq),
    'asked, decided, done',
  ).toEqual([request?.seq, decide?.seq, ran?.seq].sort((a, b) => (a ?? 0) - (b ?? 0)));

  const trace = JSON.parse(await triad(app, 'sessions', 'trace', id, '--json')) as {
    workflows: { runs: { children: { agent: string; approvals: unknown[] }[] }[] }[];
  };
  const author = trace.workflows[0]?.runs[0]?.children.find(({ agent }) => agent === 'author');
  expect(author?.approvals[0]).toMatchObject({
    outcome: 'edited',
    decidedBy: 'person',
    allowed: true,
    asked: { path: 'plan.md', content: asked('plan.md') },
    approved: { path: 'plan.md', content: EDITED },
  });

  await triad(app, 'sessions', 'project', id);
  const pages = Object.entries(await filesBelow(join(app.home, 'sessions')));
  const page = pages.find(([name]) => name.includes('/author-'))?.[1] ?? '';
  expect(page).toContain('approved with changes by person');
  for (const content of [asked('plan.md'), EDITED]) expect(page).toContain(JSON.stringify(content));

  await app.page.getByRole('link', { name: 'Open in history' }).click();
  await app.page
    .getByRole('list', { name: 'Runs' })
    .getByRole('button', { name: /author/ })
    .click();
  await app.page.getByRole('tab', { name: /^Approvals/ }).click();
  const record = app.page.getByRole('tabpanel').locator('section', { hasText: 'Write plan.md' });
  await expect(record).toContainText('edited');
  for (const content of [asked('plan.md'), EDITED]) await expect(record).toContainText(content.slice(-20, -1));
}

/** What `resultOf` gives, killed or not. */
const RESULT = {
  files: {
    'README.md': '# Sample\n\nA small project.\n',
    'list.md': asked('list.md'),
    'notes/one.md': asked('notes/one.md'),
    'plan.md': EDITED,
    'src/sum.js': 'export const sum = (a, b) => a + b;\n',
  },
  workflows: [
    {
      outcome: 'completed',
      answer: ANSWER,
      runs: [
        {
          name: 'lead',
          end: 'completed',
          report: ANSWER,
          usage: usageOf(2),
          entries: ['user', 'assistant', 'tool', 'tool', 'assistant'],
        },
        childOf('author', 'Made notes/one.md: 3 lines added, 0 removed.'),
        childOf('checker', `Rejected, nothing was done. Reason: ${REASON}`),
      ],
      answers: [
        ...NAMES.map((name) => answered(`Start the sub-agent ${name} for "Look at one part"?`, 'selected')),
        answered('Write list.md (+3 −0)', 'selected'),
        answered('Write notes/one.md (+3 −0)', 'selected'),
        answered('Write notes/two.md (+3 −0)', 'selected', false),
        answered('Write plan.md (+3 −0)', 'edited'),
      ],
    },
  ],
  requests: [
    ...['author reports', 'author writes notes/one.md', 'author writes plan.md', 'checker reports'],
    ...['checker writes list.md', 'checker writes notes/two.md', 'lead answers', 'lead starts two'],
  ].map((rule) => `${rule} true`),
};

function childOf(name: string, told: string) {
  const entries = ['user', 'assistant', 'tool', 'assistant', 'tool', 'assistant'];
  return { name, end: 'completed', report: `# Report: ${name}\n\n${told}`, usage: usageOf(3), entries };
}

function usageOf(requests: number) {
  const tokens = { inputTokens: 100 * requests, outputTokens: 20 * requests, cacheReadTokens: 0, cacheWriteTokens: 0 };
  return { requests, ...tokens, nanoUsd: 400_000 * requests, unpriced: 0 };
}

function answered(title: string, how: string, allowed = true) {
  return [title, [{ allowed, how }]];
}

async function answerTheLastTwo(app: App): Promise<void> {
  await app.allow('one.md');
  await app.lookAt('two.md');
  await app.reject(REASON);
  await app.expectOutcome('completed');
}

test(
  'a killed and resumed program has the result of an uninterrupted run, repeats no request and loses no record',
  fullSpec([
    'tests/core/workflows/crash.test.ts › loses and repeats nothing after a few durable events; in the full run after many',
    'tests/core/workflows/recovery.test.ts › reopens the unanswered approvals with their ids when an interrupted workflow is resumed',
    'tests/core/approvals/asked-and-open.test.ts › each item of an approval pairs the requested input with the approved input',
  ]),
  async ({ start }) => {
    test.slow();
    const killed = await start(writers(), { ownProcess: true });
    await upToTwoQuestions(killed);
    const before = killed.model.requests.length;
    expect(await readFile(join(killed.workspace, 'plan.md'), 'utf8'), 'what was approved is done').toBe(EDITED);
    await killed.crashAndRestart();
    await expect(killed.reopen).toHaveAccessibleName(/^2 waiting/);
    await killed.reopen.click();
    await expect(killed.waiting.getByRole('listitem')).toHaveCount(2);
    await expect(killed.question).toContainText('Its workflow was interrupted: your answer resumes it.');
    expect(killed.model.requests, 'nothing goes on by itself').toHaveLength(before);
    await answerTheLastTwo(killed);

    expect(await resultOf(killed)).toEqual(RESULT);
    const bodies = killed.model.requests.map(({ body }) => JSON.stringify([body.system, body.messages]));
    expect(new Set(bodies).size, 'no request was made a second time').toBe(bodies.length);
    killed.model.expectDone();
    await expectRecorded(killed);
  },
);

test(
  'an uninterrupted run has the files, runs, answers and requests that are expected of a killed and resumed run',
  fullSpec([
    'tests/core/approvals/approval.test.ts › the approval of a write contains a diff, and the edited content is written to disk',
    'tests/core/approvals/approval.test.ts › a rejected write changes nothing and the model reads the reason',
  ]),
  async ({ start }) => {
    const app = await start(writers());
    await upToTwoQuestions(app);
    await answerTheLastTwo(app);
    expect(await resultOf(app)).toEqual(RESULT);
  },
);

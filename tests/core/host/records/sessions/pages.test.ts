/** The pages of a session: whatever was said stays in its place, and a report is divided where it says so. */
import { Marked } from 'marked';
import { describe, expect, test } from 'vitest';
import type { RunRow, ToolCallRow, WorkflowRow } from '#contract/view.ts';
import { newId } from '#core/base/ids.ts';
import { agentPage } from '#core/host/records/sessions/agent-page.ts';
import { agentFileOf, folderNameOf, isOwnFile, wikilink } from '#core/host/records/sessions/names.ts';
import { recommendationsOf } from '#core/host/records/sessions/recommendations.ts';
import { sessionMetadata, sessionPage } from '#core/host/records/sessions/session-page.ts';
import { maxQueueDepth } from '#core/host/records/sessions/trace-entries.ts';
import { workflowPart } from '#core/host/records/sessions/workflow-part.ts';
import { at, conversationRow, later, runRow, workflowRow } from '../../../../hosts/support/events.ts';
import { fieldsOf, linksOf } from '../../../../support/session-files.ts';

const FOLDER = '2026-03-01-a-session-0123456789ab';
const NOTHING = { runs: [], approvals: [], calls: [], entries: new Map() };
const child = (rest: Partial<RunRow>): RunRow => runRow({ kind: 'spawn', depth: 1, agent: 'x', ...rest });

test('names the agent once in the heading of a run without another title', () => {
  const page = agentPage(child({ title: 'reviewer', agent: 'reviewer' }), NOTHING, FOLDER);
  expect(page).toContain('\n# reviewer\n');
});

test('the page of a copied run names the run and the session that it was copied from', () => {
  const copiedFrom = { conversationId: newId(), workflowId: newId(), runId: newId() };
  expect(agentPage(child({ copiedFrom }), NOTHING, FOLDER)).toContain(
    `\n\nCopied, $0: done, and counted, in run ${copiedFrom.runId} of session ${copiedFrom.conversationId}.\n`,
  );
});

test('a session is running while an earlier workflow runs, and then has the outcome of its last workflow', () => {
  const part = (rest: Partial<WorkflowRow>) => workflowPart({ ...NOTHING, workflow: workflowRow(rest) }, FOLDER, false);
  const running = part({ status: 'running', outcome: null, endedAt: null });
  const ended = part({ status: 'cancelled', outcome: 'cancelled' });
  for (const [parts, expected] of [
    [[running, ended], { status: 'running', outcome: null, completed_at: null }],
    [[part({}), ended], { status: 'cancelled', outcome: 'cancelled', completed_at: ended.endedAt }],
  ] as const) {
    expect(fieldsOf(sessionPage(conversationRow(), parts))).toMatchObject(expected);
    expect(JSON.parse(sessionMetadata(conversationRow(), parts, '1.2.3'))).toMatchObject(expected);
  }
});

test.for([
  '---\nstatus: completed\n---\n# Other',
  '## Findings\n\nMine\n\n## Error',
  '```js\nnever closed',
  '<div>\n<!-- never closed',
  '\0 \ud83e lone\r\ntwo\rthree',
  '[[../../elsewhere]]\n\n> quoted\n\n    code',
  '',
])('%j as task, report and title does not break the page', (text) => {
  const page = agentPage(child({ task: text, text, title: text }), NOTHING, FOLDER);
  expect(fieldsOf(page)).toMatchObject({ title: text, status: 'completed' });
  const body = page.replace(/^---\n[\s\S]*?\n---\n/, '');
  const headings: number[] = [];
  for (const token of new Marked().lexer(body)) if (token.type === 'heading') headings.push(Number(token['depth']));
  expect(headings).toEqual([1, 2, 2]);
  expect(linksOf(body).filter((link) => link !== `${FOLDER}/session.md`)).toEqual([]);
});

test('shows reviews with score and critique before the findings', () => {
  const reviews = [
    { answer: 1, verdict: null },
    { answer: 1, verdict: { passed: false, score: 40, critique: 'No line.\n\n## Findings' } },
    { answer: 4, verdict: { passed: true, score: 90, critique: '' } },
  ];
  const page = agentPage(child({ text: 'Found.', reviews }), NOTHING, FOLDER);
  expect(page.slice(page.indexOf('## Reviews'), page.indexOf('\n## Findings'))).toBe(`## Reviews

- Review 1: it could not be read

- Review 2: not passed, 40 of 100

> No line.
>
> ## Findings

- Review 3: passed, 90 of 100
`);
  expect(agentPage(child({ text: 'Found.' }), NOTHING, FOLDER)).not.toContain('Reviews');
});

test('a failed run has the error type, message and stack in its front matter', () => {
  const error = { code: 'internal', message: 'It broke', detail: 'Error: It broke\n    at work (a.ts:1:2)' } as const;
  const page = agentPage(child({ status: 'error', outcome: 'error', error }), NOTHING, FOLDER);
  expect(fieldsOf(page)).toMatchObject({
    status: 'error',
    error_type: 'internal',
    error_message: 'It broke',
    error_detail: error.detail,
  });
  expect(page).toContain('```\nError: It broke\n    at work (a.ts:1:2)\n```');
});

test('lists the files written by the run with each undo, but not the files of other runs', () => {
  const run = child({ text: 'Found.' });
  const call: ToolCallRow = {
    runId: run.id,
    toolCallId: 'a',
    name: 'write_file',
    status: 'completed',
    startedAt: at,
    endedAt: at,
  };
  const undo = { path: 'a`b.txt', undone: true, at: later(1) };
  const calls = [
    {
      ...call,
      wrote: 'a`b.txt',
      wroteAlso: ['b.txt', 'c.txt'],
      undos: [undo, { ...undo, undone: false, at: later(2) }],
    },
    { ...call, runId: newId(), wrote: 'other.txt' },
    // Its end was lost in a crash.
    { ...call, status: 'error' as const, undos: [{ ...undo, path: 'c.txt' }] },
    call,
  ];
  const page = agentPage(run, { ...NOTHING, calls }, FOLDER);
  expect(page.slice(page.indexOf('## Files'), page.indexOf('\n## Findings'))).toBe(`## Files written

- \`\` a\`b.txt \`\` and 2 more, undone by person at ${later(1)}, written again by person at ${later(2)}
- \`c.txt\`, undone by person at ${later(1)}
`);
  expect(agentPage(run, NOTHING, FOLDER)).not.toContain('written');
});

describe('recommendationsOf', () => {
  test('extracts the recommendations section up to the next heading of its level', () => {
    const report = '# Report\n\nA\n\n## Recommendations\n\nB\n\n### More\n\nC\n\n## Rest\n\nD';
    expect(recommendationsOf(report)).toEqual({
      findings: '# Report\n\nA\n\n## Rest\n\nD',
      recommendations: 'B\n\n### More\n\nC',
    });
  });

  test('ignores headings in code blocks and leaves a report without recommendations unchanged', () => {
    const report = 'A\n\n````md\n```\n## Recommendations\n````\n\nB';
    expect(recommendationsOf(report)).toEqual({ findings: report, recommendations: '' });
  });

  test('backticks that are indented by four characters start no code block', () => {
    const report = 'A\n\n    ```\n\n## Recommendations\n\nB';
    expect(recommendationsOf(report)).toEqual({ findings: 'A\n\n    ```', recommendations: 'B' });
  });
});

test('folder names are safe on every file system, and files of the program are distinguished from notes', () => {
  for (const title of ['../../etc', 'CON', '🙂', 'x'.repeat(300), '\0', 'Größe: "ja"?']) {
    const conversation = conversationRow({ title });
    expect(folderNameOf(conversation)).toMatch(/^\d{4}-\d\d-\d\d-[a-z0-9]+(-[a-z0-9]+)*-[0-9a-f]{12}$/);
    expect(folderNameOf(conversation).length).toBeLessThan(100);
  }
  for (const agent of ['code-reviewer', 'Prüfer Nr. 1', '検査'])
    expect(isOwnFile(agentFileOf(child({ agent })))).toBe(true);
  expect(['notes.md', 'my-note.md', 'Session.md'].filter(isOwnFile)).toEqual([]);
});

test('a link label cannot end its wikilink', () => {
  expect(wikilink('a', 'b.md', 'x]] [[y|z')).toBe('[[a/b|x y z]]');
});

test('the queue depth of a session is the largest recorded depth, and 0 without a record', () => {
  const depths = (...all: (number | null | undefined)[]) => maxQueueDepth(all.map((queueDepth) => ({ queueDepth })));
  expect(depths()).toBe(0);
  expect(depths(undefined, null)).toBe(0);
  expect(depths(1, undefined, 2)).toBe(2);
});

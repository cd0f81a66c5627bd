// Actions at a finished sub-agent or message, mounted without a browser.
import { expect, it } from 'vitest';
import type { RunRow, WorkflowRow } from '#contract/view.ts';
import AgentCardOutcome from '#lib/runs/agent-card-outcome.svelte';
import ExtendForm from '#lib/runs/extend-form.svelte';
import TranscriptBlock from '#lib/runs/transcript-block.svelte';
import ProviderWaitNote from '#lib/runs/provider-wait-note.svelte';
import PlanPanel from '#lib/runs/plan-panel.svelte';
import ReviewRecord from '#lib/runs/review-record.svelte';
import WorkflowActions from '#lib/runs/workflow-actions.svelte';
import { mountInApp, useDocument } from '../support/dom.ts';
import { Rows } from '../support/rows.ts';
import { Recording } from '../../support/recording.ts';

useDocument();

const NO_VIEW = { view: null } as never;

/** Returns a sub-agent with this outcome, and its workflow. */
function createEndedRun(outcome: 'error' | 'partial'): { run: RunRow; workflow: WorkflowRow } {
  const story = new Recording();
  const { lead } = story.startWorkflow('Inspect this project.');
  const child = lead.child('inspector');
  child.queue('spawn', 'Inspect.', 'toolu_1');
  child.start('Inspect.');
  child.end(outcome, 'Half of it is read.');
  story.endWorkflow(lead, 'error', '');
  const rows = new Rows();
  for (const event of story.events) rows.take(event);
  const { runs, workflows } = rows.snapshot();
  return { run: runs.find(({ id }) => id === child.runId)!, workflow: workflows[0]! };
}

it('shows the partial report of a failed sub-agent, and retries the sub-agent', async () => {
  const retriedIds: string[] = [];
  const app = { retryRun: (runId: string) => Promise.resolve(retriedIds.push(runId) > 0) };
  const { run } = createEndedRun('error');
  const page = await mountInApp(AgentCardOutcome, { source: NO_VIEW, run, phase: 'error' as const }, app);
  expect(page.text).toContain('What it had when it failed');
  expect(page.text).toContain('Half of it is read.');
  await page.press('Try again');
  expect(retriedIds).toEqual([run.id]);
});

it('shows why a request waits for its provider, and sends it again or stops it', async () => {
  const done: string[] = [];
  const app = {
    clock: { now: Date.now() },
    tryNow: async (workflowId: string) => void done.push(`try ${workflowId}`),
    stopRun: async (runId: string) => void done.push(`stop ${runId}`),
  };
  const { run } = createEndedRun('error');
  const working: RunRow = { ...run, outcome: null, status: 'running' };
  const error = { code: 'overloaded' as const, message: 'api.example.com is overloaded' };
  const wait = { at: new Date().toISOString(), attempt: 2, delayMs: 20_000, error };
  const page = await mountInApp(ProviderWaitNote, { wait, run: working }, app);
  expect(page.text).toMatch(/Waiting for the provider\. Next try in 0:(19|20).*api\.example\.com is overloaded/s);
  await page.press('Try now');
  await page.press('Stop');
  expect(done).toEqual([`try ${run.workflowId}`, `stop ${run.id}`]);
  const silent = { at: new Date(Date.now() - 45_000).toISOString(), attempt: 1, delayMs: null, error: null };
  const silentPage = await mountInApp(ProviderWaitNote, { wait: silent, run: working }, app);
  expect(silentPage.text).toMatch(/No answer yet\. Waiting for 0:4[456].*both can cost/s);
  expect(silentPage.buttons).toEqual(['Try now', 'Stop']);
});

it('sends the message of a failed workflow again', async () => {
  const sentPrompts: string[] = [];
  const app = { sendAgain: ({ prompt }: WorkflowRow) => Promise.resolve(sentPrompts.push(prompt) > 0) };
  const { workflow } = createEndedRun('error');
  const page = await mountInApp(WorkflowActions, { source: NO_VIEW, workflow }, app);
  await page.press('Send again');
  expect(sentPrompts).toEqual(['Inspect this project.']);
});

it('extends the exhausted limit by the written amount, based on the shown limits', async () => {
  const extensions: unknown[] = [];
  const extend = (more: unknown) => Promise.resolve(extensions.push(more) > 0);
  const bounds = [
    { kind: 'iterations', used: 1, of: 1 },
    { kind: 'tokens', used: 900, of: 900_000 },
  ] as const;
  const limits = { iterations: 1, tokens: 900_000 };
  const props = { bounds, limits, reached: 'iterations' as const, ended: true, extend };
  const page = await mountInApp(ExtendForm, props);
  await page.press('Extend');
  const field = page.find<HTMLInputElement>('input');
  expect(field.value).toBe('1');
  await page.write('input', '5');
  await page.fire(page.find('form'), 'submit');
  expect(extensions).toEqual([{ add: { iterations: 5 }, seen: limits }]);
  expect(page.buttons).toEqual(['Extend']);
});

it('shows whether a review passed, with its score and critique', async () => {
  const review = { verdict: { passed: false, score: 40, critique: 'Name the file and the line.' } } as never;
  const page = await mountInApp(ReviewRecord, { review });
  expect(page.text).toBe('Review not passed: 40 of 100 Name the file and the line.');
});

it('shows the progress and the current step of a plan, and all steps once the plan is unfolded', async () => {
  const step = (content: string, status: 'completed' | 'in_progress' | 'pending') => ({
    content,
    status,
    priority: 'high' as const,
  });
  const items = [step('Read', 'completed'), step('Write', 'in_progress'), step('Check', 'pending')];
  const page = await mountInApp(PlanPanel, { items });
  expect(page.buttons).toEqual(['Plan 1 of 3 Write']);
  await page.press('Plan 1 of 3 Write');
  expect(page.buttons).toEqual(['Plan 1 of 3']);
  expect(page.text).toMatch(/Read.*at work: Write.*to do: Check/);
  const finishedPlan = await mountInApp(PlanPanel, { items: [step('Read', 'completed')] });
  expect(finishedPlan.text).toContain('1 of 1 All steps are done');
});

it('shows why a report is only the best of several', async () => {
  const { run } = createEndedRun('partial');
  const message = 'The criteria were not met: the best of 3 answers is handed over (40 of 100).';
  const partial = { ...run, error: { code: 'reflection_failed' as const, message } };
  const page = await mountInApp(AgentCardOutcome, { source: NO_VIEW, run: partial, phase: 'partial' as const });
  expect(page.text).toContain('the best of 3 answers is handed over (40 of 100)');
  expect(page.text).toContain('Half of it is read.');
});

it('shows the reason of a repeated call once: in the note of the error, or in a transcript without that note', async () => {
  const { run } = createEndedRun('error');
  const reason = 'Repetitive behaviour detected: the same call was made 6 times in a row; the run was stopped';
  const failed: RunRow = { ...run, error: { code: 'doom_loop', message: reason } };
  const entry = { kind: 'system', n: 3, at: run.endedAt!, code: 'doom_loop', text: reason } as const;
  const block = { kind: 'system', key: 'entry-3', entry } as const;
  const beside = await mountInApp(TranscriptBlock, { block, run: failed, hasErrorNote: true });
  expect(beside.text).toBe('Repeats itself');
  const alone = await mountInApp(TranscriptBlock, { block, run: failed });
  expect(alone.text).toBe(reason);
});

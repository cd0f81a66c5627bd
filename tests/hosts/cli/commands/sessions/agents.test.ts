/** `triad sessions agents`: the sub-agents of all sessions, filtered, sorted and page by page. */
import { expect, test } from 'vitest';
import stringWidth from 'string-width';
import type { ListedExecution } from '#contract/execution.ts';
import { executionTable } from '#hosts/cli/render/execution-table.ts';
import { at, childId, leadId, workflowId } from '../../../support/events.ts';
import { memoryClient } from '../../../support/memory-client.ts';
import { commandLine } from '../../../support/memory-io.ts';

const execution: ListedExecution = {
  id: childId,
  workflow_id: workflowId,
  parent_agent_id: leadId,
  sub_agent_id: childId,
  sub_agent_name: 'code-reviewer',
  task_description: 'Review\nthe parser \u001b[2J',
  status: 'completed',
  outcome: 'partial',
  kind: 'delegate',
  model: 'sonnet-5',
  duration_ms: 9000,
  worked_ms: 1500,
  tokens_input: 1200,
  tokens_output: 34,
  nano_usd: 250_000_000,
  result_summary: 'Two faults.',
  created_at: at,
  completed_at: at,
};
const {
  outcome: _,
  duration_ms: __,
  worked_ms: _w,
  tokens_input: ___,
  tokens_output: ____,
  nano_usd: _____,
  ...going
} = execution;

async function triad(args: string[], pages: { items: ListedExecution[]; next: string | null }[]) {
  const client = memoryClient({
    'execution.list': ({ before }) => pages[before === undefined ? 0 : Number(before)]!,
    'store.unlisted': () => ({ conversations: 0, workflows: 0 }),
  });
  const printed = await commandLine(client)('sessions', 'agents', ...args);
  const inputs = client.requests.flatMap(({ method, input }) => (method === 'execution.list' ? [input] : []));
  return { ...printed, inputs };
}

test('prints a table of tasks and outcomes', async () => {
  const rows = [execution, { ...going, status: 'running' as const }];
  const { code, out, err, inputs } = await triad(['--limit', '2'], [{ items: rows, next: 'more' }]);
  expect(code).toBe(0);
  expect(inputs).toEqual([{ sort: 'newest', limit: 2 }]);
  const [head = '', first = '', second = ''] = executionTable(rows, Infinity);
  expect(head).toMatch(/^WORKFLOW +AGENT +OUTCOME +ASKED FOR +WORK +TOKENS +COST +MODEL +TASK$/);
  expect(first).toMatch(
    /code-reviewer +partial +2026.* +1\.5 s +1,234 +\$0\.25 +sonnet-5 +Review the parser ⟦U\+001B⟧\[2J$/,
  );
  expect(second).toMatch(/code-reviewer +running +2026.* +– +– +– +sonnet-5 +Review/);
  const [, cut = ''] = executionTable([{ ...execution, tokens_estimated: 34 }], Infinity);
  expect(cut).toMatch(/ ≈ 1,234 +\$0\.25/);
  expect(out).toContain(workflowId);
  expect(out).not.toContain('\u001b');
  expect(err).toContain('Only the first 2: more with --limit.\n');
  expect(err).toContain('To see one with all around it, and its id: triad sessions trace WORKFLOW\n');
  for (const line of executionTable(rows, 60)) expect(stringWidth(line)).toBeLessThanOrEqual(60);
});

test('sends every filter, and fills a limit from several pages', async () => {
  const filters = ['--agent', 'code-reviewer', '--kind', 'coagent', '--status', 'completed', '--model', 'sonnet-5'];
  const pages = [
    { items: Array.from({ length: 200 }, () => execution), next: '1' },
    { items: [execution], next: '0' },
  ];
  const { out, inputs } = await triad([...filters, '--sort', 'cost', '--limit', '201', '--json'], pages);
  const asked = { agent: 'code-reviewer', kind: 'coagent', status: 'completed', model: 'sonnet-5', sort: 'cost' };
  expect(inputs).toEqual([
    { ...asked, limit: 200 },
    { ...asked, limit: 1, before: '1' },
  ]);
  expect(JSON.parse(out)).toEqual(Array.from({ length: 201 }, () => execution));
});

test('prints all sub-agents as JSON without a limit, and reports an empty result on stderr', async () => {
  const pages = [
    { items: [execution], next: '1' },
    { items: [execution], next: null },
  ];
  expect(JSON.parse((await triad(['--json'], pages)).out)).toHaveLength(2);
  const none = [{ items: [], next: null }];
  const inputs = [{ sort: 'newest', limit: 50 }];
  expect(await triad([], none)).toEqual({ code: 0, out: '', err: 'No sub-agent was asked for yet.\n', inputs });
  expect((await triad(['--status', 'error'], none)).err).toBe('No sub-agent matches these filters.\n');
});

test('rejects an invalid option in one line, before any request', async () => {
  for (const args of [
    ['--kind', 'lead'],
    ['--status', 'failed'],
    ['--sort', 'tokens'],
    ['--limit', '0'],
  ])
    expect(await triad(args, [])).toMatchObject({
      code: 2,
      inputs: [],
      err: expect.stringMatching(/Allowed|whole number/) as string,
    });
});

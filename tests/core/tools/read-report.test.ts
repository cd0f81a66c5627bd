/** read_report: what was cut off of a long report is read on, page by page, by the lead alone and among its own reports. */
import { describe, expect, test } from 'vitest';
import { MAX_REPORT_BYTES } from '#contract/limits.ts';
import { readReport } from '#core/tools/read-report.ts';
import { type Harness, outputOf, startEngine } from '../../support/engine.ts';
import { CHILD, LEAD, spawn } from '../../support/fake-model/scenarios.ts';
import { call, contextIn, contextWith, folderWith } from '../../support/workspace.ts';
import { Script, text, toolUse } from '../../support/fake-model/script.ts';
import { inFullRun } from '../../support/samples.ts';

/** More than two pages, of characters of several bytes. */
const LONG = `# Long\n\n${Array.from({ length: 18_000 }, (_, n) => `€${n}`).join('')}`.trim();
const POINTER =
  /\n\n\[Cut off here, after \d+ of \d+ characters\. Read on with read_report: run_id "([^"]+)", offset (\d+)\]$/;

const read = (run_id: string, offset: number) => toolUse('read_report', { run_id, offset });

/** A lead that reads on as long as it is told to. */
function reading(): Script {
  return new Script()
    .on({ ...LEAD, turn: 1 })
    .reply([spawn({ name: 'writer', prompt: 'Write.' })])
    .on(LEAD)
    .reply((seen) => {
      const last = seen.results.at(-1)?.text ?? '';
      const [, id, offset] = POINTER.exec(reportIn(last)) ?? [];
      return id === undefined ? [text('Read.')] : [read(id, Number(offset))];
    })
    .on(CHILD)
    .reply([text(LONG)]);
}

const reportIn = (result: string): string => (result.startsWith('{') ? (outputOf(result).report ?? '') : result);
const pagesOf = (engine: Harness) =>
  engine.of('tool-end').flatMap(({ entry, parentRunId }) => (parentRunId === null ? [reportIn(entry.output)] : []));

describe('read_report', () => {
  const readIn = (report: string | null, offset?: number) =>
    call(readReport, { run_id: 'r1', offset }, contextWith(contextIn('/'), { reports: { read: async () => report } }));

  test('returns the rest of a report from an offset, and reports invalid calls', async () => {
    const read = (output: string, offset: number) => ({
      status: 'completed',
      output,
      metadata: { runId: 'r1', offset },
    });
    expect(await readIn('Report')).toEqual(read('Report', 0));
    expect(await readIn('Report', 5)).toEqual(read('t', 5));
    const longest = 'x'.repeat(MAX_REPORT_BYTES);
    expect(await readIn(longest)).toEqual(read(longest, 0));
    const pointer = `[Cut off here, after ${MAX_REPORT_BYTES + 2} of ${MAX_REPORT_BYTES + 3} characters. Read on with read_report: run_id "r1", offset ${MAX_REPORT_BYTES + 2}]`;
    expect(await readIn(`yy${longest}z`, 2)).toEqual(read(`${longest}\n\n${pointer}`, 2));
    for (const [report, offset, output] of [
      ['Report', 6, 'The report of r1 has 6 characters: begin before that'],
      ['', 0, 'The sub-agent r1 has written no report'],
      [null, 0, 'There is no report of r1 that you can read: name the child_id of one'],
    ] as const)
      expect(await readIn(report, offset)).toEqual({ status: 'error', output });
  });

  test('reads a long report in pages to the end without gaps or repeats', async () => {
    const engine = await startEngine(reading());
    expect((await engine.ask('Go')).outcome).toBe('completed');
    const pages = pagesOf(engine);
    expect(pages.length).toBeGreaterThan(2);
    expect(pages.map((page) => page.replace(POINTER, '')).join('')).toBe(LONG);
    for (const page of pages)
      expect(Buffer.byteLength(page.replace(POINTER, ''))).toBeLessThanOrEqual(MAX_REPORT_BYTES);
    const offered = engine.model.requests.map(({ seen }) => seen.tools.includes('read_report'));
    expect(offered).toEqual(engine.model.requests.map(({ seen }) => seen.tools.includes('spawn_agent')));
    expect(engine.of('run-queue').at(-1)?.envelope.tools).not.toContain('read_report');
  });

  test('reads reports of earlier workflows by run id, and no other runs', async () => {
    const calls: ReturnType<typeof toolUse>[] = [];
    const script = new Script()
      .on({ ...LEAD, asked: /Again/, step: 1 })
      .reply(() => calls)
      .on({ ...LEAD, step: 1 })
      .reply([spawn({ name: 'writer', prompt: 'Write.' })])
      .on(LEAD)
      .reply([text('Read.')])
      .on(CHILD)
      .reply([text('Short.')]);
    const engine = await startEngine(script);
    const first = await engine.ask('Go');
    const { runId } = first.subAgents[0]!;
    calls.push(read(runId, 2), read(runId, 6), read(first.runId, 0), read('nobody', 0));
    const resultsIn = async (conversationId: string): Promise<string[]> => {
      const sent = await engine.runtime.request('message.send', { conversationId, text: 'Again' });
      await expect.poll(async () => (await engine.store.workflow(sent.workflowId))?.outcome).toBe('completed');
      const entries = await engine.store.entriesOf(sent.runId);
      return entries.flatMap((entry) => (entry.kind === 'tool' ? [entry.output] : [])).sort();
    };
    const another = await engine.runtime.request('conversation.create', {});
    for (const id of inFullRun ? [engine.conversationId, another.id] : [another.id]) {
      expect(await resultsIn(id)).toEqual([
        expect.stringContaining('has 6 characters: begin before that'),
        expect.stringContaining(`no report of ${first.runId} that you can read`),
        expect.stringContaining('no report of nobody'),
        'ort.',
      ]);
    }
    const elsewhere = await engine.runtime.request('conversation.create', { folder: await folderWith({}) });
    const refused = expect.stringContaining('no report of') as string;
    expect(await resultsIn(elsewhere.id), 'in another folder').toEqual([refused, refused, refused, refused]);
  });
});

/** The words of a workflow's lanes: its time by cause, its axis, its bars and what they open. */
import type { RequestUsage } from '#contract/event.ts';
import { tallyOf, tokenPartsOf } from '#domain/tally.ts';
import { clockTime, count, duration, shortDuration } from '#lib/view/format.ts';
import { usageWords } from './work-words.ts';

const causes = {
  person: 'waiting for you',
  rate: 'for the provider, which was too busy',
  retry: 'before it was tried again',
  limit: 'for the provider’s limit',
  queue: 'in the queue',
  idle: 'with nothing under way',
} as const;

export const timelineWords = {
  title: 'Time of each agent',
  causes,
  work: (ms: number) => `${shortDuration(ms)} work`,
  waited: (cause: keyof typeof causes, ms: number) => `${shortDuration(ms)} ${causes[cause]}`,
  spent: 'How the time was spent',
  trueTime: 'True time',
  trueTimeWhy: 'Shows waiting as long as it was, instead of folded',
  folded: (what: string) => `Folded: ${what}`,
  zoomIn: 'Zoom in',
  zoomOut: 'Zoom out',
  zoomAll: 'Show all',
  zoomHint: 'Ctrl and the wheel zoom, dragging moves, + − 0 on the keyboard.',
  /** Of a tick: how long after the beginning. */
  tick: (ms: number) => {
    if (ms < 60_000) return `${ms % 1000 === 0 ? ms / 1000 : (ms / 1000).toFixed(1)} s`;
    return clockTime(ms);
  },
  legend: 'What the bars show',
  firstToken: 'until the first token',
  cachedShare: 'of its input, from the cache',
  track: (agent: string) => `What ${agent} did when`,
  trackHint: 'Arrow keys go from bar to bar and from agent to agent; Enter opens one.',
  noBars: 'nothing in sight',
  model: (took: string, request: RequestUsage | undefined) => {
    if (!request) return `model, ${took}`;
    const { firstTokenMs } = request;
    const facts = [
      `model, ${took}`,
      ...(firstTokenMs === null ? [] : [`first token after ${duration(firstTokenMs)}`]),
      usageWords.parts(tokenPartsOf(tallyOf(request))),
      ...(request.error ? [`failed: ${request.error.code}`] : []),
    ];
    return facts.join('; ');
  },
  panel: {
    close: 'Close',
    model: 'Model request',
    tools: 'Tool call',
    mcp: 'Call of an MCP server',
    wait: 'Question',
    queue: 'In the queue',
    of: (agent: string) => `of ${agent}`,
    at: 'Began',
    after: (span_: string) => `${span_} after the beginning`,
    took: 'Took',
    modelName: 'Model',
    turn: 'Turn',
    turnOf: (turn: number, attempt: number) => (attempt > 1 ? `${turn}, attempt ${attempt}` : String(turn)),
    purpose: 'Asked for',
    firstToken: 'First token after',
    generation: 'Then wrote for',
    fresh: 'Input, fresh',
    cached: 'Input, from the cache',
    written: 'Input, written to the cache',
    output: 'Output',
    tokens: (value: number, estimated: boolean) => `${estimated ? '≈ ' : ''}${count(value)} tokens`,
    cost: 'Cost',
    end: 'Ended',
    told: 'What it was told last',
    results: (names: string) => `Results of ${names}`,
    answer: 'Its answer',
    noAnswer: 'Its answer is not part of the transcript.',
    started: 'Runs that it started',
    queued: 'It waited for a slot, or for the work before it.',
    gone: 'This is not part of the workflow any more.',
    files: 'Files',
    noFiles: 'No file was changed in this workflow.',
  },
} as const;

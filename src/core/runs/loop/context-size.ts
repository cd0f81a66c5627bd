/** How full the context of a run is: what its provider counted last, and an estimate of what came since. */
import type { Run } from '../run.ts';
import { buildSystemPrompt } from '#core/agents/system-prompt.ts';
import { lastCompaction, toldWire } from '#core/store/log/told.ts';
import { lastResponse, toWire } from '#core/store/log/transcript.ts';
import { estimatedInput, sizeOfMessages } from './request-meter.ts';

/** Input tokens of the run's last turn, where they still say something of the next one: nothing was summarised since. 0 else. */
export function countedInput({ limits, history }: Pick<Run, 'limits' | 'history'>): number {
  const { entries } = history;
  const compaction = lastCompaction(entries);
  const response = lastResponse(entries);
  return compaction && compaction.n > (response?.n ?? -1) ? 0 : limits.lastInput();
}

/** Input tokens that the run's next request would have. */
export async function contextSize(run: Run): Promise<number> {
  const counted = countedInput(run);
  const { entries } = run.history;
  const response = lastResponse(entries);
  // Not all of it is looked at before each request.
  if (counted > 0 && response) return counted + sizeOfMessages(toWire(entries.filter(({ n }) => n >= response.n)));
  return estimated(run);
}

/** Likewise, where all of it is looked at: servers exist that count too little. */
export async function wholeSize(run: Run): Promise<number> {
  return Math.max(await contextSize(run), await estimated(run));
}

async function estimated({ prior, history: { entries }, envelope, tools }: Run): Promise<number> {
  const messages = toldWire({ prior, entries });
  return estimatedInput({ system: buildSystemPrompt(envelope), messages, tools: await tools.specs() });
}

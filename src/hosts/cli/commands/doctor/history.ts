/** Checks everything that is stored: whether all that happened is there, conversation by conversation. */
import type { Missing } from '#contract/missing.ts';
import { countsOf } from '#contract/missing-text.ts';
import type { Client } from '#contract/rpc.ts';
import { errorInfo } from '#core/base/errors.ts';
import { type Finding, ok, problem } from './finding.ts';

const ADVICE = 'restore a backup with "triad restore DIR"';

/** One line of the whole, and one for each conversation in which something is missing. */
export async function checkHistory(client: Client, signal: AbortSignal): Promise<Finding[]> {
  const found: Finding[] = [];
  let [workflows, events] = [0, 0];
  let all: Missing[] = [];
  const ids = await client.request('store.conversations', {});
  for (const conversationId of ids) {
    signal.throwIfAborted();
    try {
      const checked = await client.request('conversation.check', { conversationId });
      workflows += checked.workflows;
      events += checked.events;
      const lost = countsOf(checked.missing);
      all = [...all, ...checked.missing];
      if (lost !== null) found.push(problem('history', `session ${conversationId}: ${lost} missing`, ADVICE));
    } catch (error) {
      signal.throwIfAborted();
      const { message } = errorInfo(error);
      found.push(problem('history', `session ${conversationId} cannot be read: ${message}`, ADVICE));
    }
  }
  const looked = `looked at ${ids.length} sessions, ${workflows} workflows, ${events} events`;
  if (found.length === 0) return [ok('history', `${looked}: nothing is missing`)];
  const lost = countsOf(all);
  const sum = `${looked}: something is missing in ${found.length}${lost === null ? '' : ` (${lost})`}`;
  return [problem('history', sum, ADVICE), ...found];
}

/** Compacts the context of a run: its model summarises the oldest part, and later requests contain the summary instead. */
import { CHARS_OF_TOKEN } from '#contract/context/estimate.ts';
import type { CompactionEntry, PlanItem } from '#contract/message.ts';
import { TriadError } from '#core/base/errors.ts';
import { headOf, placesOf, type Told, toldWire } from '#core/store/log/told.ts';
import type { Emit } from '#core/store/log/recorder.ts';
import { ModelError, type WireMessage } from '#core/model/model.ts';
import type { Requester, RunRequests } from '../run-requests.ts';
import { cutOf } from './compaction-cut.ts';
import { keptOf } from './compaction-kept.ts';
import { materialOf, SUMMARISER } from './compaction-words.ts';
import { sizeOfMessages } from './request-meter.ts';
import { sideRequest } from './side-request.ts';

/** Share of the window, and of the context, that stays unchanged: its newest part. The smaller one applies. */
const [KEEP_OF_WINDOW, KEEP_OF_ALL] = [0.2, 0.25];
/** Shares of the window: for the material of the summary request, and for the person's messages that stay after it. */
const [MATERIAL_SHARE, KEPT_SHARE] = [0.65, 0.1];
/** Maximum size of the summary: in tokens, and as a share of the window. */
const [MAX_SUMMARY_TOKENS, SUMMARY_SHARE] = [6_000, 0.2];
/** Shares of the material, in order. The next one is used if the request is refused or too large. */
const SHARES_OF_MATERIAL = [1, 0.3];

/** A run whose context is compacted. It works, or has ended. */
export interface CompactedRun extends Requester {
  readonly prior: Told['prior'];
  readonly signal: AbortSignal;
  readonly planItems: readonly PlanItem[];
  readonly requests: Requester['requests'] & Pick<RunRequests, 'contextWindow'>;
}

/**
 * Records the compaction, and returns it once it is stored. Rejects with `bad_input` if there is nothing to summarise, or
 * less than the share `minGain` would be removed. An automatic one (`auto`) also rejects if it would not make the context
 * smaller. Rejects with an error of the provider if no summary arrives. Calls may be open: their response stays, with all
 * entries after it.
 */
export async function compact(
  run: CompactedRun,
  emit: Emit,
  { auto, tokensBefore }: Pick<CompactionEntry, 'auto' | 'tokensBefore'>,
  minGain = 0,
): Promise<CompactionEntry> {
  const told: Told = { prior: run.prior, entries: run.history.entries };
  const window = run.requests.contextWindow ?? tokensBefore;
  const upTo = cutOf(told, Math.floor(Math.min(window * KEEP_OF_WINDOW, tokensBefore * KEEP_OF_ALL)));
  if (upTo === null) throw new TriadError('bad_input', 'There is nothing to compact yet');
  const places = placesOf(told.prior);
  const removed = toldWire({
    ...told,
    entries: told.entries.filter(({ kind, n }) => kind === 'compaction' || n < upTo),
  });
  if (sizeOfMessages(removed) < minGain * tokensBefore) throw createNoGainError();
  const text = await summarise(run, emit, { removed, window });
  const maxChars = CHARS_OF_TOKEN * Math.floor(window * KEPT_SHARE);
  const kept = keptOf(told, { upTo, plan: run.planItems, maxChars });
  // The removed part is estimated. The estimate can exceed the measured whole.
  const tokensAfter =
    Math.max(0, tokensBefore - sizeOfMessages(removed)) + sizeOfMessages([headMessage({ text, kept })]);
  if (auto && tokensAfter > (1 - minGain) * tokensBefore) throw createNoGainError();
  const sizes = { tokensBefore, tokensAfter };
  const entry = run.history.add({ kind: 'compaction', text, upTo, ...places, kept, ...sizes, auto });
  await (
    await emit({ type: 'compaction', entry })
  ).stored;
  return entry;
}

/**
 * Returns the summary that the model writes of the removed messages. Some texts have far fewer characters in a token than
 * estimated, so a request that is too large is repeated with less material.
 */
async function summarise(
  run: CompactedRun,
  emit: Emit,
  { removed, window }: { removed: readonly WireMessage[]; window: number },
): Promise<string> {
  const maxTokens = Math.min(MAX_SUMMARY_TOKENS, Math.floor((run.requests.contextWindow ?? Infinity) * SUMMARY_SHARE));
  const { signal } = run;
  let refusal: unknown = new TriadError('provider', 'the model wrote no summary');
  for (const share of SHARES_OF_MATERIAL) {
    const messages = [materialOf(removed, CHARS_OF_TOKEN * Math.floor(window * MATERIAL_SHARE * share))];
    try {
      const ask = { purpose: 'compaction' as const, system: SUMMARISER, messages, signal, maxTokens };
      const { text, stopReason } = await sideRequest(run, ask, emit);
      if (text !== '' && stopReason !== 'refusal')
        return ['max_tokens', 'context_exceeded'].includes(stopReason)
          ? `${text}\n[These notes were cut off here]`
          : text;
      if (stopReason !== 'context_exceeded') break;
    } catch (error) {
      if (!(error instanceof ModelError) || error.code !== 'bad_request') throw error;
      refusal = error;
    }
  }
  throw refusal;
}

const headMessage = (entry: Pick<CompactionEntry, 'text' | 'kept'>): WireMessage => ({
  role: 'user',
  content: [{ type: 'text', text: headOf(entry) }],
});

const createNoGainError = () => new TriadError('bad_input', 'too little would be gained by it');

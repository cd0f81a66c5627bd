/** Makes room in the context of a run: its own model summarises the oldest part, which requests from then on have in its place. */
import { CHARS_OF_TOKEN } from '#contract/context/estimate.ts';
import type { CompactionEntry } from '#contract/message.ts';
import { TriadError } from '../base/errors.ts';
import { stopOf } from '../base/stop.ts';
import { headOf, holding, lastCompaction, placesOf, type Told, toldWire } from '../log/told.ts';
import { lastResponse } from '../log/transcript.ts';
import type { LimitNotice } from '../budget/limit-notices.ts';
import type { Emit, Payload, Recorded } from '../log/recorder.ts';
import { ModelError, type WireMessage } from '../model/model.ts';
import { cutOf, cutsOf } from './compaction-cut.ts';
import { tellFailure } from './compaction-desk.ts';
import { keptOf } from './compaction-kept.ts';
import { materialOf, SUMMARISER } from './compaction-words.ts';
import { contextSize, wholeSize } from './context-size.ts';
import { sizeOfMessages } from './request-meter.ts';
import type { RunContext } from './run-context.ts';
import { sideRequest, type SideRun } from './side-request.ts';
import { inFlight } from './tool-calls.ts';

/** Of the window, and of what there is: how much of the newest stays as it is. */
const [KEEP_OF_WINDOW, KEEP_OF_ALL] = [0.2, 0.25];
/** Of the window: what the request for a summary may read, and what the person's messages may take after it. */
const [MATERIAL_SHARE, KEPT_SHARE] = [0.65, 0.1];
/** The notes have at most so many tokens, and at most this share of the window. */
const [MAX_SUMMARY_TOKENS, SUMMARY_SHARE] = [6_000, 0.2];
/** Parts of the material with which a summary is asked for, as long as the request is refused or finds no room. */
const SHARES_OF_MATERIAL = [1, 0.3];
/** Made because of the size alone, it must leave out at least this share. */
const MIN_GAIN = 0.1;
/** A request that was refused was too large if it had at least this share of the window, by estimate. */
const TOO_LARGE = 0.9;

type Run = SideRun & Pick<RunContext, 'prior' | 'signal' | 'contextWindow' | 'plan'>;

/**
 * Records the compaction and returns it once it is stored. Rejects where there is nothing to summarise (`bad_input`), no
 * summary comes, less than the share `minGain` would be left out, or one that nobody asked for would add more than it leaves
 * out. Calls may be open: their response stays, with all that comes after it.
 */
export async function compact(
  run: Run,
  emit: Emit,
  { auto, tokensBefore }: Pick<CompactionEntry, 'auto' | 'tokensBefore'>,
  minGain = 0,
): Promise<CompactionEntry> {
  const told: Told = { prior: run.prior, entries: run.history.entries };
  const window = run.contextWindow ?? tokensBefore;
  const upTo = cutOf(told, Math.floor(Math.min(window * KEEP_OF_WINDOW, tokensBefore * KEEP_OF_ALL)));
  if (upTo === null) throw new TriadError('bad_input', 'There is nothing to compact yet');
  const places = placesOf(told.prior);
  const gone = toldWire({ ...told, entries: told.entries.filter(({ kind, n }) => kind === 'compaction' || n < upTo) });
  if (sizeOfMessages(gone) < minGain * tokensBefore) throw noGain();
  const text = await summaryOf(run, emit, { gone, window });
  const maxChars = CHARS_OF_TOKEN * Math.floor(window * KEPT_SHARE);
  const kept = keptOf(told, { upTo, plan: run.plan(), maxChars });
  // What is left out is estimated, and may seem larger than all of it.
  const tokensAfter = Math.max(0, tokensBefore - sizeOfMessages(gone)) + sizeOfMessages([headMessage({ text, kept })]);
  if (auto && tokensAfter > (1 - minGain) * tokensBefore) throw noGain();
  const sizes = { tokensBefore, tokensAfter };
  const entry = run.history.add({ kind: 'compaction', text, upTo, ...places, kept, ...sizes, auto });
  await (
    await emit({ type: 'compaction', entry })
  ).stored;
  return entry;
}

/** What the model writes of these messages. Most texts have more characters to a token than are reckoned with, some far fewer. */
async function summaryOf(
  run: Run,
  emit: Emit,
  { gone, window }: { gone: readonly WireMessage[]; window: number },
): Promise<string> {
  const maxTokens = Math.min(MAX_SUMMARY_TOKENS, Math.floor((run.contextWindow ?? Infinity) * SUMMARY_SHARE));
  const { signal } = run;
  let refusal: unknown = new TriadError('provider', 'the model wrote no summary');
  for (const share of SHARES_OF_MATERIAL) {
    const messages = [materialOf(gone, CHARS_OF_TOKEN * Math.floor(window * MATERIAL_SHARE * share))];
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

const noGain = () => new TriadError('bad_input', 'too little would be gained by it');

/**
 * Before a turn: makes room where the person has asked for it, or the context is nearly full. True where it was made. What
 * comes next is read anew then.
 */
export async function* makeRoom(run: RunContext): AsyncGenerator<Payload, boolean, Recorded> {
  const asked = run.compactions.take();
  return asked || (await isNearlyFull(run)) ? yield* tried(run, asked ? 'asked' : 'size') : false;
}

async function isNearlyFull(run: RunContext): Promise<boolean> {
  const { contextWindow: window, history, prior, compactions } = run;
  const at = run.compactAt();
  if (window === null || at === null || compactions.gaveUp) return false;
  const last = lastCompaction(history.entries);
  // Whoever took it back wants it whole; and one right after another would gain nothing.
  if (last && (last.undone || last.n > (lastResponse(history.entries)?.n ?? -1))) return false;
  // What it cannot leave out fills the window.
  if (last && last.tokensAfter >= at * window) return false;
  if ((await contextSize(run)) < at * window) return false;
  return cutsOf({ prior, entries: history.entries }).length > 0;
}

/**
 * The last response ended because the context is full: makes room, and asks the agent to go on. False where it ends with
 * that: no room could be made, or was made and filled without any progress.
 */
export async function* roomAfterFull(
  run: RunContext,
  notice: LimitNotice | null,
): AsyncGenerator<Payload, boolean, Recorded> {
  const { history } = run;
  const response = lastResponse(history.entries);
  if (response?.stopReason !== 'context_exceeded' || notice) return false;
  const isMade = (holding(history.entries)?.n ?? -1) > response.n;
  if (!isMade && (!hasProgress(run) || !(yield* tried(run, 'full')))) return false;
  yield { type: 'message-end', entry: history.add({ kind: 'user', source: 'engine', text: GO_ON }) };
  return true;
}

const GO_ON =
  'Your last answer broke off because your context was full. Room was made: go on where you stopped, and write the whole of what you were about to say.';

/** Since the last compaction that holds the model has answered with something that was not cut off. */
function hasProgress({ history: { entries } }: RunContext): boolean {
  const last = holding(entries);
  const since = entries.filter(({ n }) => n > (last?.n ?? -1));
  const isWhole = (entry: (typeof since)[number]): boolean =>
    entry.kind === 'assistant' && !entry.interrupted && entry.stopReason !== 'context_exceeded';
  return last === undefined || since.some(isWhole);
}

/** A request was refused because it was too large, as far as can be told: true where room was made for it. */
export async function* roomAfterRefusal(run: RunContext, error: unknown): AsyncGenerator<Payload, boolean, Recorded> {
  if (!(error instanceof ModelError) || error.code !== 'bad_request' || run.signal.aborted) return false;
  const window = run.contextWindow;
  const isTooLarge =
    error.status === TOO_LARGE_STATUS || (window !== null && (await contextSize(run)) >= TOO_LARGE * window);
  const last = holding(run.history.entries);
  const isAgain = last !== undefined && last.n > (lastResponse(run.history.entries)?.n ?? -1);
  return isTooLarge && !isAgain ? yield* tried(run, 'full') : false;
}

const TOO_LARGE_STATUS = 413;

/** The work goes on without it where it fails, and is not held up by it again. */
async function* tried(run: RunContext, why: 'asked' | 'size' | 'full'): AsyncGenerator<Payload, boolean, Recorded> {
  const tokensBefore = await wholeSize(run);
  return yield* inFlight(run, null, async (_calls, emit) => {
    try {
      await compact(run, emit, { auto: why !== 'asked', tokensBefore }, why === 'size' ? MIN_GAIN : 0);
      return true;
    } catch (error) {
      if (run.signal.aborted) throw stopOf(run.signal);
      if (error instanceof TriadError && error.code === 'store_failed') throw error;
      if (why === 'size') run.compactions.gaveUp = true;
      tellFailure(emit, error);
      return false;
    }
  });
}

/** Where a compaction may cut a history: before a response, so that every call stays with its result, the provider's own too. */
import { compactionOf, placeIn, type Told } from '#core/store/log/told.ts';
import { begunResponses, toWire } from '#core/store/log/transcript.ts';
import { sizeOfMessages } from './request-meter.ts';

/**
 * Number of the first entry of the run that stays as it is: as much as fits into `keepTokens`, and always the newest
 * response with what came after it. Null where nothing would be left out.
 */
export function cutOf(told: Told, keepTokens: number): number | null {
  const cuts = cutsOf(told);
  const fits = cuts.find((n) => sizeOfMessages(toWire(told.entries.filter((entry) => entry.n >= n))) <= keepTokens);
  return fits ?? cuts.at(-1) ?? null;
}

/** All places at which it may be cut, in order. */
export function cutsOf(told: Told): number[] {
  const { prior, entries } = told;
  const before = compactionOf(told);
  const isOwn = before?.run === prior.length;
  const from = isOwn ? (before?.entry.upTo ?? 0) : 0;
  const responses = begunResponses(entries).filter(({ n }) => n >= from);
  const cuts: number[] = [];
  // Words of earlier workflows alone may be left out.
  if (!isOwn && saysMore(prior, before)) cuts.push(0);
  // No response is asked for before all calls of the one before have their results, so those stand before it.
  const rest = cuts.length === 0 ? responses.slice(1) : responses;
  return [...cuts, ...rest.map(({ n }) => n)];
}

/** Whether earlier workflows are told with more than a summary of them. */
function saysMore(prior: Told['prior'], before: ReturnType<typeof compactionOf>): boolean {
  const from = (at: number): number => {
    const one = prior[at];
    if (!before || !one || at > before.run) return 0;
    return at === before.run ? before.entry.upTo : (placeIn(before.entry, one) ?? 0);
  };
  return prior.some(({ history }, at) => begunResponses(history.entries).some(({ n }) => n >= from(at)));
}

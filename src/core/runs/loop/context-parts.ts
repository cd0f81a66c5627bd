/** What fills a context: how many tokens of it are of each kind, by the size of what the request tells. */
import { estimatedTokens } from '#contract/context/estimate.ts';
import type { ContextPart } from '#contract/context/context-methods.ts';
import { compactionOf, headOf, type Told, toldWire } from '#core/store/log/told.ts';
import { asTold } from '#core/store/log/transcript.ts';
import type { ModelRequest } from '#core/model/model.ts';
import { sizeOfPart, sizeOfTool } from './request-meter.ts';

type Kind = ContextPart['kind'];

/** As screens list them: what each request begins with first. */
const KINDS: readonly Kind[] = ['system', 'tools', 'summary', 'messages', 'answers', 'results', 'remarks'];

/**
 * Of each kind that has any. `total`: what all of them are together, in tokens, as its provider counted them; null where
 * it counted none: the estimates are as they are then.
 */
export function contextParts(
  told: Told,
  { system, tools }: Pick<ModelRequest, 'system' | 'tools'>,
  total: number | null,
): ContextPart[] {
  const sizes = new Map<Kind, number>();
  const add = (kind: Kind, chars: number): void => void sizes.set(kind, (sizes.get(kind) ?? 0) + chars);
  add('system', system.length);
  for (const tool of tools) add('tools', sizeOfTool(tool));
  const kindOf = kindsIn(told);
  // A call without a result yet has none that counts.
  for (const { role, content } of toldWire(told, ''))
    for (const part of content) add(role === 'assistant' ? 'answers' : kindOf(part), sizeOfPart(part));
  const chars = KINDS.map((kind) => sizes.get(kind) ?? 0);
  const shares = total === null ? chars.map(estimatedTokens) : sharesOf(chars, total);
  return KINDS.map((kind, at) => ({ kind, tokens: shares[at] ?? 0 })).filter(({ tokens }) => tokens > 0);
}

/** Who said what stands in messages to the agent: the person, the program, or its own notes on what is gone. */
function kindsIn(told: Told): (part: { type: string; text?: string }) => Kind {
  const compaction = compactionOf(told);
  const summary = compaction && headOf(compaction.entry);
  const entries = [...told.prior.flatMap(({ history }) => history.entries), ...told.entries];
  const said = new Set(entries.flatMap((one) => (one.kind === 'user' && one.source !== 'engine' ? [asTold(one)] : [])));
  return ({ type, text = '' }) => {
    if (type === 'tool_result') return 'results';
    if (type === 'image' || said.has(text)) return 'messages';
    return text === summary ? 'summary' : 'remarks';
  };
}

/** Whole numbers in the proportion of these sizes, which add up to `total`: the rest of each division goes to the largest rests. */
function sharesOf(sizes: readonly number[], total: number): number[] {
  const sum = sizes.reduce((all, size) => all + size, 0);
  if (sum === 0) return sizes.map(() => 0);
  const exact = sizes.map((size) => (size / sum) * total);
  const shares = exact.map(Math.floor);
  const left = total - shares.reduce((all, share) => all + share, 0);
  const byRest = exact.map((share, at) => ({ at, rest: share % 1 })).sort((a, b) => b.rest - a.rest);
  for (const { at } of byRest.slice(0, left)) shares[at] = (shares[at] ?? 0) + 1;
  return shares;
}

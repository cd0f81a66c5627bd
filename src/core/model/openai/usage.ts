/** What these endpoints count, in the program's classes of tokens: those from the cache are part of their input. */
import { type ModelEvent, type ModelUsage } from '../model.ts';
import { impossibleCount, valueAt } from '../wire-values.ts';

/** Where the counts stand in the usage of a protocol. */
interface Counts {
  input: readonly (readonly string[])[];
  cached: readonly (readonly string[])[];
  written: readonly (readonly string[])[];
  output: readonly (readonly string[])[];
  reasoning: readonly (readonly string[])[];
}

export const CHAT_COUNTS: Counts = {
  input: [['prompt_tokens']],
  // The second one is DeepSeek's.
  cached: [['prompt_tokens_details', 'cached_tokens'], ['prompt_cache_hit_tokens']],
  written: [['prompt_tokens_details', 'cache_write_tokens']],
  output: [['completion_tokens']],
  reasoning: [['completion_tokens_details', 'reasoning_tokens']],
};

export const RESPONSES_COUNTS: Counts = {
  input: [['input_tokens']],
  cached: [['input_tokens_details', 'cached_tokens']],
  written: [['input_tokens_details', 'cache_write_tokens']],
  output: [['output_tokens']],
  reasoning: [['output_tokens_details', 'reasoning_tokens']],
};

/** A usage that is missing, or says nothing, or counts nothing, is not reported. */
export function usageEvents(raw: unknown, counts: Counts): ModelEvent[] {
  if (typeof raw !== 'object' || raw === null) return [];
  const { input, cached, written, output, reasoning } = counts;
  const all = [input, cached, written, output, reasoning].flat();
  if (all.every((path) => !valueAt(raw, path))) return [];
  const count = impossibleCount(raw, [...all, TOTAL]) ?? impossibleSplit(raw, counts);
  return [count === null ? { type: 'usage', usage: usageOf(raw, counts) } : { type: 'miscount', count }];
}

const TOTAL = ['total_tokens'];

function firstOf(raw: object, paths: readonly (readonly string[])[]): number {
  const value = paths.map((path) => valueAt(raw, path)).find((one) => one !== undefined);
  return typeof value === 'number' ? value : 0;
}

function usageOf(raw: object, counts: Counts): ModelUsage {
  const [input, cached, written] = [counts.input, counts.cached, counts.written].map((paths) => firstOf(raw, paths));
  const [output, reasoning] = [firstOf(raw, counts.output), firstOf(raw, counts.reasoning)];
  // Some count reasoning beside the output, which only their total tells.
  const isBeside = reasoning > 0 && valueAt(raw, TOTAL) === input! + output + reasoning;
  return {
    inputTokens: input! - cached! - written!,
    cacheReadTokens: cached!,
    cacheWrite5mTokens: written!,
    cacheWrite1hTokens: 0,
    outputTokens: isBeside ? output + reasoning : output,
    thinkingTokens: reasoning,
  };
}

/** More from the cache than there was input. */
function impossibleSplit(raw: object, counts: Counts): string | null {
  const [input, cached] = [firstOf(raw, counts.input), firstOf(raw, counts.cached) + firstOf(raw, counts.written)];
  return cached > input ? `${counts.input[0]!.join('.')}: ${input}, of them ${cached} from the cache` : null;
}

/** How servers say that what they got does not fit into the model's context: a few by a code, most only in words. */

/** Codes and types that say nothing else, whatever the status with which they come. */
export const FULL_TYPES: readonly string[] = [
  'context_length_exceeded',
  'exceed_context_size_error',
  'model_max_prompt_tokens_exceeded',
];

/** What the servers say in words, each known by a part of its sentence. */
const SENTENCES: readonly RegExp[] = [
  // Anthropic, Ollama
  /\bprompt (?:is )?too long\b/i,
  // Anthropic
  /\bexceeds? context limit\b/i,
  // OpenAI, llama.cpp, Ollama, gateways
  /\bexceed(?:s|ed)? (?:the )?(?:model's )?(?:available |max(?:imum)? |allowed )?context (?:size|length|window)\b/i,
  /\bexceed(?:s|ed)? the context (?:size|length|window) of\b/i,
  /\bContextWindowExceededError\b/,
  // OpenAI, vLLM, OpenRouter, DeepSeek, Mistral
  /\bmaximum context length (?:is|of)\b/i,
  /\btoo large for model with \d+ maximum context length\b/i,
  // SGLang, Together
  /\blonger than the model's context length\b/i,
  // LM Studio
  /\bis greater than the context length\b/i,
  /\bwhen context the overflows\b/i,
  /\breached context length of\b/i,
  // xAI, Gemini, Bedrock
  /\bmaximum prompt length is\b/i,
  /\binput token count\b.{0,40}\bexceeds the maximum number of tokens\b/i,
  /\binput is too long for requested model\b/i,
];

/** Not the context, but what may be answered, is larger than the model allows. */
const ONLY_ANSWER = /\bmax(?:_completion|_output)?_tokens\b['"`]? ?(?:is|must be|exceeds|cannot|:)/i;
/** The answer that was asked for, and the whole that there is, where a sentence has both. */
const ANSWER_AND_LIMIT: readonly RegExp[] = [
  /is too large: (?<answer>\d+)\. This model's maximum context length is (?<limit>\d+)/i,
  /context length is (?<limit>\d+)\b.*?\b(?<answer>\d+) (?:in|of) the (?:completion|output)\b/i,
  /context limit: \d+ \+ (?<answer>\d+) > (?<limit>\d+)/i,
];
/** A sentence that is longer quotes what was sent. */
const MAX_SAID = 2000;

/** Whether room in the conversation would help. That an answer may not be as long as was asked for is another fault. */
export function saysFull(type: string | null, said: string | null): boolean {
  if (FULL_TYPES.includes(type ?? '')) return true;
  const text = (said ?? '').slice(0, MAX_SAID).replace(/\s+/g, ' ');
  return SENTENCES.some((sentence) => sentence.test(text)) && !isOnlyAnswer(text);
}

function isOnlyAnswer(text: string): boolean {
  const found = ANSWER_AND_LIMIT.map((both) => both.exec(text)?.groups).find(Boolean);
  if (found) return Number(found['answer']) >= Number(found['limit']);
  return ONLY_ANSWER.test(text);
}

// A full context is known by what the servers say of it, and nothing else is taken for it.
import type { ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { attempt, modelFor, type Protocol, requestOf } from '../../support/fake-model/exchange.ts';
import { startFaulty } from '../../support/fake-model/faults.ts';

type Answer = readonly [protocol: Protocol, status: number, body: object];

const openAi = (message: string, more: object = {}): object => ({
  error: { message, type: 'invalid_request_error', ...more },
});
const anthropic = (message: string): object => ({ type: 'error', error: { type: 'invalid_request_error', message } });

const FULL: Readonly<Record<string, Answer>> = {
  Anthropic: ['messages', 400, anthropic('prompt is too long: 210000 tokens > 200000 maximum')],
  'Anthropic, with the answer': [
    'messages',
    400,
    anthropic('input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000, decrease input length'),
  ],
  'Ollama in the Messages API': [
    'messages',
    400,
    { error: 'prompt too long; exceeded max context length by 40 tokens' },
  ],
  OpenAI: [
    'chat',
    400,
    openAi("This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens."),
  ],
  'OpenAI by its code': ['responses', 400, openAi('Sorry', { code: 'context_length_exceeded' })],
  'the Responses API': ['responses', 400, openAi('Your input exceeds the context window of this model.')],
  'llama.cpp': [
    'chat',
    400,
    { error: { code: 400, type: 'exceed_context_size_error', message: 'request (5000 tokens) exceeds it' } },
  ],
  'an older llama.cpp': [
    'chat',
    500,
    {
      error: { code: 500, message: 'the request exceeds the available context size. try increasing the context size' },
    },
  ],
  Ollama: ['chat', 400, { error: 'the input length exceeds the context length' }],
  vLLM: [
    'chat',
    400,
    {
      object: 'error',
      message:
        "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens (4500 in the messages, 500 in the completion).",
      type: 'BadRequestError',
      code: 400,
    },
  ],
  'a newer vLLM': [
    'chat',
    400,
    openAi(
      "'max_tokens' or 'max_completion_tokens' is too large: 500. This model's maximum context length is 4096 tokens and your request has 4000 input tokens (500 > 4096 - 4000).",
    ),
  ],
  SGLang: [
    'chat',
    400,
    { message: "The input (5000 tokens) is longer than the model's context length (4096 tokens)." },
  ],
  'LM Studio': [
    'chat',
    400,
    {
      error:
        'Trying to keep the first 5000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens',
    },
  ],
  'a gateway, for the server behind it': [
    'chat',
    400,
    {
      error: {
        message: 'Provider returned error',
        code: 400,
        metadata: { raw: JSON.stringify(anthropic('prompt is too long')) },
      },
    },
  ],
  FastAPI: ['chat', 422, { detail: 'Prompt exceeds the maximum context length of 4096' }],
};

const OTHER: Readonly<Record<string, Answer>> = {
  'the answer, Anthropic': [
    'messages',
    400,
    anthropic('max_tokens: 100000 > 64000, which is the maximum allowed number of output tokens for m-1'),
  ],
  'the answer, OpenAI': [
    'chat',
    400,
    openAi('max_tokens is too large: 100000. This model supports at most 4096 completion tokens.'),
  ],
  'the answer, vLLM': [
    'chat',
    400,
    openAi(
      "'max_tokens' or 'max_completion_tokens' is too large: 5000. This model's maximum context length is 4096 tokens and your request has 10 input tokens",
    ),
  ],
  'the answer, OpenRouter': [
    'chat',
    400,
    openAi(
      "This endpoint's maximum context length is 4096 tokens. However, you requested about 5010 tokens (10 of text input, 5000 in the output).",
    ),
  ],
  'another fault': ['chat', 400, openAi('messages: the context is missing')],
  'tokens a minute': ['chat', 429, openAi('prompt is too long for your tier: wait a minute')],
};

async function statusesOf(answers: Readonly<Record<string, Answer>>): Promise<Record<string, unknown>> {
  const server = await startFaulty();
  const found: Record<string, unknown> = {};
  for (const [name, [protocol, status, body]] of Object.entries(answers)) {
    const play = ({ response }: { response: ServerResponse }) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    server.next([{ name, play, outcome: 'empty' }], []);
    const { error } = await attempt(modelFor(protocol, server.url), requestOf({ model: 'm-1' }));
    found[name] = error?.status;
  }
  return found;
}

test('recognizes the full-context error of each known server', async () => {
  expect(await statusesOf(FULL)).toEqual(Object.fromEntries(Object.keys(FULL).map((name) => [name, 413])));
});

test('does not mistake a too large output limit or a rate limit for a full context', async () => {
  expect(await statusesOf(OTHER)).toEqual(
    Object.fromEntries(Object.entries(OTHER).map(([name, [, status]]) => [name, status])),
  );
});

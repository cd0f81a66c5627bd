/** One request through the real adapter to the fake, for tests of either. */
import { onTestFinished } from 'vitest';
import { createAnthropicModel } from '#core/model/anthropic.ts';
import { createOpenAiModel } from '#core/model/openai/openai.ts';
import { type Model, ModelError, type ModelEvent, type ModelRequest } from '#core/model/model.ts';
import { type Block, type ReplyOptions, Script } from './script.ts';
import { type FakeModel, type FakeModelOptions, startFakeModel } from './server.ts';

export const KEY = 'sk-test-0123456789';

export function requestOf(fields: Partial<ModelRequest> = {}): ModelRequest {
  return {
    model: 'claude-sonnet-5-5',
    maxTokens: 1000,
    effort: null,
    system: 'Be brief.',
    messages: [{ role: 'user', content: [{ type: 'text', text: 'Say hello.' }] }],
    tools: [],
    toolChoice: 'auto',
    ...fields,
  };
}

export const PROTOCOLS = ['messages', 'chat', 'responses'] as const;
export type Protocol = (typeof PROTOCOLS)[number];

/** The adapter of a protocol, for a server that speaks it. */
export function modelFor(protocol: Protocol, url: string, apiKey: string | null = KEY): Model {
  if (protocol === 'messages') return createAnthropicModel({ apiKey, baseUrl: url });
  return createOpenAiModel({ api: protocol, name: 'local', apiKey, baseUrl: `${url}/v1` });
}

/** A started fake with a model that talks to it; both end with the test. */
export async function serve(
  script: Script,
  options?: FakeModelOptions,
  protocol: Protocol = 'messages',
): Promise<{ server: FakeModel; model: Model }> {
  const server = await startFakeModel(script, options);
  onTestFinished(() => server.close());
  return { server, model: modelFor(protocol, server.url) };
}

export function answering(blocks: Block[], options?: ReplyOptions): Script {
  return new Script().on({}).reply(blocks, options);
}

export interface Streamed {
  events: ModelEvent[];
  error: ModelError | null;
}

/** Everything of one attempt, and the error that ended it. */
export async function attempt(
  model: Model,
  request = requestOf(),
  signal = new AbortController().signal,
): Promise<Streamed> {
  const events: ModelEvent[] = [];
  try {
    for await (const event of model.stream(request, signal)) events.push(event);
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    return { events, error };
  }
  return { events, error: null };
}

/** What the model says to one scripted reply. */
export async function exchange(blocks: Block[], options?: ReplyOptions, protocol?: Protocol): Promise<Streamed> {
  const { model } = await serve(answering(blocks, options), {}, protocol);
  return attempt(model);
}

export function partsOf({ events }: Streamed): unknown[] {
  return events.filter((event) => event.type === 'part').map((event) => event.value);
}

/** Tries an endpoint with one tiny request, and says in one sentence what came of it. */
import type { Output } from '#contract/rpc.ts';
import { errorInfo } from '../base/errors.ts';
import { isLoopback } from '../base/loopback.ts';
import type { Model } from './model.ts';
import { askForModels } from './model-lists.ts';

/** How long an endpoint has to answer, in milliseconds. */
const PATIENCE_MS = 10_000;
/** Most names of models in one sentence. */
const NAMED = 5;

export interface EndpointTest {
  apiKey: string;
  /** Null: the provider's own endpoint. */
  baseUrl: string | null;
  /** The id of the model that is asked. */
  model: string;
  createModel: (options: { apiKey: string; baseUrl: string | null }) => Model | Promise<Model>;
  /** Gets the whole list of the models that the endpoint has, where it gives one. */
  onModels?: (models: string[]) => Promise<void>;
  patienceMs?: number;
}

/** Never rejects: a failure is a result with `ok: false` and one sentence for the person. `durationMs` is in milliseconds. */
export async function testEndpoint(candidate: EndpointTest): Promise<Output<'provider.test'>> {
  const { apiKey, baseUrl, model, patienceMs = PATIENCE_MS } = candidate;
  const start = performance.now();
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), patienceMs);
  const listing = askForModels(baseUrl ?? 'https://api.anthropic.com', apiKey, controller.signal).then(async (list) => {
    if (list.isWhole) await candidate.onModels?.(list.models);
    return list.models;
  });
  try {
    await ask(candidate, controller.signal);
    const durationMs = performance.now() - start;
    const models = await listing;
    const others = models.length > 1 ? `. It has ${models.length} models` : '';
    const message = `${hostOf(baseUrl)} answered in ${Math.round(durationMs)} ms with ${model}${others}`;
    return { ok: true, message, models, durationMs };
  } catch (error) {
    const durationMs = performance.now() - start;
    const late = controller.signal.aborted;
    const models = late ? [] : await listing;
    return {
      ok: false,
      message: late ? lateness(baseUrl, patienceMs) : wordsOf(error, models, candidate),
      models,
      durationMs,
    };
  } finally {
    clearTimeout(timer);
    controller.abort();
  }
}

async function ask({ createModel, apiKey, baseUrl, model }: EndpointTest, signal: AbortSignal): Promise<void> {
  const port = await createModel({ apiKey, baseUrl });
  const request = {
    model,
    maxTokens: 16,
    effort: null,
    system: '',
    tools: [],
    toolChoice: 'auto' as const,
    messages: [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'Say ok.' }] }],
  };
  for await (const event of port.stream(request, signal)) if (event.type === 'end') return;
}

function wordsOf(error: unknown, models: readonly string[], { baseUrl, model }: EndpointTest): string {
  const { code, message } = errorInfo(error);
  if (code === 'not_found' && models.length > 0) {
    const named = models.slice(0, NAMED).join(', ');
    return `${hostOf(baseUrl)} answers, but does not know the model ${model}: it has ${named}${models.length > NAMED ? ', …' : ''}`;
  }
  return message;
}

function lateness(baseUrl: string | null, patienceMs: number): string {
  const loading = baseUrl !== null && isLoopback(baseUrl) ? ': it may still be loading the model' : '';
  return `${hostOf(baseUrl)} did not answer within ${patienceMs / 1000} s${loading}`;
}

const hostOf = (baseUrl: string | null): string =>
  baseUrl === null ? 'The Anthropic API' : URL.canParse(baseUrl) ? new URL(baseUrl).host : baseUrl;

/** Tries an endpoint with one tiny request, and says in one sentence what came of it. */
import type { Output } from '#contract/rpc.ts';
import { errorInfo } from '../../base/errors.ts';
import { isLoopback } from '../../base/loopback.ts';
import type { CreateModel, ModelEndpoint } from '../adapters.ts';
import { askForModels, type ListedModels } from '../model-lists.ts';
import { addressAt } from './place.ts';

/** How long an endpoint has to answer, in milliseconds. */
const PATIENCE_MS = 10_000;
/** Most names of models in one sentence. */
const NAMED = 5;

export interface EndpointTest {
  endpoint: ModelEndpoint;
  /** Where its requests go. */
  address: string;
  /** Id of the model to request; null: the best guess from the endpoint's list (`suggestModel`). */
  model: string | null;
  createModel: CreateModel;
  /** Gets the whole list of the models that the endpoint has, where it gives one. */
  onModels?: (listed: ListedModels) => Promise<void>;
  patienceMs?: number;
}

/** Never rejects: a failure is a result with `ok: false` and one sentence for the person. `durationMs` is in milliseconds. */
export async function testEndpoint(candidate: EndpointTest): Promise<Output<'provider.test'>> {
  const { endpoint, address, patienceMs = PATIENCE_MS } = candidate;
  const start = performance.now();
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), patienceMs);
  const listing = askForModels({ ...endpoint, address }, endpoint.apiKey, controller.signal).then(async (list) => {
    if (list.isWhole) await candidate.onModels?.(list);
    return list.models;
  });
  let { model } = candidate;
  try {
    // A request without a model still shows whether the address and the key work.
    model ??= suggestModel(await listing) ?? '';
    const asked = performance.now();
    await ask(candidate, model, controller.signal);
    const durationMs = performance.now() - asked;
    const models = await listing;
    const others = models.length > 1 ? `. It has ${models.length} models` : '';
    const message = `${hostOf(endpoint)} answered in ${Math.round(durationMs)} ms with ${model}${others}`;
    return { ok: true, message, model, models, durationMs };
  } catch (error) {
    const durationMs = performance.now() - start;
    const late = controller.signal.aborted;
    const models = late ? [] : await listing;
    return {
      ok: false,
      code: late ? 'unreachable' : errorInfo(error).code,
      message: late ? lateness(endpoint, patienceMs) : describeFailure(error, models, endpoint, model),
      model: model || null,
      models,
      durationMs,
    };
  } finally {
    clearTimeout(timer);
    controller.abort();
  }
}

/** General chat models of OpenAI, such as `gpt-5` and `gpt-5.2`, but not their dated, small or special variants. */
const GENERAL_MODEL = /^gpt-(\d+)(?:\.(\d+))?$/;

/**
 * The model of a list to use by default: the newest general model of OpenAI, whose list also has models for speech,
 * images and embeddings; else the first one. Null for an empty list.
 */
export function suggestModel(models: readonly string[]): string | null {
  const general = models.flatMap((id) => {
    const [, major, minor = 0] = GENERAL_MODEL.exec(id) ?? [];
    return major === undefined ? [] : [{ id, version: Number(major) * 1000 + Number(minor) }];
  });
  const newest = general.toSorted((a, b) => b.version - a.version)[0];
  return newest?.id ?? models[0] ?? null;
}

async function ask({ createModel, endpoint }: EndpointTest, model: string, signal: AbortSignal): Promise<void> {
  const port = await createModel(endpoint);
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

function describeFailure(
  error: unknown,
  models: readonly string[],
  endpoint: ModelEndpoint,
  model: string | null,
): string {
  const { code, message } = errorInfo(error);
  if (model === '' && (code === 'not_found' || code === 'bad_request'))
    return `${hostOf(endpoint)} gives no list of models: name the one to ask`;
  if (code === 'not_found' && models.length > 0) {
    const named = models.slice(0, NAMED).join(', ');
    return `${message}${/[.!?]$/.test(message) ? '' : '.'} It lists ${named}${models.length > NAMED ? ', …' : ''}`;
  }
  return message;
}

function lateness(endpoint: ModelEndpoint, patienceMs: number): string {
  const { baseUrl } = endpoint;
  const loading = baseUrl !== null && isLoopback(baseUrl) ? ': it may still be loading the model' : '';
  return `${hostOf(endpoint)} did not answer within ${patienceMs / 1000} s${loading}`;
}

function hostOf({ baseUrl, type }: ModelEndpoint): string {
  if (baseUrl === null && type === 'anthropic') return 'The Anthropic API';
  const url = addressAt(baseUrl, type);
  return URL.canParse(url) ? new URL(url).host : url;
}

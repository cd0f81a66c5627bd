/** Tries an endpoint with one tiny request, and says in one sentence what came of it. */
import type { Output } from '#contract/rpc.ts';
import { errorInfo, TriadError } from '../../base/errors.ts';
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
  /** The id of the model that is asked; null: the first that it lists. */
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
    model ??= await firstOf(listing, endpoint);
    const asked = performance.now();
    await ask(candidate, model, controller.signal);
    const durationMs = performance.now() - asked;
    const models = await listing;
    const others = models.length > 1 ? `. It has ${models.length} models` : '';
    const message = `${hostOf(endpoint)} answered in ${Math.round(durationMs)} ms with ${model}${others}`;
    return { ok: true, message, models, durationMs };
  } catch (error) {
    const durationMs = performance.now() - start;
    const late = controller.signal.aborted;
    const models = late ? [] : await listing;
    return {
      ok: false,
      code: late ? 'unreachable' : errorInfo(error).code,
      message: late ? lateness(endpoint, patienceMs) : describeFailure(error, models),
      models,
      durationMs,
    };
  } finally {
    clearTimeout(timer);
    controller.abort();
  }
}

async function firstOf(listing: Promise<readonly string[]>, endpoint: ModelEndpoint): Promise<string> {
  const [first] = await listing;
  if (first !== undefined) return first;
  throw new TriadError('not_found', `${hostOf(endpoint)} gives no list of models: name the one to ask`);
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

function describeFailure(error: unknown, models: readonly string[]): string {
  const { code, message } = errorInfo(error);
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

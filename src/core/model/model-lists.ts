/** The models that endpoints say they have: asked for over the network, kept with the date in the data folder. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { ServedType } from '#contract/providers/provider.ts';
import { writeAtomically } from '../base/atomic-file.ts';
import { isLoopback } from '../base/loopback.ts';
import { fetchFor } from '../base/outgoing.ts';
import { SerialQueue } from '../base/serial-queue.ts';
import { NO_KEY } from './kept-key.ts';

/** No name has spaces, or characters that cannot be seen: those would act on a terminal, or hide what is asked about. */
const NAME = /^[^\s\p{C}]{1,200}$/u;

const tokens = z.int().positive().max(1e9).optional().catch(undefined);

/** What servers of models answer to `GET /v1/models`; a model whose name is none is left out. */
export const ModelList = z.object({
  data: z
    .array(
      z.object({
        id: z.string(),
        owned_by: z.string().optional().catch(undefined),
        /** How vLLM and gateways call the most tokens of one request. */
        max_model_len: tokens,
        context_length: tokens,
      }),
    )
    .transform((models) => models.filter(({ id }) => NAME.test(id))),
  has_more: z.boolean().optional(),
});

const Known = z.object({
  at: z.iso.datetime(),
  models: z.array(z.string().regex(NAME)).min(1),
  /** Most tokens of one request, of the models of which the list says it. */
  windows: z.record(z.string(), z.int().positive()).optional(),
});
export type KnownModels = Readonly<z.infer<typeof Known>>;
const Kept = z.record(z.string(), Known);

const FILE = 'models.json';
/** Endpoints whose lists are kept; the oldest go first. */
const MOST = 20;
/** More than any list of models, in bytes. */
const MAX_BYTES = 4_000_000;

export class ModelLists {
  readonly #file: string | null;
  #known: Readonly<Record<string, KnownModels>>;
  readonly #saves = new SerialQueue();

  /** `file` null keeps nothing beyond this life. */
  constructor(file: string | null = null, known: Readonly<Record<string, KnownModels>> = {}) {
    this.#file = file;
    this.#known = known;
  }

  /** What was kept; nothing, where it cannot be read: it is asked for again. */
  static async load(dataFolder: string): Promise<ModelLists> {
    const file = join(dataFolder, FILE);
    return new ModelLists(file, parsed(await readFile(file, 'utf8').catch(() => '{}')));
  }

  /** The newest list of an address; null where none was had. */
  of(address: string): KnownModels | null {
    return Object.hasOwn(this.#known, address) ? this.#known[address]! : null;
  }

  /** Holds from now on, also where it cannot be written: then the next start asks again. An empty list is none. */
  async keep(address: string, { models, windows }: Pick<KnownModels, 'models' | 'windows'>): Promise<void> {
    if (models.length === 0) return;
    const known = { at: new Date().toISOString(), models: [...models], ...(windows ? { windows } : {}) };
    const all = { ...this.#known, [address]: known };
    const newest = Object.entries(all).sort(([, a], [, b]) => (a.at < b.at ? 1 : -1));
    this.#known = Object.fromEntries(newest.slice(0, MOST));
    const file = this.#file;
    if (file === null) return;
    await this.#saves
      .add(() => writeAtomically(file, JSON.stringify(this.#known, null, 2), { mode: 0o600, sync: false }))
      .catch(() => undefined);
  }
}

function parsed(text: string): Record<string, KnownModels> {
  try {
    return Kept.safeParse(JSON.parse(text)).data ?? {};
  } catch {
    return {};
  }
}

export interface ListedModels {
  models: string[];
  windows?: Record<string, number>;
  /** There are no others. */
  isWhole: boolean;
}

/** What a provider at an address lists; none where it does not. Never rejects. */
export async function askForModels(
  { address, type }: { address: string; type: ServedType },
  apiKey: string | null,
  signal: AbortSignal,
): Promise<ListedModels> {
  try {
    const response = await fetchFor('model')(listAddress(address, type), {
      headers: headersOf(address, type, apiKey),
      // A key must not follow to another host.
      redirect: 'error',
      signal,
    });
    const { data: list } = ModelList.safeParse(response.ok ? await boundedJson(response) : null);
    const all = list?.data ?? [];
    const windows = all.flatMap((model): [string, number][] => {
      const window = model.max_model_len ?? model.context_length;
      return window === undefined ? [] : [[model.id, window]];
    });
    return {
      models: all.map(({ id }) => id),
      ...(windows.length > 0 ? { windows: Object.fromEntries(windows) } : {}),
      isWhole: list !== undefined && list.has_more !== true,
    };
  } catch {
    return { models: [], isWhole: false };
  }
}

/** What an address has behind a "?" stays behind the path. */
function listAddress(address: string, type: ServedType): URL {
  const url = new URL(address);
  url.pathname = `${url.pathname.replace(/\/$/, '')}${type === 'anthropic' ? '/v1/models' : '/models'}`;
  if (type === 'anthropic') url.searchParams.set('limit', '1000');
  return url;
}

function headersOf(address: string, type: ServedType, apiKey: string | null): Record<string, string> {
  const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
  if (type !== 'anthropic') return apiKey === null ? {} : bearer(apiKey);
  const key = apiKey ?? NO_KEY;
  return { 'x-api-key': key, 'anthropic-version': '2023-06-01', ...(isLoopback(address) ? bearer(key) : {}) };
}

/** The body's value. Rejects where it is none, or too long for a list of models: a server may send without end. */
export async function boundedJson({ body }: Response): Promise<unknown> {
  const pieces: AsyncIterable<Uint8Array> | null = body;
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of pieces ?? []) {
    size += chunk.length;
    if (size > MAX_BYTES) throw new RangeError('The answer is longer than a list of models');
    chunks.push(chunk);
  }
  return JSON.parse(Buffer.concat(chunks).toString('utf8'));
}

/** The methods about providers of models; without a name they are about the active one. */
import { z } from 'zod';
import { AppState, EndpointModels } from '../app-state.ts';
import { ErrorCode } from '../error.ts';
import { EndpointUrl } from '../endpoint-url.ts';
import { method } from '../method.ts';
import { ProviderName, ServedType } from './provider.ts';

const name = z.string().max(100).optional();
const apiKey = z.string().max(1000).optional();
const model = z.string().min(1).max(200).optional();
const baseUrl = z.union([z.literal(''), EndpointUrl]).optional();

export const providerMethods = {
  /** Changes what is given; an empty text removes it. `active`: from now on it answers where nothing else is said. */
  'provider.set': method(
    z.strictObject({
      name,
      apiKey,
      baseUrl,
      /** Asked where none is named. */
      model: z.string().max(200).optional(),
      active: z.literal(true).optional(),
    }),
    AppState,
  ),
  /** Writes a provider into the settings. Rejects with `conflict` where there is one of that name. */
  'provider.add': method(
    z.strictObject({
      name: ProviderName,
      type: ServedType,
      baseUrl: EndpointUrl,
      apiKey,
      model,
      active: z.literal(true).optional(),
    }),
    AppState,
  ),
  /** Takes a provider out of the settings, with its key. Rejects with `bad_input` for one that comes with the program. */
  'provider.remove': method(z.strictObject({ name: z.string().max(100) }), AppState),
  /** Sends one tiny request; given values override the settings and are not saved. With `type` it need not be there yet. */
  'provider.test': method(
    z.strictObject({ name, type: ServedType.optional(), apiKey, baseUrl, model }),
    z.object({
      ok: z.boolean(),
      message: z.string(),
      /** Of what failed. */
      code: ErrorCode.optional(),
      /** Id of the model that the request named; null where no request was sent, or where it named none. */
      model: z.string().nullable(),
      models: z.array(z.string()),
      durationMs: z.number(),
    }),
  ),
  /** Asks the provider for the list of its models. */
  'provider.models': method(z.strictObject({ name }), EndpointModels),
  /** The model server at an address; without one, those on the usual ports of this machine. */
  'provider.detect': method(
    z.strictObject({ baseUrl: EndpointUrl.optional() }),
    z.array(
      z.object({
        /** Of the server, such as `Ollama`. */
        name: z.string(),
        /** What it speaks, each with the address for it, the one to take first. */
        speaks: z.array(z.object({ type: ServedType, baseUrl: z.string() })).min(1),
        models: z.array(z.string()),
      }),
    ),
  ),
};

/** What a model can do at a provider: as the person says, else as the server lists it, else as it is known. */
import type { Capabilities } from '#contract/providers/provider.ts';
import { contextWindowOf } from '../context-windows.ts';
import type { ModelLists } from '../model-lists.ts';
import { maxOutputOf } from '../output-limits.ts';
import { addressAt, type Place } from './place.ts';

/** Of a model of which nothing is known. */
export const UNKNOWN: Capabilities = {
  contextWindow: null,
  maxOutput: null,
  tools: null,
  vision: null,
  thinking: null,
  temperature: false,
};

export function capabilitiesAt(place: Place, model: string, lists: Pick<ModelLists, 'of'>): Capabilities {
  const { models } = place.entry;
  const own = Object.hasOwn(models, model) ? models[model] : undefined;
  const listed = lists.of(place.address)?.windows ?? {};
  return {
    contextWindow: own?.context_window ?? (Object.hasOwn(listed, model) ? listed[model]! : contextWindowOf(model)),
    maxOutput: own?.max_output ?? maxOutputOf(model),
    tools: own?.supports_tools ?? null,
    vision: own?.supports_vision ?? null,
    thinking: own?.supports_extended_thinking ?? null,
    temperature: own?.supports_temperature ?? takesTemperature(place),
  };
}

/** The APIs of Anthropic and OpenAI refuse requests that name one. */
function takesTemperature({ type, isLocal, address }: Place): boolean {
  return isLocal || (type === 'openai-chat' && address !== addressAt(null, type));
}

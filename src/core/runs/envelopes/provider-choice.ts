/** Which provider and model an agent gets, and what of its settings they have. */
import type { AgentDefinition, Envelope, ModelOrigin } from '#contract/agent.ts';
import type { Capabilities } from '#contract/providers/provider.ts';
import { TriadError } from '#core/base/errors.ts';
import type { ModelRules } from '#core/model/model-rules.ts';
import { providerTraits } from '#core/model/provider-traits.ts';
import type { ChildRequest } from '#core/tools/children.ts';

/** Throws `bad_input` for a name that no real provider has. */
const real = (provider: string, models: Pick<ModelRules, 'place'>): string => models.place(provider).name;

/** What was chosen for it, what its definition says, or the active one; the demo answers for all while it is on. */
export function leadProvider(
  definition: Pick<AgentDefinition, 'provider'>,
  chosen: { provider?: string | undefined },
  active: string,
): string {
  return providerTraits(active).isScripted ? active : (chosen.provider ?? definition.provider ?? active);
}

/** What is asked for, what the definition says, or its lead's: under the demo's lead only the demo answers. */
export function childProvider(
  { provider: asked }: Pick<ChildRequest, 'provider'>,
  definition: Pick<AgentDefinition, 'provider'> | null,
  { provider }: Pick<Envelope, 'provider'>,
  models: Pick<ModelRules, 'place'>,
): string {
  if (!providerTraits(provider).isScripted) {
    const wanted = asked ?? definition?.provider ?? provider;
    return wanted === provider ? provider : real(wanted, models);
  }
  if (asked === null || asked === provider) return provider;
  throw new TriadError('bad_input', `The demo answers for all: leave the provider ${asked} out`);
}

/** What the person sends an agent to. Throws `bad_input` for none, and where the demo answers, or would. */
export function movedTo(chosen: string, asked: string, models: Pick<ModelRules, 'place'>): string {
  if (chosen === asked) return asked;
  if (providerTraits(asked).isScripted)
    throw new TriadError('bad_input', 'The demo answers for all: leave its provider');
  return real(chosen, models);
}

/** `model`: the requested name; null for none. `usual`: the id that replaces it; null for the default of the provider. */
export interface ModelChoice {
  model: string | null;
  usual: string | null;
  modelOrigin: ModelOrigin;
}

/**
 * The model that is named, null for none, and the id that is taken then, null for what the provider takes. What a
 * definition says is for its own provider, and what its lead has for the lead's.
 */
export function modelOf(
  { model }: Pick<ChildRequest, 'model'>,
  definition: Pick<AgentDefinition, 'provider' | 'model'> | null,
  provider: string,
  lead: Pick<Envelope, 'provider' | 'model'>,
): ModelChoice {
  const isOwn = provider === (definition?.provider ?? lead.provider);
  const own = isOwn ? (definition?.model ?? null) : null;
  const usual = provider === lead.provider ? lead.model : null;
  const modelOrigin = model ? 'override' : own ? 'definition' : usual ? 'lead' : 'default';
  return { model: model ?? own, usual, modelOrigin };
}

/** Returns the model of a lead: of the message, else of its definition, else the default. */
export function chooseLeadModel(
  definition: Pick<AgentDefinition, 'provider' | 'model'>,
  chosen: { model?: string | undefined; provider?: string | undefined },
  provider: string,
): ModelChoice {
  const own = chosen.provider === undefined || provider === definition.provider ? definition.model : null;
  const modelOrigin = chosen.model ? 'person' : own ? 'definition' : 'default';
  return { model: chosen.model ?? own, usual: null, modelOrigin };
}

/** Left out where there is none, so that it changes no hash. */
export function temperatureOf(
  definition: { temperature?: number | null | undefined } | null,
  { temperature: isTaken }: Capabilities,
): Pick<Envelope, 'temperature'> {
  const temperature = definition?.temperature ?? null;
  return temperature === null || !isTaken ? {} : { temperature };
}

/** Whether the model calls no tools. Throws `bad_input` where it would be given `tools`, which are those beside the baseline. */
export function callsNone({ tools: can }: Capabilities, model: string, tools: readonly string[]): boolean {
  if (can === false && tools.length > 0)
    throw new TriadError(
      'bad_input',
      `The model ${model} calls no tools, and this agent would have ${tools.join(', ')}: choose another model, or give it none (tools: [])`,
    );
  return can === false;
}

/** The tools that write which a sub-agent may be given; null: all of them. */
export const childWrites = (provider: string) => (providerTraits(provider).leadWrites === null ? null : []);

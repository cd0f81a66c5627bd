/** The table `providers`: who answers, and every provider with its address, its limits and what its models can do. */
import { z } from 'zod';
import { EndpointUrl } from '#contract/endpoint-url.ts';
import * as limits from '#contract/limits.ts';
import { DEMO } from '#contract/providers/demo.ts';
import { ProviderName, ServedType } from '#contract/providers/provider.ts';
import { isSecretName } from '../base/child-environment.ts';
import { nearest } from '../base/nearest.ts';

const tokens = z.int().min(1).max(1_000_000_000).nullable().default(null);
const can = z.boolean().nullable().default(null);
const modelId = z.string().min(1).max(200);

/** What is said of a model wins over what is known of it. */
const ModelTable = z.strictObject({
  context_window: tokens.describe('Most tokens of one request.'),
  max_output: tokens.describe('Most tokens of one answer.'),
  supports_tools: can.describe('Whether it can call tools.'),
  supports_vision: can.describe('Whether it can be shown pictures.'),
  supports_extended_thinking: can.describe('Whether it thinks before it answers.'),
  supports_temperature: can.describe('Whether it takes a temperature.'),
});
type ModelTable = z.infer<typeof ModelTable>;

const VARIABLE =
  'must be the name of a variable with KEY, TOKEN or SECRET in it, such as OLLAMA_API_KEY: commands of agents do not get those';

/** A key is a variable's name, or the key itself where the person says that it may stand in the file. */
const Auth = z
  .strictObject({
    api_key: z
      .union([z.string().min(1).max(1000), z.strictObject({ env: z.string().max(100).refine(isSecretName, VARIABLE) })])
      .optional(),
    in_file: z.boolean().default(false),
  })
  .superRefine(({ api_key: key, in_file: isMeant }, context) => {
    if (typeof key !== 'string' || isMeant) return;
    const message =
      'must not stand here in the clear: write { env = "NAME_OF_A_VARIABLE" }, or keep it with "triad config key", or write in_file = true beside it';
    context.addIssue({ code: 'custom', path: ['api_key'], message });
  });

const Embeddings = z.strictObject({
  model: modelId.nullable().default(null).describe('Model that embeds notes and reports. Not set: none.'),
  dimensions: z.int().min(1).max(100_000).nullable().default(null).describe('Numbers of each of its vectors.'),
});

const usual = limits.PROVIDER_CONCURRENCY;
const concurrent = (most: number) =>
  z
    .int()
    .min(1)
    .max(100)
    .nullable()
    .default(null)
    .describe(
      `Model requests of sub-agents at the same time. Not set: ${most}, or ${usual.local} where base_url is a server on this machine.`,
    );
const webSearch = z.enum(['auto', 'always', 'never']);

const shared = {
  auth: Auth.nullable().default(null),
  defaults: z
    .strictObject({
      model: modelId
        .nullable()
        .default(null)
        .describe(
          'Model of agents that name none. Not set: models.default with type anthropic, else the only model that the endpoint lists; with several they must name one.',
        ),
      max_tokens: z
        .int()
        .min(1)
        .max(1_000_000)
        .nullable()
        .default(null)
        .describe(
          `Output tokens of one answer, of agents that name no number. Not set: the model's own maximum up to ${limits.MAX_DEFAULT_OUTPUT}, or ${limits.DEFAULT_MAX_TOKENS} if it is unknown.`,
        ),
    })
    .prefault({}),
  models: z.record(modelId, ModelTable).default({}),
};

const Anthropic = z.strictObject({
  type: z.literal('anthropic').default('anthropic'),
  max_concurrent: concurrent(usual.anthropic),
  base_url: EndpointUrl.nullable()
    .default(null)
    .describe('Address of any Anthropic-compatible endpoint. Not set: the Anthropic API.'),
  web_search: webSearch
    .default('auto')
    .describe('Whether the endpoint searches the web itself: auto where it is the Anthropic API, always, or never.'),
  ...shared,
});

const OpenAi = z.strictObject({
  type: z
    .enum(['openai-responses', 'openai-chat'])
    .default('openai-responses')
    .describe('What is spoken there: the Responses API, or Chat Completions.'),
  max_concurrent: concurrent(usual.openai),
  base_url: EndpointUrl.nullable().default(null).describe('Address of the endpoint. Not set: the OpenAI API.'),
  embeddings: Embeddings.prefault({}),
  ...shared,
});

/** Without it the table may also be one of the program's, whose name is misspelt. */
const Type = z.enum(ServedType.options, {
  error: ({ input }) =>
    input === undefined ? `is missing: write ${ServedType.options.map((one) => `"${one}"`).join(' or ')}` : undefined,
});

const OTHER = { error: 'must be a table of a provider: write [providers.NAME] with type and base_url' };

const Custom = z
  .strictObject(
    {
      type: Type.describe(
        'What is spoken there: the Messages API of Anthropic, the Responses API, or Chat Completions.',
      ),
      base_url: EndpointUrl.describe('Address of the endpoint.'),
      max_concurrent: concurrent(usual.openai),
      web_search: webSearch
        .optional()
        .describe('Whether the endpoint searches the web itself: for type anthropic alone. Not set: auto.'),
      embeddings: Embeddings.prefault({}),
      ...shared,
    },
    { error: (issue) => (issue.code === 'invalid_type' && issue.path?.length === 2 ? OTHER.error : undefined) },
  )
  .superRefine(({ type, web_search: searches, embeddings }, context) => {
    const refuse = (key: string, message: string): void => context.addIssue({ code: 'custom', path: [key], message });
    if (type === 'anthropic' && embeddings.model !== null) refuse('embeddings', 'are not there with type "anthropic"');
    if (type !== 'anthropic' && searches !== undefined) refuse('web_search', 'is for type "anthropic" alone');
  });

/** Of any provider, with what its type does not have as not set. */
export interface ProviderEntry {
  type: ServedType;
  base_url: string | null;
  max_concurrent: number | null;
  web_search: z.infer<typeof webSearch>;
  auth: z.infer<typeof Auth> | null;
  defaults: { model: string | null; max_tokens: number | null };
  models: Record<string, ModelTable>;
  embeddings: z.infer<typeof Embeddings>;
}

/** Beside these it has a table of each provider that the person has named. */
export interface ProviderSettings {
  active: string;
  embeddings: string | null;
  anthropic: z.infer<typeof Anthropic>;
  openai: z.infer<typeof OpenAi>;
}

/** Names of the providers that come with the program. */
export const BUILTIN = ['anthropic', 'openai'] as const;
const OWN_KEYS: readonly string[] = ['active', 'embeddings'];

/** Names of all real providers, those of the program first. */
export function providerNames(providers: ProviderSettings): string[] {
  const named = Object.keys(providers).filter((key) => !OWN_KEYS.includes(key));
  return [...BUILTIN, ...named.filter((name) => !BUILTIN.some((one) => one === name))];
}

/** Null where there is no provider of that name. */
export function providerEntry(providers: ProviderSettings, name: string): ProviderEntry | null {
  if (name === 'anthropic') return { ...providers.anthropic, embeddings: { model: null, dimensions: null } };
  if (name === 'openai') return { ...providers.openai, web_search: 'never' };
  if (!providerNames(providers).includes(name)) return null;
  const entry = Reflect.get(providers, name) as z.infer<typeof Custom>;
  return { ...entry, web_search: entry.web_search ?? (entry.type === 'anthropic' ? 'auto' : 'never') };
}

/** Names that mean something else where a provider is named. */
const TAKEN: ReadonlyMap<string, string> = new Map([
  [DEMO, 'is the scripted provider: take another name'],
  ...['web_search', 'telemetry', 'store'].map(
    (name) => [name, `names another key in "triad config key ${name}": take another name`] as const,
  ),
]);

function checkNames(providers: ProviderSettings, context: z.RefinementCtx): void {
  const names = providerNames(providers);
  for (const name of names) {
    const fault = TAKEN.get(name) ?? ProviderName.safeParse(name).error;
    const message = typeof fault === 'string' ? fault : fault && `is no name: it ${fault.issues[0]?.message}`;
    if (message) context.addIssue({ code: 'custom', path: [name], message });
  }
  const mustBe = (key: 'active' | 'embeddings', all: readonly string[]): void => {
    const name = providers[key];
    if (name === null || all.includes(name)) return;
    const near = nearest(name, all);
    const message = `is "${name}", which is no provider: use ${all.join(', ')}${near === null ? '' : ` (did you mean ${near}?)`}`;
    context.addIssue({ code: 'custom', path: [key], message });
  };
  mustBe('active', [...names, DEMO]);
  mustBe('embeddings', names);
  const { embeddings } = providers;
  const embeds = embeddings === null ? null : providerEntry(providers, embeddings)?.embeddings;
  if (embeds && (embeds.model === null || embeds.dimensions === null)) {
    const message = `is ${embeddings}, which needs providers.${embeddings}.embeddings.model and .dimensions`;
    context.addIssue({ code: 'custom', path: ['embeddings'], message });
  }
}

export const ProviderSettings = z
  .object({
    active: z
      .string()
      .default('anthropic')
      .describe(`Who answers where nothing else is said: the name of a provider, or ${DEMO}.`),
    embeddings: z
      .string()
      .nullable()
      .default(null)
      .describe('The provider that embeds notes and reports, so that they are found by their meaning. Not set: none.'),
    anthropic: Anthropic.prefault({}),
    openai: OpenAi.prefault({}),
  })
  .catchall(Custom)
  .superRefine((providers, context) => checkNames(providers, context))
  .prefault({}) as unknown as z.ZodType<ProviderSettings>;

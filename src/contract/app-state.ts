/** What a client knows of the program before anything else: its provider, its tools, where keys are kept. */
import { z } from 'zod';
import { Instant } from './ids.ts';
import { ProviderState } from './providers/provider.ts';

export const AppState = z.object({
  version: z.string(),
  /** Folder for new conversations. */
  folder: z.string(),
  /** The person's settings. */
  settingsFile: z.string(),
  /** The active one. */
  provider: ProviderState,
  /** All of them, the demo last. */
  providers: z.array(ProviderState),
  /** Where keys are kept; `warning` says what is not safe about it. */
  secrets: z.object({ backend: z.string(), warning: z.string().nullable() }),
  /** `baseline`: every agent that can have it has it; `primaryOnly`: no sub-agent can have it. */
  tools: z.array(
    z.object({ name: z.string(), description: z.string(), baseline: z.boolean(), primaryOnly: z.boolean() }),
  ),
  maxSubAgents: z.int(),
});
export type AppState = z.infer<typeof AppState>;

/** What an endpoint says that it has. */
export const EndpointModels = z.object({
  address: z.string(),
  /** Null where it has never given a list. */
  models: z.array(z.string()).nullable(),
  /** When that list was had. */
  at: Instant.nullable(),
  /** Why the default model cannot be used there; null where nothing is known against it. */
  fault: z.string().nullable(),
  /** The default model where it is not in the list, and is asked for because the settings name it for this provider. */
  unlisted: z.string().nullable(),
});

/** The search of the web that the settings name. */
export const SearchState = z.object({
  /** Host and port; null where none is configured. */
  host: z.string().nullable(),
  /** The host that the kept key belongs to; null where none is kept. */
  keyOf: z.string().nullable(),
  /** Where keys are kept. */
  place: z.string(),
});
export type SearchState = z.infer<typeof SearchState>;

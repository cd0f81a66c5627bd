/** Providers of models: what they are called, what they speak, and how each of them stands. */
import { z } from 'zod';
import { DEMO } from './demo.ts';
import { KeyElsewhere } from './key-elsewhere.ts';

/** As in `[providers.NAME]`; `demo` is taken. */
export const ProviderName = z
  .string()
  .regex(
    /^[a-z0-9][a-z0-9_-]{0,40}$/,
    'must have at most 41 small letters, digits, "_" and "-", and begin with a letter or a digit',
  );

/** The protocols of real providers. */
export const ServedType = z.enum(['anthropic', 'openai-chat', 'openai-responses']);
export type ServedType = z.infer<typeof ServedType>;
const ProviderType = z.enum([...ServedType.options, DEMO]);

/** What a model can do; null where nobody has said. */
export const Capabilities = z.object({
  /** Most tokens of one request and its answer. */
  contextWindow: z.int().nullable(),
  /** Most tokens of one answer. */
  maxOutput: z.int().nullable(),
  tools: z.boolean().nullable(),
  vision: z.boolean().nullable(),
  thinking: z.boolean().nullable(),
  temperature: z.boolean(),
});
export type Capabilities = z.infer<typeof Capabilities>;

export const ProviderState = z.object({
  name: z.string(),
  type: ProviderType,
  /** Answers where nothing else is said. */
  active: z.boolean(),
  /** Comes with the program, and cannot be removed. */
  builtin: z.boolean(),
  /** Has an address, and a key where it needs one. */
  ready: z.boolean(),
  /** Of the key that is sent. `store`: the key store of this installation; `file`: the settings file. */
  keySource: z.enum(['environment', 'store', 'file', 'none']),
  /** The variable that may hold its key; null where none is looked at. */
  keyEnv: z.string().nullable(),
  /** Where it has no key and the key that there is belongs to another address. */
  keyElsewhere: KeyElsewhere.nullable(),
  /** Null for the vendor's own. */
  baseUrl: z.string().nullable(),
  baseUrlSource: z.enum(['environment', 'file', 'default']),
  /** Where requests go; empty for the demo. */
  address: z.string(),
  /** Those that are offered, by the names that people use. */
  /**
   * `window`: the most tokens that it reads in one request; `vision`: whether it is shown pictures; `inputPrice`: of a
   * million tokens that it reads, in US dollars. Null where that is not known.
   */
  models: z.array(
    z.object({
      alias: z.string(),
      id: z.string(),
      window: z.int().nullable(),
      vision: z.boolean().nullable(),
      inputPrice: z.number().nullable(),
    }),
  ),
  /** Asked where none is named; null where one must be. */
  defaultModel: z.string().nullable(),
  /** A server on this machine, which needs no key. */
  isLocal: z.boolean(),
  /** Model requests of sub-agents at the same time. */
  maxConcurrent: z.int(),
});
export type ProviderState = z.infer<typeof ProviderState>;

/** The keys of Triad's own agents: what each may be, in the words that a person reads where it is not. */
import { z } from 'zod';
import { AgentName, Effort, McpServerName, Permission } from '#contract/agent.ts';
import { ProviderName } from '#contract/providers/provider.ts';
import {
  MAX_BUDGET,
  MAX_DOOM_LOOP_THRESHOLD,
  MAX_ITERATIONS,
  MAX_NAME_CHARS,
  MAX_PROMPT_CHARS,
  MAX_REFLECTION_RETRIES,
  MIN_DOOM_LOOP_THRESHOLD,
  MAX_TEMPERATURE,
} from '#contract/limits.ts';

export const word = z.string({ error: 'must be text' }).trim().min(1, 'must not be empty');
export const oneOf = <const T extends readonly string[]>(values: T) =>
  z.enum(values, { error: `must be one of ${values.join(', ')}` });
export const whole = (max: number, min = 1) =>
  z
    .int({ error: `must be a whole number from ${min} to ${max}` })
    .min(min, `must be at least ${min}`)
    .max(max, `must be at most ${max}`);
const between = (min: number, max: number) => {
  const error = `must be a number from ${min} to ${max}`;
  return z.number({ error }).min(min, error).max(max, error);
};
const flag = z.boolean({ error: 'must be true or false' });
const listOf = <T extends z.ZodType>(item: T, error: string) => z.array(item, { error });

/** In the file's own words, or as JSON text. */
const schema = z.union([z.record(z.string(), z.unknown()), word], {
  error: 'must be a JSON Schema: its keys, or JSON text',
});

const MINUTES = `must be a number above 0, at most ${MAX_BUDGET.minutes}`;

/** An absent optional one leaves the choice to the parent or the settings. */
export const keys = {
  name: z
    .string({ error: 'must be text' })
    .refine(
      (name) => AgentName.safeParse(name).success,
      `must have 1 to ${MAX_NAME_CHARS} letters, digits, spaces, "_", "." or "-", and begin with a letter or digit`,
    ),
  description: word,
  role: oneOf(['primary', 'subagent']).default('subagent'),
  provider: z
    .string({ error: 'must be text' })
    .refine((name) => ProviderName.safeParse(name).success, 'is not the name of a provider')
    .optional(),
  model: word.optional(),
  effort: oneOf(Effort.options).optional(),
  max_tokens: whole(1_000_000).optional(),
  temperature: between(0, MAX_TEMPERATURE).optional(),
  max_iterations: whole(MAX_ITERATIONS).optional(),
  doom_loop_threshold: whole(MAX_DOOM_LOOP_THRESHOLD, MIN_DOOM_LOOP_THRESHOLD).optional(),
  max_minutes: z.number({ error: MINUTES }).positive(MINUTES).max(MAX_BUDGET.minutes, MINUTES).optional(),
  tools: listOf(word, 'must be a list of tool names, such as [read_file, grep]').optional(),
  mcp_servers: listOf(
    z
      .string({ error: 'must be text' })
      .refine((name) => McpServerName.safeParse(name).success, 'is not the name of an MCP server'),
    'must be a list of names of MCP servers, such as [github, memory]',
  ).optional(),
  permissions: listOf(
    oneOf(Permission.options),
    'must be a list of permissions, such as [FilesystemRead, FilesystemWrite]',
  ).optional(),
  requires_approval: listOf(word, 'must be a list of permissions and tool names, such as [FilesystemWrite]').default(
    [],
  ),
  approval_timeout: whole(86_400).optional(),
  enable_reflection: flag.default(false),
  max_retries: whole(MAX_REFLECTION_RETRIES, 0).optional(),
  reflection_criteria: z
    .union([word, z.array(word).min(1)], { error: 'must be text, or a list of texts, none of them empty' })
    .optional(),
  enabled: flag.default(true),
  next: z
    .union([word, z.array(word).min(1, 'must name an agent, or be left out')], {
      error: 'must be the name of an agent, or a list of names',
    })
    .optional(),
  input_format: oneOf(['text', 'json']).optional(),
  input_schema: schema.optional(),
  output_format: oneOf(['text', 'markdown', 'json']).optional(),
  output_schema: schema.optional(),
  expose_as_tool: flag.default(false),
  project_instructions: flag.default(false),
} satisfies Record<string, z.ZodType>;

/** Of TOML alone; in Markdown the text below the frontmatter is the prompt. */
const prompt = z
  .string({ error: 'must be text' })
  .trim()
  .min(1, 'must not be empty')
  .max(MAX_PROMPT_CHARS, `is longer than ${MAX_PROMPT_CHARS} characters`);

export const MarkdownKeys = z.object(keys);
export const TomlKeys = z.object({ ...keys, prompt });
export type AgentKeys = z.infer<typeof MarkdownKeys>;

export const REQUIRED: readonly string[] = ['name', 'description', 'prompt'];

/** Values that an enumeration allows, for suggestions. */
export const CHOICES: Readonly<Record<string, readonly string[]>> = {
  role: ['primary', 'subagent'],
  effort: Effort.options,
  permissions: Permission.options,
  input_format: ['text', 'json'],
  output_format: ['text', 'markdown', 'json'],
};

/** Agents: their definition, and the envelope that an approval binds. */
import { z } from 'zod';
import { MAX_BUDGET, MAX_ITERATIONS, MAX_NAME_CHARS, MAX_PROMPT_CHARS, MAX_REFLECTION_RETRIES } from './limits.ts';

export const Permission = z.enum([
  'FilesystemRead',
  'FilesystemWrite',
  'SemanticSearch',
  'DatabaseRead',
  'DatabaseWrite',
  'NetworkAccess',
]);
export type Permission = z.infer<typeof Permission>;

export const ApprovalMode = z.enum(['manual', 'selective', 'auto']);
export type ApprovalMode = z.infer<typeof ApprovalMode>;

/** Who answers a workflow's questions: a person, everything yes (except what a rule denies), or everything no. */
export const ApprovePolicy = z.enum(['ask', 'all', 'none']);
export type ApprovePolicy = z.infer<typeof ApprovePolicy>;

export const Effort = z.enum(['low', 'medium', 'high', 'xhigh', 'max']);
export type Effort = z.infer<typeof Effort>;

export const AgentName = z
  .string()
  .min(1)
  .max(MAX_NAME_CHARS)
  .regex(
    /^[\p{L}\p{N}][\p{L}\p{N} _.-]*$/u,
    'starts with a letter or digit and has only letters, digits, spaces, "_", "." and "-"',
  );

/** How a run reviews its own report before it hands it over: against these criteria, and so many more tries. */
export const Reflection = z.strictObject({
  criteria: z.string().max(MAX_PROMPT_CHARS).nullable(),
  maxRetries: z.int().min(0).max(MAX_REFLECTION_RETRIES),
});
export type Reflection = z.infer<typeof Reflection>;

/** An agent as its file defines it. */
export const AgentDefinition = z.object({
  name: AgentName,
  description: z.string().min(1),
  role: z.enum(['primary', 'subagent']),
  model: z.string().nullable(),
  effort: Effort.nullable(),
  maxTokens: z.int().positive().nullable(),
  maxIterations: z.int().min(1).max(MAX_ITERATIONS).nullable(),
  /** Null: whatever the parent has. */
  tools: z.array(z.string()).nullable(),
  /** What its tools may need at most; the baseline is always in it. Null: whatever the parent has. */
  permissions: z.array(Permission).nullable(),
  /** Permissions, and names of tools, whose calls ask a person; it can only add questions. */
  requiresApproval: z.array(z.string()),
  /** How long its questions wait for an answer; null: as the settings say. */
  approvalTimeoutMs: z.int().positive().nullable(),
  /** Null: it does not review itself. */
  reflection: Reflection.nullable(),
  systemPrompt: z.string().min(1),
  enabled: z.boolean(),
  lifecycle: z.enum(['permanent', 'temporary']),
  source: z.enum(['builtin', 'user', 'project', 'spawned']),
  sourcePath: z.string().nullable(),
  /** SHA-256 of the file's text, in hex. */
  hash: z.string().nullable(),
});
export type AgentDefinition = z.infer<typeof AgentDefinition>;

/** Something wrong, or worth a word, in a file. */
export const Fault = z.object({
  /** Both from 1, in the file. */
  line: z.int(),
  column: z.int(),
  /** Null where the fault is not one key's. */
  key: z.string().nullable(),
  message: z.string(),
  /** The nearest valid key or value. */
  suggestion: z.string().nullable(),
});
export type Fault = z.infer<typeof Fault>;

/** One agent's file as it was checked. */
export const AgentReport = z.object({
  file: z.string(),
  /** Null where the file does not say it. */
  name: z.string().nullable(),
  source: z.enum(['builtin', 'user', 'project']),
  ok: z.boolean(),
  errors: z.array(Fault),
  warnings: z.array(Fault),
});
export type AgentReport = z.infer<typeof AgentReport>;

/** One agent's file among all of a folder: what it says, and whether that counts. */
export const AgentFile = AgentReport.extend({
  /** These are null for a file with faults. */
  description: z.string().nullable(),
  role: AgentDefinition.shape.role.nullable(),
  model: z.string().nullable(),
  state: z.enum(['usable', 'overridden', 'disabled', 'untrusted', 'faulty']),
  /** The file that is used in its place; null where there is none. */
  overriddenBy: z.string().nullable(),
  /** Whose format it is in. */
  dialect: z.enum(['triad', 'claude', 'opencode']),
});
export type AgentFile = z.infer<typeof AgentFile>;

/** Value of one key of an agent's file, as a form has it; null for a key that is not there. */
export const AgentValue = z.union([z.string(), z.number(), z.boolean(), z.array(z.string()), z.null()]);
export type AgentValue = z.infer<typeof AgentValue>;

/** An agent's file as an editor holds it. */
export const AgentText = z.object({
  file: z.string(),
  source: z.enum(['builtin', 'user', 'project']),
  /** With line feeds alone; a file keeps its own ends of lines when it is saved. */
  text: z.string(),
  /** SHA-256 of the text on disk, in hex; null where there is no such file yet. */
  hash: z.string().nullable(),
  /** Null where it can be saved; else why not (what the program brings, or another tool's file). */
  readOnly: z.string().nullable(),
});
export type AgentText = z.infer<typeof AgentText>;

/** A text with what is wrong with it, and its keys as a form shows them. */
export const AgentLint = z.object({
  text: z.string(),
  report: AgentReport,
  /** By key, the prompt as `prompt`; null where the text cannot be read as keys at all: then only the text can be edited. */
  values: z.record(z.string(), AgentValue).nullable(),
});
export type AgentLint = z.infer<typeof AgentLint>;

export const RunKind = z.enum(['lead', 'spawn', 'delegate', 'parallel', 'chain']);
export type RunKind = z.infer<typeof RunKind>;

const atMost = (bound: keyof typeof MAX_BUDGET) =>
  `is more than a limit may be: at most ${MAX_BUDGET[bound].toLocaleString('en-US')}`;

/**
 * Bounds of a run or a workflow that are checked before each model request; what is left out is not bounded.
 * `tokens` counts all classes of input, and output; `minutes` the time in which it worked.
 */
export const Budget = z.strictObject({
  tokens: z.int().min(1).max(MAX_BUDGET.tokens, atMost('tokens')).optional(),
  costUsd: z.number().positive().max(MAX_BUDGET.costUsd, atMost('costUsd')).optional(),
  minutes: z.number().positive().max(MAX_BUDGET.minutes, atMost('minutes')).optional(),
  iterations: z.int().min(1).max(MAX_BUDGET.iterations, atMost('iterations')).optional(),
});
export type Budget = z.infer<typeof Budget>;

/** Everything a run is built from, resolved: no ids, no times, nothing left to look up. Its hash is what was approved. */
export const Envelope = z.strictObject({
  agent: AgentName,
  definitionHash: z.string().nullable(),
  systemPrompt: z.string().max(MAX_PROMPT_CHARS),
  prompt: z.string().min(1).max(MAX_PROMPT_CHARS),
  provider: z.string(),
  model: z.string().min(1),
  maxTokens: z.int().min(1).max(1_000_000),
  effort: Effort.nullable(),
  /** Sorted, after inheritance. */
  tools: z.array(z.string()),
  mcpServers: z.array(z.string()),
  permissions: z.array(Permission),
  /** The workspace folder; tools read and write only below it. */
  folder: z.string(),
  limits: z.strictObject({
    maxIterations: z.int().min(1).max(MAX_ITERATIONS),
    inactivityMs: z.int().min(1000),
    /** Left out where nothing but the iterations is bounded. */
    budget: Budget.omit({ iterations: true }).optional(),
  }),
  approvalMode: ApprovalMode,
  stages: z.array(z.string()),
  /** Permissions and tools whose calls its definition wants to be asked about; left out for none. */
  requiresApproval: z.array(z.string()).optional(),
  /** How long its questions wait, where its definition says so. */
  approvalTimeoutMs: z.int().positive().optional(),
  /** Left out where the run does not review itself. */
  reflection: Reflection.optional(),
});
export type Envelope = z.infer<typeof Envelope>;

export const AgentSummary = AgentDefinition.pick({
  name: true,
  description: true,
  role: true,
  model: true,
  tools: true,
  permissions: true,
  enabled: true,
  source: true,
  sourcePath: true,
});
export type AgentSummary = z.infer<typeof AgentSummary>;

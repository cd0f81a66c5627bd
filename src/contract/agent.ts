/** Agents: their definition, and the envelope that an approval binds. */
import { z } from 'zod';
import {
  MAX_BUDGET,
  MAX_CHAIN_STAGES,
  MAX_DOOM_LOOP_THRESHOLD,
  MAX_ITERATIONS,
  MAX_MCP_SERVER_CHARS,
  MAX_NAME_CHARS,
  MAX_PROMPT_CHARS,
  MAX_REFLECTION_RETRIES,
  MIN_DOOM_LOOP_THRESHOLD,
  MAX_TEMPERATURE,
} from './limits.ts';
import { AgentPromptFile } from './agents/prompt-file.ts';
import { Phrase } from './approvals/phrase.ts';
import {
  FlowDefinition,
  HandoffPrompt,
  ControlFlow,
  InputContract,
  OutputContract,
  OutputExpectation,
  Rounds,
} from './flows/control-flow.ts';

export const Permission = z.enum([
  'FilesystemRead',
  'FilesystemWrite',
  'SemanticSearch',
  'DatabaseRead',
  'DatabaseWrite',
  'NetworkAccess',
  'Execute',
]);
export type Permission = z.infer<typeof Permission>;

export const ApprovalMode = z.enum(['manual', 'selective', 'auto']);
export type ApprovalMode = z.infer<typeof ApprovalMode>;

/** How a workflow's approvals are answered: `ask` a person, allow `all` (unless a rule denies), or `none`. */
export const ApprovePolicy = z.enum(['ask', 'all', 'none']);
export type ApprovePolicy = z.infer<typeof ApprovePolicy>;

export const Effort = z.enum(['low', 'medium', 'high', 'xhigh', 'max']);
export type Effort = z.infer<typeof Effort>;

const Temperature = z.number().min(0).max(MAX_TEMPERATURE);

export const AgentName = z
  .string()
  .min(1)
  .max(MAX_NAME_CHARS)
  .regex(
    /^[\p{L}\p{N}][\p{L}\p{N} _.-]*$/u,
    'starts with a letter or digit and has only letters, digits, spaces, "_", "." and "-"',
  );

/** How a run reviews its own answer before it ends: the criteria, and how many retries follow a failed review. */
export const Reflection = z.strictObject({
  criteria: z.string().max(MAX_PROMPT_CHARS).nullable(),
  maxRetries: z.int().min(0).max(MAX_REFLECTION_RETRIES),
});
export type Reflection = z.infer<typeof Reflection>;

/** Identical calls in a row after which an agent is told; it ends after as many again. */
const DoomLoopThreshold = z.int().min(MIN_DOOM_LOOP_THRESHOLD).max(MAX_DOOM_LOOP_THRESHOLD);

/** An agent as its file defines it. */
export const AgentDefinition = z.object({
  name: AgentName,
  description: z.string().min(1),
  role: z.enum(['primary', 'subagent']),
  /** Name of the provider that it asks; left out: its lead's. */
  provider: z.string().optional(),
  model: z.string().nullable(),
  effort: Effort.nullable(),
  maxTokens: z.int().positive().nullable(),
  /** Of what is sampled, where the endpoint has it. */
  temperature: Temperature.nullable(),
  /** Another program's file may ask for more than any run gets. */
  maxIterations: z.int().min(1).nullable(),
  /** Null: the value of the settings. */
  doomLoopThreshold: DoomLoopThreshold.nullable(),
  /** Minutes that it may work; null: the settings say. */
  maxMinutes: z.number().positive().max(MAX_BUDGET.minutes).nullable(),
  /** Null: inherited from the parent. `mcp__SERVER` and `mcp__SERVER__*` stand for all tools of a server. */
  tools: z.array(z.string()).nullable(),
  /** Names of the MCP servers that it may use. Null: those of the tools that it names, else inherited from the parent. */
  mcpServers: z.array(z.string()).nullable(),
  /** Written for another program: what it names and is not there (an MCP server, a search) is left out, and said. */
  lenient: z.literal(true).optional(),
  /** Upper bound of its permissions; the baseline is always included. Null: inherited from the parent. */
  permissions: z.array(Permission).nullable(),
  /** Permissions and tool names whose calls need an approval; this can only add approvals, never remove them. */
  requiresApproval: z.array(z.string()),
  /** Time to answer its approvals, in milliseconds; null: the value of the settings. */
  approvalTimeoutMs: z.int().positive().nullable(),
  /** Null: it does not review itself. */
  reflection: Reflection.nullable(),
  /** The agents that follow it, as its file names them; of those that are usable, the first by its agent's name. Left out for none. */
  next: z.array(z.string()).min(1).optional(),
  /** Left out: any text. */
  input: InputContract.optional(),
  /** Left out: a report as its prompt asks for. */
  output: OutputContract.optional(),
  /** Leads are offered it as a tool of its own, `agent__NAME`; left out: not. */
  exposeAsTool: z.literal(true).optional(),
  /** A sub-agent is told the project's instructions too; left out: leads alone are. */
  projectInstructions: z.literal(true).optional(),
  /** Of a composition; left out for a single agent. */
  flow: FlowDefinition.optional(),
  systemPrompt: z.string().min(1),
  /** Keys of the file that begin with `x-`, which Triad does not read; left out for none. */
  extra: z.record(z.string(), z.unknown()).optional(),
  enabled: z.boolean(),
  lifecycle: z.enum(['permanent', 'temporary']),
  source: z.enum(['builtin', 'user', 'project', 'spawned']),
  sourcePath: z.string().nullable(),
  /** SHA-256 of the file's text, in hex. */
  hash: z.string().nullable(),
});
export type AgentDefinition = z.infer<typeof AgentDefinition>;

/** An error or a warning in a file. */
export const Fault = z.object({
  /** Line and column in the file, both from 1. */
  line: z.int(),
  column: z.int(),
  /** Null if the fault does not belong to one key. */
  key: z.string().nullable(),
  /** In English; `says` has it as phrases, of which the texts stand one behind the other: a version without them left it out. */
  message: z.string(),
  says: z.array(Phrase).optional(),
  /** The nearest valid key or value. */
  suggestion: z.string().nullable(),
});
export type Fault = z.infer<typeof Fault>;

/** The result of checking one agent file. */
export const AgentReport = z.object({
  file: z.string(),
  /** Null if the file does not name it. */
  name: z.string().nullable(),
  source: z.enum(['builtin', 'user', 'project']),
  ok: z.boolean(),
  errors: z.array(Fault),
  warnings: z.array(Fault),
  /** The agents that always follow it, in order: it never runs without them. Left out where there are none. */
  chain: z.array(z.string()).optional(),
  /** Of a composition; left out for a single agent. */
  flow: FlowDefinition.optional(),
});
export type AgentReport = z.infer<typeof AgentReport>;

/** One agent file of a folder: its content, and whether it is in effect. */
export const AgentFile = AgentReport.extend({
  /** Null for a file with faults, as are the next ones. */
  description: z.string().nullable(),
  role: AgentDefinition.shape.role.nullable(),
  model: z.string().nullable(),
  state: z.enum(['usable', 'overridden', 'disabled', 'untrusted', 'faulty']),
  /** The file that overrides it; null if none does. */
  overriddenBy: z.string().nullable(),
  /** The format of the file. */
  dialect: z.enum(['triad', 'claude', 'opencode']),
});
export type AgentFile = z.infer<typeof AgentFile>;

/** Value of one key of an agent's file, as a form has it; null for a key that is not there. */
export const AgentValue = z.union([z.string(), z.number(), z.boolean(), z.array(z.string()), z.null()]);
export type AgentValue = z.infer<typeof AgentValue>;

/** An agent file as the editor loads it. */
export const AgentText = z.object({
  file: z.string(),
  source: z.enum(['builtin', 'user', 'project']),
  /** Line ends are LF; saving keeps the line ends of the file. */
  text: z.string(),
  /** SHA-256 of the text on disk, with that of its prompt file, in hex; null where there is no such file yet. */
  hash: z.string().nullable(),
  /** Null if it can be saved; else the reason (built in, or another tool's file). */
  readOnly: z.string().nullable(),
  /** Absent if the text names no file. */
  prompt: AgentPromptFile.optional(),
});
export type AgentText = z.infer<typeof AgentText>;

/** The faults of a text, and its keys for a form. */
export const AgentLint = z.object({
  text: z.string(),
  report: AgentReport,
  /** Values by key, the prompt as `prompt`; null if the text cannot be parsed, so that only the text can be edited. */
  values: z.record(z.string(), AgentValue).nullable(),
  /** The prompt file with its unsaved text; absent if the text names no file. */
  prompt: AgentPromptFile.extend({ isChanged: z.boolean() }).optional(),
});
export type AgentLint = z.infer<typeof AgentLint>;

/** `chain`: a stage that follows a sub-agent; `coagent`: it reviews or continues what another run does. */
export const RunKind = z.enum(['lead', 'spawn', 'delegate', 'parallel', 'chain', 'coagent']);
export type RunKind = z.infer<typeof RunKind>;

/** Put in words where it is shown: the first number that is formatted takes 15 ms. */
const atMost = (kind: keyof typeof MAX_BUDGET) => ({
  error: () => `is more than a limit may be: at most ${MAX_BUDGET[kind].toLocaleString('en-US')}`,
});

/**
 * Limits of a run or a workflow, checked before each model request; a missing one is unlimited.
 * `tokens` counts all input and output; `minutes` is working time, without waiting for people or slots: when it is up,
 * what works is aborted.
 */
export const Budget = z.strictObject({
  tokens: z.int().min(1).max(MAX_BUDGET.tokens, atMost('tokens')).optional(),
  costUsd: z.number().positive().max(MAX_BUDGET.costUsd, atMost('costUsd')).optional(),
  minutes: z.number().positive().max(MAX_BUDGET.minutes, atMost('minutes')).optional(),
  iterations: z.int().min(1).max(MAX_BUDGET.iterations, atMost('iterations')).optional(),
});
export type Budget = z.infer<typeof Budget>;

/** A limit that is lower than what the agent's definition or the settings ask for; both of them positive. */
export const CutLimit = z.strictObject({
  limit: z.enum(['maxIterations', 'maxTokens']),
  wanted: z.int().positive(),
  most: z.int().positive(),
});
export type CutLimit = z.infer<typeof CutLimit>;

/** Name of an MCP server: part of the names of its tools, `mcp__SERVER__TOOL`. */
export const McpServerName = z
  .string()
  .min(1)
  .max(MAX_MCP_SERVER_CHARS)
  .regex(
    /^[a-zA-Z0-9](?:[a-zA-Z0-9-]|_(?!_))*$/,
    'must begin with a letter or digit and have only letters, digits, "-" and single "_"',
  );

/** A tool of an MCP server as a run gets it. What the server says of it is data: it allows nothing. */
export const McpTool = z.strictObject({
  /** `mcp__SERVER__TOOL`, as models know it. */
  name: z.string(),
  /** As its server knows it; null: the one that reads the server's resources. */
  tool: z.string().nullable(),
  description: z.string(),
  /** The JSON schema of its arguments. */
  inputSchema: z.record(z.string(), z.unknown()),
  /** What its calls need, as the person classes the server. */
  permissions: z.array(Permission),
});
export type McpTool = z.infer<typeof McpTool>;

/** An MCP server with the tools of it that a run gets. */
export const McpOffer = z.strictObject({
  server: McpServerName,
  /** Its command with all arguments, or its address. */
  runs: z.string(),
  /** SHA-256 in hex of its configuration as it is written, without the values of secrets. */
  config: z.string(),
  /** In order of name. */
  tools: z.array(McpTool),
});
export type McpOffer = z.infer<typeof McpOffer>;

/** A file of the project that tells agents how to work in it, as it was when it was trusted. */
export const ProjectInstruction = z.strictObject({
  /** Relative to the folder. */
  path: z.string(),
  /** SHA-256 in hex of the whole file. */
  hash: z.string(),
  /** What of it reaches the prompt. */
  text: z.string(),
  /** Set where the text is only its beginning. */
  cut: z.literal(true).optional(),
});
export type ProjectInstruction = z.infer<typeof ProjectInstruction>;

/** The surroundings of a workflow, read at its start or at that of an earlier workflow of its conversation on the same date and branch. */
export const Environment = z.strictObject({
  /** Node's name of the platform, such as `linux`. */
  platform: z.string(),
  /** Null where no commands can be run. */
  shell: z.string().nullable(),
  /** Local date, YYYY-MM-DD. */
  date: z.string(),
  /** IANA name, such as `Europe/Paris`. */
  timeZone: z.string(),
  /** The repository around the folder; null for none. `branch`: null with a detached head. `isClean`: null if unknown. */
  git: z.strictObject({ branch: z.string().nullable(), isClean: z.boolean().nullable() }).nullable(),
  /** Top-level names of the folder, sorted, folders with a slash. */
  entries: z.array(z.string()),
  /** Number of further top-level names. */
  moreEntries: z.int().nonnegative(),
});
export type Environment = z.infer<typeof Environment>;

/**
 * Origin of a model. `override`: the call that starts the agent. `person`: a message or an approval. `definition`: the file
 * of the agent. `lead`: the model of the lead. `default`: the provider or the settings.
 */
export const ModelOrigin = z.enum(['override', 'person', 'definition', 'lead', 'default']);
export type ModelOrigin = z.infer<typeof ModelOrigin>;

/** What a coagent is built from: all but its prompt, which it is handed while the run that it serves goes on. */
export const Coagent = z.strictObject({
  agent: AgentName,
  definitionHash: z.string().nullable(),
  systemPrompt: z.string().max(MAX_PROMPT_CHARS),
  provider: z.string(),
  model: z.string().min(1),
  modelOrigin: ModelOrigin.optional(),
  maxTokens: z.int().min(1).max(1_000_000),
  effort: Effort.nullable(),
  /** Left out where its definition names none, or the endpoint has none. */
  temperature: Temperature.optional(),
  /** Sorted, after inheritance. */
  tools: z.array(z.string()),
  mcpServers: z.array(z.string()),
  /** What is approved of each of them; left out where there is none. */
  mcp: z.array(McpOffer).optional(),
  permissions: z.array(Permission),
  /** The workspace folder; tools read and write only below it. */
  folder: z.string(),
  limits: z.strictObject({
    maxIterations: z.int().min(1).max(MAX_ITERATIONS),
    inactivityMs: z.int().min(1000),
    /** Left out where it is `DOOM_LOOP_THRESHOLD`. */
    doomLoopThreshold: DoomLoopThreshold.optional(),
    /** Left out if only the iterations are limited. */
    budget: Budget.omit({ iterations: true }).optional(),
  }),
  approvalMode: ApprovalMode,
  /** Permissions and tool names of the definition's `approval` list; left out if empty. */
  requiresApproval: z.array(z.string()).optional(),
  /** Time to answer its approvals, in milliseconds, if its definition sets one. */
  approvalTimeoutMs: z.int().positive().optional(),
  /** Left out where the run does not review itself. */
  reflection: Reflection.optional(),
  /** Whether a sub-agent may search what others of its workflow have reported; left out where it may not. */
  seesReports: z.literal(true).optional(),
  /** Tools that another program's file names for it, and that are not there; left out if there are none. */
  lacks: z.array(z.string()).optional(),
  /** What the settings or the model cut; left out if nothing. */
  cut: z.array(CutLimit).optional(),
  /** What its last message must be; left out where it may be anything. */
  output: OutputExpectation.optional(),
  /** Nearest first; left out where there are none. */
  instructions: z.array(ProjectInstruction).optional(),
  /** Absent in an envelope that no workflow runs, such as a preview. */
  environment: Environment.optional(),
});
export type Coagent = z.infer<typeof Coagent>;

/** How a run and its coagent take turns. */
export const Flow = z.strictObject({
  type: ControlFlow,
  rounds: Rounds,
  /** The agent whose prompt the run has; the run itself goes by its composition's name. */
  primary: z.string(),
  /** Left out where the run goes on alone. */
  coagent: Coagent.optional(),
  handoff: HandoffPrompt,
});
export type Flow = z.infer<typeof Flow>;

/** What a stage is built from: its prompt is what the run before it gave. */
export const Stage = Coagent.extend({ flow: Flow.optional() });
export type Stage = z.infer<typeof Stage>;

/** Everything a run is built from, fully resolved: no ids, no times, no references. An approval binds its hash. */
export const Envelope = Stage.extend({
  prompt: z.string().min(1).max(MAX_PROMPT_CHARS),
  /** Set if the prompt must be JSON, and for its schema. */
  input: InputContract.optional(),
  /** What follows it, in order. */
  stages: z.array(Stage).max(MAX_CHAIN_STAGES),
  /** The agents that its prompt lists; absent for a run that starts none. */
  agents: z.array(z.strictObject({ name: z.string(), description: z.string() })).optional(),
  /** Number of further agents that its run can start and that its prompt does not list; absent for none. */
  moreAgents: z.int().positive().optional(),
});
export type Envelope = z.infer<typeof Envelope>;

export const AgentSummary = AgentDefinition.pick({
  name: true,
  description: true,
  role: true,
  provider: true,
  model: true,
  tools: true,
  permissions: true,
  enabled: true,
  source: true,
  sourcePath: true,
}).extend({
  /** The permissions that its calls can need: of its tools, as far as its own bound them; null where both are its lead's. */
  needs: z.array(Permission).nullable(),
  chain: AgentReport.shape.chain,
  flow: AgentReport.shape.flow,
});
export type AgentSummary = z.infer<typeof AgentSummary>;

/** Every bound of the product, once: code, schema, tool descriptions and screens take them from here. */

/** Sub-agents that one workflow may start; a setting may lower it, nothing may raise it. */
export const MAX_SUB_AGENTS = 3;

/** Levels of agents: the lead has depth 0, a sub-agent 1; depth 2 is refused. */
export const MAX_AGENT_DEPTH = 2;

/** Refusal of a sub-agent's attempt to start another; always this sentence. */
export const DEPTH_REFUSAL = `Maximum agent depth (${MAX_AGENT_DEPTH}) exceeded: only the primary agent can start sub-agents; sub-agents cannot start others`;

/** Stages that follow a sub-agent in its chain. */
export const MAX_CHAIN_STAGES = 5;
/** Answers that an agent with a coagent, or in a loop, may give: by default, and at most. */
export const DEFAULT_FLOW_ROUNDS = { hitl: 1, loop: 3, judge: 3, smart: 3, chat: 10 } as const;
export const MAX_FLOW_ROUNDS = 50;
/** Largest JSON schema of an agent's input or output, in characters of JSON. */
export const MAX_SCHEMA_CHARS = 20_000;
/** A project's instructions for agents that reach a prompt, in bytes of UTF-8, all files together. */
export const MAX_INSTRUCTION_BYTES = 64 * 1024;

/** Longest user message and longest prompt of a sub-agent, in UTF-16 code units. */
export const MAX_PROMPT_CHARS = 4_000_000;
export const MAX_NAME_CHARS = 128;
/** Largest event, line or whole body of a response of a model endpoint, and largest line of an ACP client, in bytes. */
export const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;
/** Longest line of a command's output, in bytes. The rest of a longer line is dropped. */
export const MAX_OUTPUT_LINE_BYTES = 1024 * 1024;
/** Longest list of agents in the prompt of a lead, in tokens by estimate; before agents are left out, descriptions are cut. */
export const MAX_AGENT_LIST_TOKENS = 4000;
export const MIN_LISTED_DESCRIPTION_CHARS = 80;
/** Most tokens, by estimate, that the tools of MCP servers and of agents have in one request. */
export const MAX_ADDED_TOOL_TOKENS = 25_000;
/** Name of an MCP server, in characters. */
export const MAX_MCP_SERVER_CHARS = 40;
/** MCP servers of one file. */
export const MAX_MCP_SERVERS = 50;
/** Stored task description, in code units, cut at a code point. */
export const MAX_TASK_CHARS = 10_000;
/** Report handed to the lead, in bytes of UTF-8; the whole stays in the history. */
export const MAX_REPORT_BYTES = 50 * 1024;
/** Shown summary of a report, in code points. */
export const SUMMARY_CHARS = 100;

export const DEFAULT_MAX_CONCURRENT = 3;
/** Limits of a sub-agent and of a whole workflow that the settings do not change. */
export const DEFAULT_RUN_LIMITS = { iterations: 40, costUsd: 2 } as const;
export const DEFAULT_WORKFLOW_LIMITS = { iterations: 100, costUsd: 10 } as const;
export const MAX_ITERATIONS = 200;
/** Most that a budget may allow, also after it was raised. */
export const MAX_BUDGET = {
  tokens: 1_000_000_000_000,
  costUsd: 1_000_000,
  minutes: 1_000_000,
  iterations: 1_000_000,
} as const;
/** Retries after a failed review: the default, and the most that an agent file may set. */
export const DEFAULT_REFLECTION_RETRIES = 1;
export const MAX_REFLECTION_RETRIES = 5;
/** Output tokens of one answer by default: of a model with an unknown maximum, and at most of the others. */
export const DEFAULT_MAX_TOKENS = 8192;
export const MAX_DEFAULT_OUTPUT = 32_000;
/** The highest temperature that servers of models take. */
export const MAX_TEMPERATURE = 2;
export const DEFAULT_MODEL = 'sonnet';
/** Identical calls in a row after which the model is told, and as many again after which the run ends: default and bounds. */
export const DOOM_LOOP_THRESHOLD = 3;
export const MIN_DOOM_LOOP_THRESHOLD = 2;
export const MAX_DOOM_LOOP_THRESHOLD = 100;
/** Time for an answer to an approval, in milliseconds; then the answer is no. */
export const APPROVAL_TIMEOUT_MS = 300_000;
/** Questions of one run that are open at once; the rest queue. */
export const MAX_OPEN_QUESTIONS = 20;
/** How long an approval waits after the last client that could answer has left, in milliseconds. */
export const ANSWERER_GRACE_MS = 60_000;
/** A run is stopped after this long without output from its model or tools, in milliseconds. */
export const INACTIVITY_MS = 300_000;
/** At most this much streamed text is lost by a crash, in milliseconds. */
export const CHECKPOINT_MS = 500;
/** Wait before a failed model request is sent again: the first one, doubled for each further one, and the longest; in milliseconds. */
export const RETRY_DELAY_MS = 500;
export const MAX_RETRY_DELAY_MS = 30_000;
/** Tries of a request to an endpoint that has never answered this installation, or that asks for payment. */
export const FIRST_ANSWER_TRIES = 3;
/** Times that a request is sent again by itself after the inactivity limit; each is paid. */
export const MAX_SILENT_REPEATS = 2;
/** Silence of a model request that is shown, in milliseconds. */
export const SHOW_SILENCE_MS = 30_000;
/** Longest wait for a provider while no client is attached, in minutes. */
export const UNATTENDED_WAIT_MINUTES = 15;
/** Greater than every event number. */
export const MAX_SEQ = 2 ** 52;
/** Days that a deleted conversation stays in the trash. */
export const TRASH_DAYS = 30;
/** Longest note of an agent's memory, in code units, and how many notes one agent may keep in one folder. */
export const MAX_MEMORY_CHARS = 20_000;
export const MAX_MEMORY_NOTES = 200;
/** Most questions that an agent asks the person at once, and most choices of one. */
export const MAX_QUESTIONS = 5;
export const MAX_CHOICES = 10;
/** Most items of a plan. */
export const MAX_PLAN_ITEMS = 50;
/** Concurrent model requests of sub-agents per provider. */
export const PROVIDER_CONCURRENCY = { local: 1, anthropic: 3, openai: 5 } as const;

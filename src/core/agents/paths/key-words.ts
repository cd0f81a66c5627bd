/** What the keys of agents and compositions do, in the words of the documentation, whose pages are named as `docs/NAME.md`. */

/** The first word of the paths of a kind of file. */
export type PathRoot = 'agents' | 'compositions';

const AGENTS: Readonly<Record<string, string>> = {
  name: 'By what the lead and you call it: letters, digits, spaces, `_`, `.` and `-`.',
  description: 'The lead reads it to decide when to use the agent.',
  role: '`primary` leads conversations (`triad run --agent NAME`) and cannot be delegated to. Not given: `subagent`.',
  model:
    "`sonnet`, `haiku`, `opus`, or the id of a model. Not given: the lead's; for a lead the default of the settings.",
  effort: 'How much the model should think.',
  max_tokens:
    'Of one answer; never more than its model writes. Not given: that maximum up to 32000, or 8192 if it is unknown.',
  temperature: 'Sent to model servers on this machine alone (see below). Not given: as the server has it.',
  max_iterations:
    'Model requests until it has to end; never more than `limits.max_iterations_ceiling`. Not given: `limits.run.max_iterations`.',
  max_minutes:
    'Minutes that it may work, without waiting; then it is stopped, and reports what it has. Not given: as the settings say.',
  doom_loop_threshold:
    'Identical calls in a row after which it is told to do something else; after as many again it ends. Not given: `limits.doom_loop_threshold`.',
  tools:
    "See docs/tools.md. One that the lead lacks is refused. Not given: all of the lead's but those that start agents.",
  mcp_servers:
    'Names of servers (docs/mcp.md) all of whose tools it may use; one that the lead lacks is refused. Not given: as `tools` says.',
  permissions:
    'Tools that need more are not given. One that the lead lacks is refused. Not given: what the tools need.',
  requires_approval: 'Calls that need them ask a person, whatever a rule allows; it can only add questions.',
  approval_timeout:
    'Seconds that a question of this agent waits for an answer; then the answer is no. Not given: as the settings say.',
  enable_reflection:
    'It reviews its own answer before it hands it over: see docs/agents.md#agents-that-review-themselves. Not given: `false`.',
  max_retries: 'How often it improves an answer that its review did not pass. Not given: 1.',
  reflection_criteria:
    'What its answer is held against. Not given: that it does all that the task asks for, and is right.',
  enabled: '`false` keeps the file, and nobody is offered the agent.',
  next: 'Who always follows it, started with its last message; of a list the first. See docs/compositions.md#chains.',
  input_format: 'What it takes as its prompt, with `input_schema` for `json`. See docs/compositions.md#contracts.',
  input_schema: 'What must be in the JSON that it takes.',
  output_format: 'What its last message is, checked before it ends. Not given: a report.',
  output_schema: 'What must be in the JSON that it gives.',
  expose_as_tool: 'Leads get a tool of its own for it, `agent__NAME`. Not given: `false`.',
  project_instructions:
    'It is told what the project tells agents: see docs/agents.md#what-a-project-tells-agents. Not given: leads alone are.',
  prompt:
    'In TOML alone: the system prompt, or the file that it is in, as in `{ file = "NAME.md" }`. In Markdown it is the text below the frontmatter.',
};

const COMPOSITIONS: Readonly<Record<string, string>> = {
  'agent.name': 'By what it is called; no agent may have it.',
  'agent.description': 'The lead and you read it to decide when to use it.',
  'composition.primary': 'The agent whose prompt, role, model, tools, limits, reviews and chain it has.',
  'composition.coagent': 'The agent that looks at its work.',
  'control_flow.type': 'How the two take turns: see docs/compositions.md#levels.',
  'control_flow.max_iterations': 'Of a loop: most answers.',
  'control_flow.max_rounds': 'Of a judge or a smart: most answers.',
  'control_flow.max_turns': 'Of a chat: most answers.',
  'handoff.type': 'What the text is: see docs/compositions.md#handoffs. Not given: static.',
  'handoff.text': 'What the coagent is told.',
  'handoff.template': 'The text of a handoff of the type template.',
  'handoff.generator_prompt': 'The text of a handoff of the type generated.',
};

export const KEY_WORDS: Readonly<Record<PathRoot, Readonly<Record<string, string>>>> = {
  agents: AGENTS,
  compositions: COMPOSITIONS,
};

/**
 * What is said of a file that defines an agent: phrases as those of `approvals/phrases.ts`, which they are a part of. A fault
 * is one of them, or several that stand one behind the other: what it is about, what is wrong, what becomes of it.
 */
import type { CutLimit } from '../agent.ts';
import { cutText } from '../cut-limits-text.ts';

type Nothing = Record<string, never>;
/** `item`: from 0, in a list; null for a value as a whole. */
interface Place {
  key: string;
  item: number | null;
}

const placeText = ({ key, item }: Place): string => (item === null ? key : `${key} (item ${item + 1})`);

/** Before what is wrong: what it is about. */
const heads = {
  value: (place: Place) => `${placeText(place)} `,
  named: ({ name, ...place }: Place & { name: string }) => `${placeText(place)} ${name}: `,
  key_prompt: ({ key }: { key: string }) => `${key}: `,
  refused: ({ path }: { path: string }) => `${path} is refused: `,
};

/** Behind what is wrong: what becomes of it. */
const tails = {
  or_left_out: (_: Nothing) => ', or be left out',
  omitted: (_: Nothing) => ': left out',
  mention_left_out: (_: Nothing) => '; it is left out',
  leads_is_used: (_: Nothing) => ": the lead's is used",
};

/** Behind the name of a value: what it must be. */
const rules = {
  is_missing: (_: Nothing) => 'is missing',
  be_text: (_: Nothing) => 'must be text',
  not_empty: (_: Nothing) => 'must not be empty',
  one_of: ({ values }: { values: string }) => `must be one of ${values}`,
  whole: (_: Nothing) => 'must be a whole number',
  whole_in: ({ min, max }: { min: number; max: number }) => `must be a whole number from ${min} to ${max}`,
  at_least: ({ min }: { min: number }) => `must be at least ${min}`,
  at_most: ({ max }: { max: number }) => `must be at most ${max}`,
  number_in: ({ min, max }: { min: number; max: number }) => `must be a number from ${min} to ${max}`,
  minutes_in: ({ max }: { max: number }) => `must be a number above 0, at most ${max}`,
  flag: (_: Nothing) => 'must be true or false',
  longer: ({ max }: { max: number }) => `is longer than ${max} characters`,
  agent_name: ({ max }: { max: number }) =>
    `must have 1 to ${max} letters, digits, spaces, "_", "." or "-", and begin with a letter or digit`,
  provider_name: (_: Nothing) => 'is not the name of a provider',
  server_name: (_: Nothing) => 'is not the name of an MCP server',
  tool_list: (_: Nothing) => 'must be a list of tool names, such as [read_file, grep]',
  server_list: (_: Nothing) => 'must be a list of names of MCP servers, such as [github, memory]',
  permission_list: (_: Nothing) => 'must be a list of permissions, such as [FilesystemRead, FilesystemWrite]',
  approval_list: (_: Nothing) => 'must be a list of permissions and tool names, such as [FilesystemWrite]',
  foreign_servers: (_: Nothing) => 'must be a list of names of servers',
  criteria: (_: Nothing) => 'must be text, or a list of texts, none of them empty',
  next_empty: (_: Nothing) => 'must name an agent, or be left out',
  next_names: (_: Nothing) => 'must be the name of an agent, or a list of names',
  schema: (_: Nothing) => 'must be a JSON Schema: its keys, or JSON text',
  json_object: (_: Nothing) => 'must be a JSON object',
  bad_json: ({ why }: { why: string }) => `is not valid JSON: ${why}`,
  too_deep: (_: Nothing) => 'is nested too deep',
  longer_json: ({ max }: { max: number }) => `is longer than ${max} characters of JSON`,
  slow_schema: (_: Nothing) => 'takes too long to read',
  async_schema: (_: Nothing) => 'must not be asynchronous: leave out $async',
  bad_schema: ({ why }: { why: string }) => `is not a valid JSON Schema: ${why}`,
  cut: ({ limit, wanted, most, model }: CutLimit & { model: string }) =>
    `is ${cutText({ limit, wanted, most }, model)}`,
};

/** Of a file as a whole, and of its keys. */
const files = {
  many_keys: ({ max }: { max: number }) => `the file has more than ${max} keys`,
  key_no_text: (_: Nothing) => 'a key must be plain text',
  unknown_key: ({ key }: { key: string }) => `unknown key ${key}`,
  unknown_in_section: ({ key, section }: { key: string; section: string }) => `unknown key ${key} in [${section}]`,
  unknown_section: ({ key }: { key: string }) => `unknown section or key ${key}`,
  no_section: ({ section }: { section: string }) => `${section} must be a section: write [${section}] above its keys`,
  other_section: ({ key, section }: { key: string; section: string }) => `${key} belongs into the section [${section}]`,
  said_above: ({ key, above }: { key: string; above: string }) =>
    `${key} says again what ${above} says above: keep one of them`,
  said_twice: ({ key, other }: { key: string; other: string }) =>
    `${key} says again what ${other} says: keep one of them`,
  bad_toml: ({ why }: { why: string }) => `the file is not valid TOML: ${why}`,
  bad_yaml: ({ why }: { why: string }) => `the frontmatter is not valid YAML: ${why}`,
  no_frontmatter: (_: Nothing) =>
    'the file must begin with frontmatter: a line `---`, the keys, and another line `---`',
  long_frontmatter: ({ max }: { max: number }) => `the frontmatter is longer than ${max} KiB`,
  frontmatter_no_keys: (_: Nothing) => 'the frontmatter must be keys with values',
  key_twice: ({ key }: { key: string }) => `the key ${key} stands here a second time`,
  empty_prompt: (_: Nothing) => 'the text below the frontmatter is the system prompt and must not be empty',
  long_prompt: ({ max }: { max: number }) => `the system prompt is longer than ${max} characters`,
  prompt_text: (_: Nothing) => 'system must be the text, inline between """ and """, or { file = "NAME.md" }',
  /** `key`: null for the text of the file. */
  unknown_variable: ({ key, name }: { key: string | null; name: string }) =>
    `${key ?? 'the system prompt'}: there is no variable {{${name}}}; for the text itself, write \\{{${name}}}`,
  unreadable: ({ why }: { why: string }) => `cannot be read: ${why}`,
  instructions_lead_out: (_: Nothing) => 'is not read: it is a link that leads out of the project',
  unreadable_folder: ({ why }: { why: string }) => `the folder cannot be read: ${why}`,
  many_files: ({ max }: { max: number }) => `only the first ${max} files of the folder are read`,
  many_folders: ({ max }: { max: number }) => `only the first ${max} folders in it are read`,
  /** In the program's own words: what others may write, and what to do. */
  unsafe: ({ what, remedy }: { what: string; remedy: string }) => `${what}: ${remedy}`,
  inline_prompt: (_: Nothing) => 'a prompt in a file of its own is for your own agents: write it inline here',
  prompt_outside: ({ file, folder }: { file: string; folder: string }) =>
    `${file} must be the name of a file in ${folder}`,
  prompt_leads_out: ({ file, folder }: { file: string; folder: string }) => `${file} leads out of ${folder}`,
  prompt_unreadable: ({ path, why }: { path: string; why: string }) => `${path} cannot be read: ${why}`,
  prompt_missing: ({ path }: { path: string }) => `there is no ${path}`,
};

/** Of what an agent is and has. */
const agents = {
  name_taken: ({ name, path }: { name: string; path: string }) => `the name ${name} is taken by ${path}`,
  name_of_agent: ({ name, path }: { name: string; path: string }) =>
    `the name ${name} is taken by the agent in ${path}`,
  lead_name: ({ name }: { name: string }) =>
    `name ${name} is the lead's: write \`role: primary\` to replace it, or take another name`,
  idle_reflection: ({ key }: { key: string }) => `${key} changes nothing without enable_reflection: true`,
  model_unknown: ({ model, known }: { model: string; known: string }) =>
    `model ${model} is not known: use ${known}, or the id of a model`,
  no_tool: ({ name, ...place }: Place & { name: string }) => `${placeText(place)} ${name} is not a tool`,
  no_permission: ({ name, ...place }: Place & { name: string }) =>
    `${placeText(place)} ${name} is not a permission or a tool`,
  idle_permission: ({ name, ...place }: Place & { name: string }) =>
    `${placeText(place)} ${name}: only tools of MCP servers that you class so need it, and a lead without one cannot give it`,
  tool_needs: ({ name, needs, ...place }: Place & { name: string; needs: string }) =>
    `${placeText(place)} ${name} needs ${needs}, which permissions does not have: the agent does not get it`,
  leads_tool: ({ name, starts, ...place }: Place & { name: string; starts: boolean }) =>
    `${placeText(place)} ${name} is for leads alone${starts ? ': sub-agents cannot start others' : ''}`,
  no_server: ({ server }: { server: string }) =>
    `there is no MCP server ${server} here: "triad mcp add ${server}" sets one up`,
  server_unused: ({ server }: { server: string }) =>
    `the MCP server ${server} is not used here: "triad mcp show ${server}" says why`,
  server_unasked: ({ server }: { server: string }) =>
    `the MCP server ${server} was never asked what it offers: "triad mcp test ${server}" does`,
  no_server_tool: ({ server }: { server: string }) => `the MCP server ${server} offers no such tool`,
  json_needs_schema: (_: Nothing) => 'input_format json needs input_schema, which says what it takes',
  /** `format`: null where none is given. */
  schema_needs_json: ({ side, format }: { side: string; format: string | null }) =>
    `${side}_schema needs ${side}_format: json${format === null ? '' : `, not ${format}`}`,
  for_started: ({ key }: { key: string }) => `${key} is for agents that a lead starts: this one has role primary`,
  idle_next: ({ first }: { first: string }) => `next: only the first entry, ${first}, is started; this one is not`,
  provider_missing: ({ provider, names }: { provider: string; names: string }) =>
    `${provider} is not there, but ${names}`,
  no_default_model: ({ provider }: { provider: string }) =>
    `${provider} has no model for agents that name none: name one, or set providers.${provider}.defaults.model`,
  cold: ({ address, provider, local }: { address: string; provider: string; local: boolean }) =>
    `temperature changes nothing at ${address}: ${
      local
        ? `it is sent only to a server on this machine that providers.${provider}.base_url names; effort says how much the model thinks`
        : `set supports_temperature under providers.${provider}.models where a model takes it`
    }`,
  model_disabled: ({ model, enabled }: { model: string; enabled: string }) =>
    `${model} is not enabled: models.enabled has ${enabled}`,
  model_unchecked: ({ model, address }: { model: string; address: string }) =>
    `${model} is not checked: ${address} has not given a list of its models`,
  model_unlisted: ({ model, address, day, some }: { model: string; address: string; day: string; some: string }) =>
    `${model} is not in the list of ${address} of ${day}, which has ${some}`,
  may_be_refused: (_: Nothing) => '; the endpoint may refuse it',
  /** In the words of another part of the program. */
  as_it_is: ({ words }: { words: string }) => words,
};

/** Of files of other programs. */
const foreign = {
  no_agent: (_: Nothing) => 'the file has no frontmatter: it is no agent',
  no_prompt: (_: Nothing) => 'there is no text below the frontmatter, which is the system prompt',
  no_name: (_: Nothing) => 'neither the name nor that of the file can name an agent',
  foreign_lead: ({ name }: { name: string }) => `name ${name} is the lead's: take another name`,
  no_counterpart: ({ key }: { key: string }) => `${key} has no counterpart here: it is kept, and changes nothing`,
  name_changed: ({ name }: { name: string }) => `name cannot be used as it is: it is ${name} here`,
  no_description: (_: Nothing) => 'description is missing: the first line of the prompt stands in for it',
  sub_agent_mode: ({ mode }: { mode: string }) => `mode ${mode}: it is a sub-agent here`,
  /** `model`: null where it has none that can be read. */
  foreign_model: ({ model, known }: { model: string | null; known: string }) =>
    `model ${model ?? 'of this form'} is not known: the lead's is used; known are ${known}, or the id of a model`,
  servers_within: (_: Nothing) =>
    'mcpServers defines servers in this file: only names of servers that are set up are used',
  foreign_tools: ({ names }: { names: string }) => `tools without a counterpart here, left out: ${names}`,
  foreign_leads: ({ names }: { names: string }) => `tools for leads alone, left out: ${names}`,
  tools_stay: ({ key, names }: { key: string; names: string }) => `${key} cannot take these away here: ${names}`,
  mode_asks: ({ mode }: { mode: string }) => `permissionMode ${mode} has no counterpart here: writing asks, as always`,
  other_permissions: ({ names }: { names: string }) => `permission has no counterpart here for: ${names}`,
  allow_asks: (_: Nothing) => 'permission allow has no counterpart here: writing asks, as always',
};

/** Of what files name of each other. */
const links = {
  no_such_agent: (_: Nothing) => 'there is no such agent',
  disabled_in: ({ path }: { path: string }) => `it is disabled in ${path}`,
  overridden: ({ path, by }: { path: string; by: string }) => `${path} is overridden by ${by}`,
  is_composition: (_: Nothing) => 'it is a composition itself: name an agent',
  is_followed: (_: Nothing) => 'another agent follows it (next): a coagent stands alone',
  judge_reads: ({ names }: { names: string }) => `a judge only reads, so it does not get ${names}`,
  coagent_lacks: ({ names, primary }: { names: string; primary: string }) =>
    `it names ${names}, which ${primary} does not have: a run is refused for it`,
  stage_lacks: ({ stage, names, first }: { stage: string; names: string; first: string }) =>
    `next: ${stage} names ${names}, which ${first} does not have: a run is refused for it`,
  follows_nobody: (_: Nothing) => 'it leads conversations, and follows nobody',
  recursion: ({ round }: { round: string }) => `recursion in chain: ${round}`,
  long_chain: ({ length, max }: { length: number; max: number }) =>
    `next: ${length} agents would follow one after another, and at most ${max} can`,
  takes_json: ({ next, format }: { next: string; format: string }) =>
    `next ${next}: it takes JSON, so output_format ${format} does not count`,
  reason_unfit: ({ text }: { text: string }) =>
    `its input_schema requires a "reason" that no text of ours fits ("${text}")`,
  /** Types of JSON Schema, with ` or ` between them. */
  types_apart: ({ takes, gives }: { takes: string; gives: string }) =>
    `it takes ${takes}, and output_schema gives ${gives}`,
  property_missing: ({ name }: { name: string }) => `it requires "${name}", which output_schema does not have`,
  property_untaken: ({ name }: { name: string }) => `it takes no "${name}", which output_schema requires`,
  property_apart: ({ name, takes, gives }: { name: string; takes: string; gives: string }) =>
    `it takes "${name}" as ${takes}, and output_schema gives ${gives}`,
  hitl_coagent: (_: Nothing) =>
    'composition.coagent is asked nothing in a hitl: leave it out, or take another control_flow.type',
  needs_coagent: ({ type }: { type: string }) => `control_flow.type ${type} needs a coagent: name one in [composition]`,
  hitl_bound: ({ key }: { key: string }) => `${key} bounds nothing in a hitl, which ends with the first whole answer`,
  no_bound: ({ key, type }: { key: string; type: string }) => `${key} does not bound a ${type}`,
  handoff_text: (_: Nothing) => 'handoff.type needs handoff.text',
  handoff_type: ({ key, type }: { key: string; type: string }) =>
    `${key} is not of a handoff of type ${type}: write it as handoff.text`,
  hitl_handoff: ({ key }: { key: string }) => `${key} is told nobody in a hitl: leave [handoff] out`,
  idle_variable: ({ key, name, type }: { key: string; name: string; type: string }) =>
    `${key}: {{${name}}} stays as it is in a handoff of type ${type}: variables are those of the type template`,
};

export const FAULTS = { ...heads, ...tails, ...rules, ...files, ...agents, ...foreign, ...links } as const;

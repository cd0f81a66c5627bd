/** What serves a run, resolved from the run's own envelope: its coagent, and the stages that follow it. Each only narrows it. */
import type { AgentDefinition, Coagent, Envelope, Flow, Stage } from '#contract/agent.ts';
import type { OutputExpectation } from '#contract/flows/control-flow.ts';
import { MAX_CHAIN_STAGES } from '#contract/limits.ts';
import type { AgentRegistry } from '../agents/registry.ts';
import { chainedReason, expectationWords } from '../agents/contracts.ts';
import { narrowerMode, refuseChanged } from './envelopes/narrowing.ts';
import { TriadError } from '../base/errors.ts';

/** What an envelope is made with. */
export interface Kit {
  /** Of this definition for a run that serves the one with the envelope `parent`; throws where it names what that lacks. */
  child: (definition: AgentDefinition, parent: Envelope) => Envelope;
  /** With these of its tools. */
  only: <T extends Coagent>(part: T, tools: readonly string[]) => T;
  /** Returns true for a tool that changes nothing. */
  reads: (tool: string) => boolean;
}

/** Ends the work of who has it: the agent's own in a loop, the coagent's where that decides. */
export const DONE = 'task_complete';

/** With the coagent and the stages of its definition. */
export function withServing(
  envelope: Envelope,
  definition: AgentDefinition | null,
  agents: AgentRegistry,
  kit: Kit,
): Envelope {
  const chain = definition ? chainOf(definition, agents) : [];
  const whole = withFlow(withOutput(envelope, definition, chain[0] ?? null), definition, agents, kit);
  const stages = chain.map((next, index): Stage => {
    const own = kit.child(next, envelope);
    const {
      prompt: _,
      stages: __,
      ...stage
    } = withFlow(withOutput(own, next, chain[index + 1] ?? null), next, agents, kit);
    return stage;
  });
  return stages.length === 0 ? whole : { ...whole, stages };
}

function withFlow<T extends Envelope>(
  envelope: T,
  definition: AgentDefinition | null,
  agents: AgentRegistry,
  kit: Kit,
): T {
  if (!definition?.flow) return envelope;
  const { type, rounds, primary, coagent: name, handoff } = definition.flow;
  const own = type === 'loop' ? kit.only(envelope, [...envelope.tools, DONE]) : envelope;
  const base = { type, rounds, primary, handoff };
  if (name === null) return { ...own, flow: base };
  const { prompt: _, stages: __, flow: ___, ...coagent } = kit.child(mustFind(agents, name), own);
  return { ...own, flow: { ...base, coagent: kit.only(coagent, coagentTools(type, coagent.tools, kit)) } };
}

/**
 * After an edit of the person: what was taken from the run is taken from all that serves it too, and they ask as much as it
 * does. The same holds for a stage and its coagent. What was given to the run beyond what was asked is its own.
 */
export function servedWithin(edited: Envelope, asked: Envelope, kit: Kit): Envelope {
  const stages = edited.stages.map((stage, index) => {
    const own = narrowPart(stage, { edited, asked, kit });
    return narrowCoagent(own, { edited: own, asked: asked.stages[index] ?? own, kit });
  });
  return { ...narrowCoagent(edited, { edited, asked, kit }), stages };
}

/** A run before and after an edit of the person. */
interface EditedRun {
  edited: Coagent;
  asked: Coagent;
  kit: Kit;
}

/** Takes from an agent what the run that it serves has lost. */
function narrowPart<T extends Coagent>(part: T, { edited, asked, kit }: EditedRun): T {
  const taken = asked.tools.filter((tool) => tool !== DONE && !edited.tools.includes(tool));
  const kept = part.tools.filter((tool) => !taken.includes(tool));
  const cut = kept.length === part.tools.length ? part : kit.only(part, kept);
  return { ...cut, approvalMode: narrowerMode(part, edited) };
}

function narrowCoagent<T extends Stage>(part: T, run: EditedRun): T {
  return part.flow?.coagent ? { ...part, flow: { ...part.flow, coagent: narrowPart(part.flow.coagent, run) } } : part;
}

/**
 * Applies the edits of the coagents and stages of an envelope. Throws `bad_input` if their agents or their turns differ from
 * the request.
 */
export function editServing(
  value: Pick<Envelope, 'flow' | 'stages'>,
  asked: Pick<Envelope, 'flow' | 'stages'>,
  edit: <T extends Coagent>(part: T, asked: T) => T,
): Pick<Envelope, 'flow' | 'stages'> {
  const withCoagent = <T extends Pick<Stage, 'flow'>>(part: T, flow: Flow | undefined, before: Flow | undefined): T => {
    const turns = (one: Flow | undefined) => (one ? { ...one, coagent: one.coagent?.agent } : null);
    refuseChanged({ flow: turns(flow) }, { flow: turns(before) }, ['flow']);
    if (!flow?.coagent || !before?.coagent) return part;
    return { ...part, flow: { ...before, coagent: edit(flow.coagent, before.coagent) } };
  };
  const names = (stages: readonly Stage[]) => ({ stages: stages.map(({ agent }) => agent) });
  refuseChanged(names(value.stages), names(asked.stages), ['stages']);
  const stages = asked.stages.map((before, index) => {
    const stage = value.stages[index]!;
    return withCoagent(edit(stage, before), stage.flow, before.flow);
  });
  return withCoagent<Pick<Envelope, 'flow' | 'stages'>>({ stages }, value.flow, asked.flow);
}

/** A judge only reads; who decides that the work is done says so with a tool. */
function coagentTools(type: Flow['type'], tools: readonly string[], { reads }: Kit): string[] {
  const given = type === 'judge' ? tools.filter(reads) : tools;
  return type === 'loop' ? given.filter((tool) => tool !== DONE) : [...given, DONE];
}

/** The agents that follow a definition, in order. Links were resolved, and held against cycles, when the files were loaded. */
function chainOf(definition: AgentDefinition, agents: AgentRegistry): AgentDefinition[] {
  const chain: AgentDefinition[] = [];
  for (let name = definition.next?.[0]; name !== undefined; name = chain.at(-1)?.next?.[0]) {
    if (chain.length === MAX_CHAIN_STAGES)
      throw new TriadError('limit_reached', `${definition.name}: a chain has at most ${MAX_CHAIN_STAGES} stages`);
    chain.push(mustFind(agents, name));
  }
  return chain;
}

/** The agents that are started with this one: those that follow it, and the coagents of them all. */
export function servingNames(name: string, agents: AgentRegistry): string[] {
  const definition = agents.get(name);
  if (!definition) return [];
  const chain = chainOf(definition, agents);
  const coagents = [definition, ...chain].flatMap(({ flow }) => flow?.coagent ?? []);
  return [...new Set([...chain.map((stage) => stage.name), ...coagents])];
}

/** What the last message must be: as the next one in the chain takes it, or as its own file says; told in its system prompt. */
function withOutput<T extends Envelope>(
  envelope: T,
  definition: AgentDefinition | null,
  next: AgentDefinition | null,
): T {
  const output = expectationOf(definition, next);
  if (!output) return envelope;
  return { ...envelope, output, systemPrompt: `${envelope.systemPrompt}\n\n${expectationWords(output)}` };
}

export function expectationOf(
  definition: AgentDefinition | null,
  next: AgentDefinition | null,
): OutputExpectation | null {
  const declared = definition?.output;
  if (!next) return declared ?? null;
  const kept = declared ? { declared } : {};
  if (next.input?.format !== 'json')
    return { format: declared?.format === 'markdown' ? 'markdown' : 'text', schema: null, next: next.name, ...kept };
  const { schema } = next.input;
  const reason = chainedReason(schema, definition?.name ?? '');
  return { format: 'json', schema, next: next.name, ...(reason === null ? {} : { reason }), ...kept };
}

function mustFind(agents: AgentRegistry, name: string): AgentDefinition {
  const found = agents.get(name);
  if (found?.enabled) return found;
  throw new TriadError('not_found', `agent not found: "${name}"`);
}

/** Disabled and unknown agents are the same to a model: not found, with the names that can be used. */
export function delegate(agents: AgentRegistry, name: string): AgentDefinition {
  const definition = agents.lookup(name);
  if (definition && definition.role !== 'primary' && definition.lifecycle === 'permanent') return definition;
  const usable = agents.delegable().map((agent) => agent.name);
  throw new TriadError(
    'not_found',
    `agent not found: "${name}". The agents that can be used are: ${usable.join(', ') || 'none'}`,
  );
}

/**
 * Resolves what a run will have, once: tools after inheritance, model id, limits. A child only ever narrows its parent;
 * its limits are bounded by the settings and its model.
 */
import type { AgentDefinition, Envelope, Environment, McpOffer, Permission } from '#contract/agent.ts';
import type { LeadChoice } from '#contract/messages/sending.ts';
import { AgentRegistry } from '#core/agents/registry.ts';
import { isWithinPermissions, onlyReads } from '#core/agents/vocabulary.ts';
import { ceilingsOf, within } from '#core/agents/ceilings.ts';
import { toolsIn } from '#core/mcp/mcp-tool.ts';
import { agentTools } from '../agent-tools.ts';
import {
  boundedBy,
  checkInputContract,
  childIsTold,
  doomLoopOf,
  type EnvelopeParts,
  leadIsTold,
  promptOf,
  type LeadParts,
  questionsOf,
  startableAgents,
} from './envelope-parts.ts';
import { mcpOf, missingServers, wantedTools } from './mcp-narrowing.ts';
import {
  callsNone,
  childProvider,
  childWrites,
  chooseLeadModel,
  leadProvider,
  modelOf,
  temperatureOf,
} from './provider-choice.ts';
import { editEnvelope } from './edit-envelope.ts';
import { checkPermissions } from './narrowing.ts';
import { TriadError } from '#core/base/errors.ts';
import type { ModelRules } from '#core/model/model-rules.ts';
import { providerTraits } from '#core/model/provider-traits.ts';
import type { Settings } from '#core/settings/settings.ts';
import { delegate, type Kit, withServing } from '../serving.ts';
import type { ChildRequest } from '#core/tools/children.ts';
import { delegationRequest } from '#core/tools/sub-agent-tools.ts';
import { budgetOf, getRunLimits } from '../budget/limits.ts';
import type { ToolRegistry } from '#core/tools/registry.ts';
import { type Setup, writes } from '#core/tools/tool.ts';
import type { Capabilities } from '#contract/providers/provider.ts';

/** Prompt of an envelope whose prompt is not known yet: of a preview, a coagent or a stage. */
const UNKNOWN_PROMPT = '-';

interface EnvelopePorts {
  settings: Settings;
  tools: ToolRegistry;
  /** Names the active one: that of new leads whose definition names none. */
  provider: () => string;
  models: Pick<ModelRules, 'idFor' | 'searches' | 'capabilities' | 'maxTokens' | 'place'>;
}

export class Envelopes {
  readonly #ports: EnvelopePorts;
  readonly #settings: Settings;
  readonly #tools: ToolRegistry;
  readonly #models: EnvelopePorts['models'];

  constructor(ports: EnvelopePorts) {
    this.#ports = ports;
    this.#settings = ports.settings;
    this.#tools = ports.tools;
    this.#models = ports.models;
  }

  /**
   * Of who is talked to; the person's message is its prompt and needs no approval. An agent that leads nobody gets no
   * tools that start others, also here. `prompt`: null if there is none yet. `limits`, `offers` (the tools of MCP servers) and `agents`: those of the folder.
   */
  lead(
    definition: AgentDefinition,
    prompt: string | null,
    folder: string,
    limits = this.#settings.limits,
    offers: readonly McpOffer[] = [],
    agents = new AgentRegistry(),
    chosen: LeadChoice = {},
    environment?: Environment,
  ): Envelope {
    const input = prompt === null ? {} : checkInputContract(definition.name, definition.input, prompt);
    const parts = { prompt: prompt ?? UNKNOWN_PROMPT, folder, limits, offers, chosen, environment };
    const made = this.#with(offers, agents).#lead(definition, parts);
    const envelope = { ...made, ...input, ...leadIsTold(agents), ...startableAgents(made, this.#tools, agents) };
    return withServing(envelope, definition, agents, this.#kit(limits, agents));
  }

  #lead(definition: AgentDefinition, parts: LeadParts): Envelope {
    const { prompt, folder, limits, offers, chosen, environment } = parts;
    const provider = leadProvider(definition, chosen, this.#ports.provider());
    const all = this.#had(provider, definition.role === 'primary');
    const { leadWrites } = providerTraits(provider);
    const wanted = wantedTools(definition, this.#unnamed(all), { there: all, offers, whose: 'This folder' });
    const tools = this.#within(leadWrites, wanted.tools);
    this.#checkTools(definition.name, tools, all, 'Triad', { provider, offers });
    const { name, permissions } = definition;
    checkPermissions(name, permissions, provider, this.#tools.permissionsOf(all), 'Triad');
    return this.#build({
      definition,
      provider,
      prompt,
      folder,
      tools: this.#fitting(tools, permissions),
      systemPrompt: promptOf(definition, definition.name, folder, limits),
      ...chooseLeadModel(definition, chosen, provider),
      agent: definition.name,
      approvalMode: chosen.mode ?? this.#settings.permissions.mode,
      environment,
      limits,
      offers,
      lacks: wanted.lacks,
    });
  }

  /** A sub-agent's, from what its lead asked for and what the lead itself has. */
  child(request: ChildRequest, parent: Envelope, agents: AgentRegistry, limits = this.#settings.limits): Envelope {
    const definition = request.agent === null ? null : delegate(agents, request.agent);
    const envelope = this.#with(parent.mcp ?? []).#child(request, definition, parent, limits);
    const input = checkInputContract(envelope.agent, definition?.input, request.prompt);
    const told = { ...envelope, ...input, ...childIsTold(definition, parent, agents) };
    return withServing(told, definition, agents, this.#kit(limits, agents));
  }

  /** What serves a run is made like a child of it. */
  #kit(limits: Settings['limits'], agents = new AgentRegistry()): Kit {
    return {
      child: (definition, parent) => {
        const request = delegationRequest(definition.name, UNKNOWN_PROMPT, undefined);
        const envelope = this.#with(parent.mcp ?? []).#child(request, definition, parent, limits);
        return { ...envelope, ...childIsTold(definition, parent, agents) };
      },
      only: (part, tools) => {
        const kept = [...new Set(tools)].sort();
        const cut = { ...part, tools: kept, permissions: toolsIn(this.#tools, part).permissionsOf(kept) };
        delete cut.mcp;
        return Object.assign(cut, mcpOf(part.mcp ?? [], kept));
      },
      reads: (name) => onlyReads(this.#tools.get(name) ?? { permissions: ['Execute'] }),
    };
  }

  #child(
    request: ChildRequest,
    definition: AgentDefinition | null,
    parent: Envelope,
    limits: Settings['limits'],
  ): Envelope {
    const provider = childProvider(request, definition, parent, this.#models);
    // A request without a definition has a name: the tool's input requires it.
    const agent = request.name ?? definition!.name;
    const permissions = request.permissions ?? definition?.permissions ?? null;
    checkPermissions(agent, permissions, provider, parent.permissions, 'The lead');
    const own = this.#childTools(parent, provider);
    const { tools, lacks } = this.#childWants(request, definition, { parent, provider }, permissions);
    this.#checkTools(agent, tools, own, 'The lead', { provider, offers: parent.mcp });
    this.#checkTools(agent, tools, this.#fitting(own, permissions), 'Its permissions');
    return this.#build({
      definition,
      provider,
      agent,
      prompt: request.prompt,
      folder: parent.folder,
      tools,
      systemPrompt: request.systemPrompt ?? promptOf(definition, agent, parent.folder, limits),
      ...modelOf(request, definition, provider, parent),
      effort: request.effort,
      seesReports: request.seesReports,
      offers: parent.mcp ?? [],
      lacks,
      approvalMode: parent.approvalMode,
      environment: parent.environment,
      maxMinutes: request.maxMinutes,
      limits,
      parent,
    });
  }

  /** An edit of the person: complete, within what the parent has and the limits allow, in the same folder. */
  edited(
    value: unknown,
    asked: Envelope,
    parent: Envelope,
    bounds = this.#settings.limits,
  ): { value: Envelope; hash: string } {
    return this.#with(parent.mcp ?? []).#edited(value, asked, parent, bounds);
  }

  #edited(value: unknown, asked: Envelope, parent: Envelope, limits: Settings['limits']) {
    return editEnvelope(value, asked, parent, {
      limits,
      tools: this.#tools,
      models: this.#models,
      kit: this.#kit(limits),
      childTools: (provider) => this.#childTools(parent, provider),
      allTools: (tools, can, model) => this.#allTools(tools, can, model),
      checkTools: (agent, wanted, available, whose, provider) =>
        this.#checkTools(agent, wanted, available, whose, provider === undefined ? {} : { provider }),
      selectPermittedTools: (tools, permissions) => this.#fitting(tools, permissions),
    });
  }

  #build(parts: EnvelopeParts): Envelope {
    const { definition, parent, limits } = parts;
    const model = this.#models.idFor(parts.provider, parts.model ?? parts.usual);
    const can = this.#models.capabilities(parts.provider, model);
    const run = getRunLimits(limits, parent === undefined);
    const { cut, ...bounds } = within(
      {
        maxIterations: definition?.maxIterations ?? run.max_iterations,
        maxTokens: definition?.maxTokens ?? this.#models.maxTokens(parts.provider, model),
      },
      ceilingsOf(can.maxOutput, limits),
    );
    const budget = budgetOf(run);
    // A lead's own time stands still while it waits: it says nothing of how long a sub-agent may work.
    const minutes = parts.maxMinutes ?? definition?.maxMinutes ?? (parent && limits.child_minutes) ?? budget.minutes;
    const tools = this.#allTools(parts.tools, can, model);
    return {
      agent: parts.agent,
      definitionHash: definition?.hash ?? null,
      systemPrompt: parts.systemPrompt,
      prompt: parts.prompt,
      provider: parts.provider,
      model,
      modelOrigin: parts.modelOrigin,
      maxTokens: bounds.maxTokens,
      effort: can.thinking === false ? null : (parts.effort ?? definition?.effort ?? null),
      ...temperatureOf(definition, can),
      tools,
      ...mcpOf(parts.offers, tools),
      ...(parts.lacks.length > 0 ? { lacks: [...parts.lacks] } : {}),
      permissions: this.#tools.permissionsOf(tools),
      folder: parts.folder,
      limits: {
        maxIterations: bounds.maxIterations,
        inactivityMs: limits.inactivity_seconds * 1000,
        ...doomLoopOf(definition?.doomLoopThreshold ?? limits.doom_loop_threshold),
        ...boundedBy(minutes === undefined ? budget : { ...budget, minutes }),
      },
      approvalMode: parts.approvalMode,
      stages: [],
      ...questionsOf(definition, parent),
      ...(definition?.reflection ? { reflection: definition.reflection } : {}),
      ...(parts.seesReports ? { seesReports: true } : {}),
      ...(cut.length > 0 ? { cut } : {}),
      ...(parts.environment ? { environment: parts.environment } : {}),
    };
  }

  /** What tools that need something may count on. */
  setup(provider: string): Setup {
    return { search: this.#settings.web.search, providerSearches: this.#models.searches(provider) };
  }

  #missing(name: string, provider: string): string | null {
    return this.#tools.get(name)?.missing?.(this.setup(provider)) ?? null;
  }

  /** The tools that can be had here at all. */
  #had(provider: string, primary: boolean): string[] {
    return this.#tools.names(primary).filter((name) => this.#missing(name, provider) === null);
  }

  /** `provider`, `offers`: where a tool or a server may be missing because nothing is set up for it, which is said. */
  #checkTools(
    agent: string,
    wanted: readonly string[],
    available: readonly string[],
    whose: string,
    { provider, offers = [] }: { provider?: string; offers?: readonly McpOffer[] | undefined } = {},
  ): void {
    const missing = wanted.filter((name) => !available.includes(name));
    if (missing.length === 0) return;
    const notSetUp = missing.flatMap((name) => {
      const why = provider === undefined ? null : this.#missing(name, provider);
      return why === null ? [] : [`. ${name}: ${why}`];
    });
    throw new TriadError(
      'not_allowed',
      `${agent} asks for tools that it cannot have: ${missing.join(', ')}. ${whose} can give: ${available.join(', ')}${notSetUp.join('')}${missingServers(missing, offers)}`,
    );
  }

  /** Tools that need more than these permissions are not given. */
  #fitting(tools: readonly string[], permissions: readonly Permission[] | null): string[] {
    return tools.filter((name) => isWithinPermissions({ permissions: this.#permissionsOf(name) }, permissions));
  }

  #permissionsOf(name: string): readonly Permission[] {
    return this.#tools.get(name)?.permissions ?? [];
  }

  #childTools(parent: Envelope, provider: string): string[] {
    const isGiven = (name: string): boolean =>
      (parent.tools.includes(name) || this.#tools.get(name)?.onlyNamed === true) &&
      this.#missing(name, provider) === null;
    const given = this.#within(childWrites(parent.provider), this.#tools.names(false).filter(isGiven));
    return this.#fitting(given, parent.permissions);
  }

  /**
   * What a child asks for of what its lead has. What is named and the lead lacks is refused later; but what a definition
   * names of tools that need no permission, which work on the agent's own things alone, is left out.
   */
  #childWants(
    request: ChildRequest,
    definition: AgentDefinition | null,
    { parent, provider }: { parent: Envelope; provider: string },
    permissions: readonly Permission[] | null,
  ): { tools: string[]; lacks: string[] } {
    const { mcp = [] } = parent;
    const own = this.#childTools(parent, provider);
    const known = { there: this.#had(provider, false), offers: mcp, whose: 'The lead' };
    if (request.tools !== null) return wantedTools(request, own, known);
    const mcpServers = request.mcpServers ?? definition?.mcpServers ?? null;
    const naming = { tools: definition?.tools ?? null, mcpServers, lenient: definition?.lenient };
    const wanted = wantedTools(naming, this.#unnamed(own), known);
    const lent = wanted.tools.filter((name) => own.includes(name) || this.#tools.get(name)?.permissions.length !== 0);
    return { ...wanted, tools: this.#within(childWrites(parent.provider), this.#fitting(lent, permissions)) };
  }

  /** The same with these tools of MCP servers, and those of the agents, beside the program's own. */
  #with(offers: readonly McpOffer[], agents = new AgentRegistry()): Envelopes {
    const tools = toolsIn(this.#tools, { mcp: [...offers] }).with(agentTools(agents));
    return tools === this.#tools ? this : new Envelopes({ ...this.#ports, tools });
  }

  /** Of all tools those that an agent has which names none. */
  #unnamed(tools: readonly string[]): string[] {
    return tools.filter((name) => !this.#tools.get(name)?.onlyNamed);
  }

  /** Of the tools that write only these; null: all of them. */
  #within(writing: readonly string[] | null, tools: readonly string[]): string[] {
    const isWriting = (name: string): boolean => writes({ permissions: this.#permissionsOf(name) });
    return tools.filter((name) => writing === null || writing.includes(name) || !isWriting(name));
  }

  /** With the baseline, where the model calls tools. */
  #allTools(tools: readonly string[], can: Capabilities, model: string): string[] {
    const baseline = this.#tools.baseline();
    return callsNone(
      can,
      model,
      tools.filter((name) => !baseline.includes(name)),
    )
      ? []
      : [...new Set([...tools, ...baseline])].sort();
  }
}

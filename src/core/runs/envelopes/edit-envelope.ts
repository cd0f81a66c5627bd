/**
 * Applies an edit of the person to a requested envelope. The run itself stays within its lead, each coagent and stage
 * within its own request, and all of them within the limits.
 */
import { type ApprovalMode, type Coagent, Envelope, type McpOffer, type Permission } from '#contract/agent.ts';
import { cutIn } from '#contract/cut-limits-text.ts';
import type { Capabilities } from '#contract/providers/provider.ts';
import { z } from 'zod';
import { TriadError } from '#core/base/errors.ts';
import { canonicalHash } from '#core/base/hash.ts';
import type { ModelRules } from '#core/model/model-rules.ts';
import { providerTraits } from '#core/model/provider-traits.ts';
import type { Settings } from '#core/settings/settings.ts';
import type { ToolRegistry } from '#core/tools/registry.ts';
import { boundedBy, checkInputContract, FIXED_FIELDS, FIXED_SERVED_FIELDS } from './envelope-parts.ts';
import { mcpOf } from './mcp-narrowing.ts';
import { checkCeilings, checkMode, checkPermissions, refuseChanged } from './narrowing.ts';
import { callsNone, movedTo, temperatureOf } from './provider-choice.ts';
import { DONE, editServing, type Kit, servedWithin } from '../serving.ts';

/** The checks that an edit needs; `Envelopes` creates them. */
interface EditPorts {
  limits: Settings['limits'];
  /** Includes the tools of the lead's MCP servers. */
  tools: ToolRegistry;
  models: Pick<ModelRules, 'idFor' | 'capabilities' | 'place'>;
  kit: Kit;
  /** Returns the tools that the lead can give at this provider. */
  childTools(provider: string): readonly string[];
  /** Adds the baseline tools if the model calls tools. */
  allTools(tools: readonly string[], can: Capabilities, model: string): string[];
  /** Throws for tools that are not available. `provider`: set if a tool can need something that is not set up. */
  checkTools(
    agent: string,
    wanted: readonly string[],
    available: readonly string[],
    whose: string,
    provider?: string,
  ): void;
  /** Returns the tools that need no other permissions. */
  selectPermittedTools(tools: readonly string[], permissions: readonly Permission[]): string[];
}

/** The most that an edit may give an agent. */
interface EditBounds {
  permissions: readonly Permission[];
  approvalMode: ApprovalMode;
  mcp: readonly McpOffer[];
  /** The owner of the bounds, for error messages. */
  whose: string;
  tools(provider: string): readonly string[];
  /** Adds the tools that the agent has in any case. */
  addFixedTools(tools: readonly string[], can: Capabilities, model: string): string[];
}

export function editEnvelope(
  value: unknown,
  asked: Envelope,
  parent: Envelope,
  ports: EditPorts,
): { value: Envelope; hash: string } {
  const parsed = Envelope.safeParse(value);
  if (!parsed.success) {
    throw new TriadError('bad_input', `The edited settings do not fit: ${z.prettifyError(parsed.error)}`);
  }
  const { prompt } = parsed.data;
  if (prompt.trim() === '') {
    throw new TriadError('bad_input', 'The prompt is empty: write what the sub-agent should do');
  }
  checkInputContract(asked.agent, asked.input, prompt);
  refuseChanged(parsed.data, asked, FIXED_FIELDS);
  const { permissions, approvalMode, mcp = [] } = parent;
  const bounds: EditBounds = {
    permissions,
    approvalMode,
    mcp,
    whose: 'The lead',
    tools: (provider) => ports.childTools(provider),
    addFixedTools: (tools, can, model) => ports.allTools(tools, can, model),
  };
  const own = { ...editAgent(parsed.data, asked, bounds, ports), prompt };
  const serving = editServing(parsed.data, asked, (part, before) => editServed(part, before, ports));
  const edited = servedWithin({ ...own, ...serving }, asked, ports.kit);
  return { value: edited, hash: canonicalHash(edited) };
}

/** Applies the edit of a coagent or a stage, within its own request. Errors name the agent. */
function editServed<T extends Coagent>(value: T, asked: T, ports: EditPorts): T {
  if (canonicalHash(value) === canonicalHash(asked)) return asked;
  const always = asked.tools.filter((name) => name === DONE || ports.tools.baseline().includes(name));
  const { permissions, approvalMode, mcp = [] } = asked;
  const bounds: EditBounds = {
    permissions,
    approvalMode,
    mcp,
    whose: 'What was asked',
    tools: () => asked.tools,
    addFixedTools: (tools, can, model) => {
      const allTools = [...new Set([...tools, ...always])].sort();
      return callsNone(can, model, allTools) ? [] : allTools;
    },
  };
  try {
    refuseChanged(value, asked, FIXED_SERVED_FIELDS);
    const added = (['seesReports', 'reflection'] as const).filter((field) => value[field] && !asked[field]);
    refuseChanged(value, asked, added);
    return editAgent(value, asked, bounds, ports);
  } catch (error) {
    if (!(error instanceof TriadError)) throw error;
    throw new TriadError(error.code, `${asked.agent}: ${error.message}`, { cause: error });
  }
}

/** Returns the request of one agent with the fields that the person may change. Throws for an edit beyond its bounds. */
function editAgent<T extends Coagent>(value: T, asked: T, most: EditBounds, ports: EditPorts): T {
  const { systemPrompt, model, maxTokens, effort, limits, approvalMode, permissions, reflection, seesReports } = value;
  const { models } = ports;
  const provider = movedTo(value.provider, asked.provider, models);
  const { onlyModel } = providerTraits(provider);
  if (onlyModel !== null && model.trim() !== onlyModel) {
    throw new TriadError('bad_input', `The demo has only the model ${onlyModel}`);
  }
  ports.checkTools(asked.agent, value.tools, most.tools(provider), most.whose, provider);
  // Unchanged permissions follow the tools.
  if (canonicalHash(permissions) !== canonicalHash(asked.permissions)) {
    checkPermissions(asked.agent, permissions, provider, most.permissions, most.whose);
    ports.checkTools(asked.agent, value.tools, ports.selectPermittedTools(value.tools, permissions), 'Its permissions');
  }
  checkMode(value, most);
  const modelId = models.idFor(provider, model);
  const can = models.capabilities(provider, modelId);
  checkCeilings({ ...value, model: modelId }, asked, ports.limits, can);
  const tools = most.addFixedTools(value.tools, can, modelId);
  const { budget, ...plainLimits } = limits;
  const { reflection: _, seesReports: __, cut: ___, mcp: ____, temperature, ...fixedFields } = asked;
  const cut = cutIn({ ...asked, maxTokens, limits });
  return {
    ...fixedFields,
    ...(reflection ? { reflection } : {}),
    ...(seesReports ? { seesReports } : {}),
    ...(cut.length > 0 ? { cut } : {}),
    ...temperatureOf({ temperature }, can),
    systemPrompt,
    provider,
    maxTokens,
    effort: can.thinking === false ? null : effort,
    approvalMode,
    tools,
    ...mcpOf(most.mcp, tools),
    limits: { ...plainLimits, ...boundedBy(budget ?? {}) },
    model: modelId,
    ...(modelId === asked.model && provider === asked.provider ? {} : { modelOrigin: 'person' as const }),
    permissions: ports.tools.permissionsOf(tools),
  } as unknown as T;
}

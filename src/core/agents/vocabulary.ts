/** The names that agents' files may use: tools, permissions and models, and what is said of one that is unknown. */
import { type Fault, Permission } from '#contract/agent.ts';
import { DEFAULT_ALIASES, modelIdOf } from '../settings/model-aliases.ts';
import { nearest } from '../base/nearest.ts';
import type { Tool } from '../tools/tool.ts';
import { fault, type Position } from './entries.ts';
import { mcpServerOf } from './mcp-names.ts';

/** Permissions that every agent has, whatever its file says: to read and search in the workspace. */
export const BASELINE: readonly Permission[] = ['FilesystemRead', 'SemanticSearch'];

/** What a judge may need: it changes nothing and reaches out to nothing. */
export const READING: readonly Permission[] = [...BASELINE, 'DatabaseRead'];

/** The names that models go by; the ids that they stand for may be changed in the settings. */
export const MODEL_ALIASES: readonly string[] = Object.keys(DEFAULT_ALIASES);

export type KnownTool = Pick<Tool, 'name' | 'permissions' | 'primaryOnly' | 'startsAgents' | 'baseline'>;

/** Whether an agent with these permissions may have the tool. */
export function isWithinPermissions(
  tool: Pick<KnownTool, 'permissions'>,
  permissions: readonly Permission[] | null,
): boolean {
  return (
    permissions === null ||
    tool.permissions.every((needed) => BASELINE.includes(needed) || permissions.includes(needed))
  );
}

/** The fault of a name that is no model; null for an alias or an id. */
export function modelFault(model: string, place: Position): Fault | null {
  if (modelIdOf(model, DEFAULT_ALIASES) !== null) return null;
  const message = `model ${model} is not known: use ${MODEL_ALIASES.join(', ')}, or the id of a model`;
  return fault(place, message, { key: 'model', suggestion: nearest(model, MODEL_ALIASES) });
}

/** A list of permissions, or of names of tools, or both, each checked by its name. */
export function nameFaults(
  key: 'tools' | 'requires_approval',
  names: readonly string[],
  tools: readonly KnownTool[],
  positionOf: (index: number) => Position,
): Fault[] {
  const known = tools.map(({ name }) => name);
  const all = key === 'tools' ? known : [...known, ...Permission.options];
  const kind = key === 'tools' ? 'a tool' : 'a permission or a tool';
  return names.flatMap((name, index) => {
    if (all.includes(name) || mcpServerOf(name) !== null) return [];
    const message = `${key} (item ${index + 1}) ${name} is not ${kind}`;
    return [fault(positionOf(index), message, { key, suggestion: nearest(name, all) })];
  });
}

/** Permissions that no tool of the program needs: a lead has them only of a server that the person has classed so. */
export function unneededPermissions(
  permissions: readonly Permission[],
  tools: readonly KnownTool[],
  positionOf: (index: number) => Position,
): Fault[] {
  return permissions.flatMap((permission, index) => {
    if (BASELINE.includes(permission) || tools.some((tool) => tool.permissions.includes(permission))) return [];
    const message = `permissions (item ${index + 1}) ${permission}: only tools of MCP servers that you class so need it, and a lead without one cannot give it`;
    return [fault(positionOf(index), message, { key: 'permissions' })];
  });
}

/** Tools that the permissions keep away: allowed, and worth a word. */
export function permissionWarnings(
  values: { tools?: readonly string[] | undefined; permissions?: readonly Permission[] | undefined },
  tools: readonly KnownTool[],
  positionOf: (index: number) => Position,
): Fault[] {
  const { permissions } = values;
  if (!permissions) return [];
  return (values.tools ?? []).flatMap((name, index) => {
    const tool = tools.find((one) => one.name === name);
    if (!tool || isWithinPermissions(tool, permissions)) return [];
    const needs = tool.permissions.filter((one) => !permissions.includes(one)).join(', ');
    const message = `tools (item ${index + 1}) ${name} needs ${needs}, which permissions does not have: the agent does not get it`;
    return [fault(positionOf(index), message, { key: 'tools' })];
  });
}

/** The names that agents' files may use: tools, permissions and models, and what is said of one that is unknown. */
import { type Fault, Permission } from '#contract/agent.ts';
import { phrase } from '#contract/approvals/phrases.ts';
import { DEFAULT_ALIASES, modelIdOf } from '../settings/model-aliases.ts';
import { nearest } from '../base/nearest.ts';
import type { Tool } from '../tools/tool.ts';
import { fault, type Position } from './entries.ts';
import { mcpServerOf } from './mcp-names.ts';

/** Permissions that every agent has, whatever its file says: to read and search in the workspace. */
export const BASELINE: readonly Permission[] = ['FilesystemRead', 'SemanticSearch'];

/** The permissions that a judge may have: without changes and without network. */
const READING: readonly Permission[] = [...BASELINE, 'DatabaseRead'];

/** The names that models go by; the ids that they stand for may be changed in the settings. */
export const MODEL_ALIASES: readonly string[] = Object.keys(DEFAULT_ALIASES);

export type KnownTool = Pick<
  Tool,
  'name' | 'permissions' | 'primaryOnly' | 'startsAgents' | 'baseline' | 'changesState'
>;

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

/** Returns true for a tool that a judge may have. */
export function onlyReads(tool: Pick<KnownTool, 'permissions' | 'changesState'>): boolean {
  return isWithinPermissions(tool, READING) && !tool.changesState;
}

/** The fault of a name that is no model; null for an alias or an id. */
export function modelFault(model: string, place: Position): Fault | null {
  if (modelIdOf(model, DEFAULT_ALIASES) !== null) return null;
  const says = phrase('model_unknown', { model, known: MODEL_ALIASES.join(', ') });
  return fault(place, says, { key: 'model', suggestion: nearest(model, MODEL_ALIASES) });
}

/** A list of permissions, or of names of tools, or both, each checked by its name. Empty names have a fault of their own. */
export function nameFaults(
  key: 'tools' | 'requires_approval',
  names: readonly string[],
  tools: readonly KnownTool[],
  findPosition: (index: number) => Position,
): Fault[] {
  const known = tools.map(({ name }) => name);
  const all = key === 'tools' ? known : [...known, ...Permission.options];
  const kind = key === 'tools' ? 'no_tool' : 'no_permission';
  return names.flatMap((name, item) => {
    if (name === '' || all.includes(name) || mcpServerOf(name) !== null) return [];
    return [fault(findPosition(item), phrase(kind, { key, item, name }), { key, suggestion: nearest(name, all) })];
  });
}

/** Permissions that no tool of the program needs: a lead has them only of a server that the person has classed so. */
export function unneededPermissions(
  permissions: readonly Permission[],
  tools: readonly KnownTool[],
  findPosition: (index: number) => Position,
): Fault[] {
  const key = 'permissions';
  return permissions.flatMap((permission, item) => {
    if (BASELINE.includes(permission) || tools.some((tool) => tool.permissions.includes(permission))) return [];
    return [fault(findPosition(item), phrase('idle_permission', { key, item, name: permission }), { key })];
  });
}

/** Tools that the permissions keep away: allowed, and worth a word. */
export function permissionWarnings(
  values: { tools?: readonly string[] | undefined; permissions?: readonly Permission[] | undefined },
  tools: readonly KnownTool[],
  findPosition: (index: number) => Position,
): Fault[] {
  const { permissions } = values;
  if (!permissions) return [];
  const key = 'tools';
  return (values.tools ?? []).flatMap((name, item) => {
    const tool = tools.find((one) => one.name === name);
    if (!tool || isWithinPermissions(tool, permissions)) return [];
    const needs = tool.permissions.filter((one) => !permissions.includes(one)).join(', ');
    return [fault(findPosition(item), phrase('tool_needs', { key, item, name, needs }), { key })];
  });
}

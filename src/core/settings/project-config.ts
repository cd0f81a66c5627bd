/** What a project's own config.toml says beside its rules: where its sessions are kept, and limits that lower the person's. */
import type { TomlTable as Table } from 'smol-toml';
import { dotted } from './dotted-path.ts';
import { positionFinder } from '../base/toml-tree.ts';
import { checkSettingsTable, type Settings } from './settings.ts';
import type { FileProblem } from './toml-file.ts';

/** Values by dotted path: `sessions.project`, and any of `limits`. */
export type ProjectSettings = ReadonlyMap<string, number | boolean>;

export const NO_PROJECT_SETTINGS: ProjectSettings = new Map();

const SESSIONS = 'sessions.project';
const isLimit = (path: string): boolean => path.startsWith('limits.');

/** `permissions.rules` are left to whoever reads them; `permissions` must be a table. Never throws. */
export function checkProjectSettings(
  { permissions = {}, ...others }: Table,
  text: string,
): { ok: true; settings: ProjectSettings } | { ok: false; problems: FileProblem[] } {
  const { rules: _, ...own } = permissions as Table;
  const table = { ...others, permissions: own };
  const checked = checkSettingsTable(table, text);
  const problems = checked.ok ? [] : checked.problems;
  const placeOf = positionFinder(text);
  const leaves = leavesOf(table, []);
  const isReported = (path: string): boolean =>
    problems.some(({ key }) => key !== null && (path === key || path.startsWith(`${key}.`)));
  const foreign = leaves.flatMap(({ path, keys }): FileProblem[] => {
    if (path === SESSIONS || isLimit(path) || isReported(path)) return [];
    const message =
      'is not for a project to set: its file may have permissions.rules, sessions.project, and limits that lower yours';
    return [{ ...placeOf(keys), key: path, message, suggestion: null }];
  });
  if (problems.length + foreign.length > 0)
    return { ok: false, problems: [...problems, ...foreign].sort((a, b) => a.line - b.line) };
  return { ok: true, settings: new Map(leaves.map(({ path, value }) => [path, value as number | boolean])) };
}

interface Leaf {
  path: string;
  keys: readonly string[];
  value: unknown;
}

function leavesOf(table: object, above: readonly string[]): Leaf[] {
  return Object.entries(table).flatMap(([key, value]: [string, unknown]): Leaf[] => {
    const keys = [...above, key];
    if (typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date))
      return leavesOf(value, keys);
    return [{ path: dotted(keys), keys, value }];
  });
}

/** The person's limits where the project's are not lower; what is not set has no bound. */
export function loweredLimits(limits: Settings['limits'], project: ProjectSettings): Settings['limits'] {
  if (project.size === 0) return limits;
  const lower = <T extends object>(table: T, above: string): T => {
    const entries = Object.entries(table).map(([key, value]: [string, unknown]) => {
      const path = `${above}.${key}`;
      if (typeof value === 'object' && value !== null) return [key, lower(value, path)];
      const wanted = project.get(path);
      const most = typeof value === 'number' ? value : Infinity;
      return [key, typeof wanted === 'number' && wanted < most ? wanted : value];
    });
    return Object.fromEntries(entries) as T;
  };
  return lower(limits, 'limits');
}

/** The limits of a project that change nothing, because the person's are as low. */
export function idleLimits(limits: Settings['limits'], project: ProjectSettings): string[] {
  return [...project.keys()].filter((path) => {
    const one = new Map([[path, project.get(path)!]]);
    return isLimit(path) && JSON.stringify(loweredLimits(limits, one)) === JSON.stringify(limits);
  });
}

/** Whether its sessions are kept in the project; what the project says wins for its own folder. */
export function keepsInProject({ project }: Settings['sessions'], settings: ProjectSettings): boolean {
  const own = settings.get(SESSIONS);
  return typeof own === 'boolean' ? own : project;
}

/** Checks the files of agents and compositions against the stored settings and lists. Sends no request. */
import { homedir } from 'node:os';
import type { AgentReport } from '#contract/agent.ts';
import { checkServers } from '#core/agents/check-servers.ts';
import { linkFiles } from '#core/agents/links/links.ts';
import { checkHere, loadPlace, reportOf } from '#core/agents/load.ts';
import {
  type AgentPlace,
  builtinPlaces,
  placeAt,
  PROJECT_CONFIG,
  projectPlaces,
  userPlaces,
} from '#core/agents/places.ts';
import { readPlace } from '#core/agents/read-place.ts';
import { Trust } from '#core/agents/trust.ts';
import { readFolderRules } from '#core/approvals/rule-files.ts';
import { serversOf } from '#core/mcp/configured.ts';
import { listingsIn } from '#core/mcp/listings.ts';
import { knownServers } from '#core/mcp/mcp-servers.ts';
import type { ModelRules } from '#core/model/model-rules.ts';
import type { Folders } from '#core/settings/folders.ts';
import { settingsFile } from '#core/settings/guarded-files.ts';
import { loweredLimits } from '#core/settings/project-config.ts';
import type { Settings } from '#core/settings/settings.ts';
import { allTools } from '#core/tools/all-tools.ts';

export interface CheckScope {
  env: Readonly<Record<string, string | undefined>>;
  /** Folder of the project. */
  folder: string;
  /** Reports only the agents of this folder, which may be a folder of agents instead of a project. */
  isAlone?: boolean;
}

/** Without readable settings, models and servers are checked by their form alone. */
export async function checkAgentFiles(
  { env, folder, isAlone = false }: CheckScope,
  own: Folders,
  known: { settings: Settings; models: ModelRules } | null,
): Promise<AgentReport[]> {
  const tools = allTools();
  const around = [...builtinPlaces(), ...userPlaces(own.config, env['HOME'] || homedir())];
  const { places, isWorkspace } = isAlone
    ? await placesIn(folder)
    : { places: [...around, ...projectPlaces(folder)], isWorkspace: true };
  const others = isAlone ? around : [];
  const settings = known && (await loweredSettings(known.settings, own, folder));
  const loaded = await Promise.all(
    [...others, ...places].map(async (place) =>
      (await loadPlace(place, tools, settings ?? undefined)).map((file) =>
        known === null ? file : checkHere(file, place.dialect, known.models),
      ),
    ),
  );
  // Files that belong to no workspace may be for one with other servers.
  const servers = settings && isWorkspace ? await lastServers(settings, own, folder) : null;
  const aside = loaded.slice(0, others.length).flat().length;
  const checked = linkFiles(loaded.flat(), tools).slice(aside);
  return checked.map((file) => reportOf(servers === null ? file : checkServers(file, servers)));
}

/** With what a trusted project lowers. */
async function loweredSettings(settings: Settings, { config, data }: Folders, folder: string): Promise<Settings> {
  const trust = new Trust(data);
  const isTrusted = (place: string, hash: string): Promise<boolean> => trust.trusts(place, PROJECT_CONFIG, hash);
  const { project } = await readFolderRules(folder, { file: settingsFile(config), isTrusted });
  return { ...settings, limits: loweredLimits(settings.limits, project) };
}

/** As they were last heard; none is started. */
async function lastServers(settings: Settings, { config, data }: Folders, folder: string) {
  const ports = { settings: { mcp: settings.mcp, file: settingsFile(config) }, trust: new Trust(data) };
  return knownServers(await serversOf(folder, ports), listingsIn(data));
}

/** The agents of a project, or the files of a folder, which is no workspace then. */
async function placesIn(folder: string): Promise<{ places: AgentPlace[]; isWorkspace: boolean }> {
  const project = projectPlaces(folder);
  const isWorkspace = (await Promise.all(project.map((place) => readPlace(place)))).some((files) => files.length > 0);
  return { places: isWorkspace ? project : [placeAt(folder)], isWorkspace };
}

/** `triad agents validate`: reads the files itself, so that it also works where no program can start, and in a pipeline. */
import { stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, extname, resolve } from 'node:path';
import type { AgentReport } from '#contract/agent.ts';
import { checkHere, describeFault, loadPlace, reportOf } from '#core/agents/load.ts';
import {
  type AgentPlace,
  builtinPlaces,
  placeAt,
  PROJECT_CONFIG,
  projectPlaces,
  userPlaces,
} from '#core/agents/places.ts';
import { linkFiles } from '#core/agents/links/links.ts';
import { readPlace } from '#core/agents/read-place.ts';
import { checkServers, type KnownServers } from '#core/agents/check-servers.ts';
import { Trust } from '#core/agents/trust.ts';
import { readFolderRules } from '#core/approvals/rule-files.ts';
import { errorInfo } from '#core/base/errors.ts';
import { redacted } from '#core/base/redact.ts';
import { serversOf } from '#core/mcp/configured.ts';
import { listingsIn } from '#core/mcp/listings.ts';
import { knownServers } from '#core/mcp/mcp-servers.ts';
import { ModelLists } from '#core/model/model-lists.ts';
import { ModelRules } from '#core/model/model-rules.ts';
import { folders } from '#core/settings/folders.ts';
import { settingsFile } from '#core/settings/guarded-files.ts';
import { knowOwn } from '#core/settings/known-secrets.ts';
import { loweredLimits } from '#core/settings/project-config.ts';
import { loadSettings, type Settings } from '#core/settings/settings.ts';
import { nearest } from '#core/base/nearest.ts';
import { allTools } from '#core/tools/all-tools.ts';
import { EXIT, UsageError } from '../../terminal/failure.ts';
import { oneLine } from '../../render/format.ts';
import type { Io } from '../../terminal/io.ts';
import { visible } from '../../terminal/visible.ts';

export interface ValidateOptions {
  dir?: string;
  json?: boolean;
}

/** Exit code 1 where a file has a fault; warnings are none. */
export async function validateAgents(io: Io, name: string | undefined, options: ValidateOptions): Promise<number> {
  await knowOwn((await folders(io.env)).config, io.env);
  const all = await agentReports(io, options);
  const reports = redacted(name === undefined ? all : named(name, all));
  if (options.json) io.screen.data(`${JSON.stringify(reports, null, 2)}\n`);
  else for (const line of reports.flatMap(linesOf)) io.screen.data(`${oneLine(visible(line))}\n`);
  const faulty = reports.filter(({ ok }) => !ok).length;
  if (!options.json) io.screen.note(summary(reports.length, faulty));
  return faulty > 0 ? EXIT.failure : EXIT.ok;
}

/** What is said of each file. */
export async function agentReports(io: Io, options: Pick<ValidateOptions, 'dir'>): Promise<AgentReport[]> {
  const tools = allTools();
  const { places, around, workspace } = await placesFor(io, options.dir);
  const folder = resolve(io.folder, options.dir ?? '.');
  const settings = await settingsHere(io, folder);
  const models = settings && (await modelsHere(io, settings));
  const loaded = await Promise.all(
    [...around, ...places].map(async (place) =>
      (await loadPlace(place, tools, settings ?? undefined)).map((file) =>
        models === null ? file : checkHere(file, place.dialect, models),
      ),
    ),
  );
  // Files that belong to no workspace may be for one with other servers.
  const known = settings && workspace ? await serversHere(io, settings, folder) : null;
  const [others, files] = [loaded.slice(0, around.length).flat(), loaded.flat()];
  const checked = linkFiles(files, tools).slice(others.length);
  return checked.map((file) => reportOf(known === null ? file : checkServers(file, known)));
}

/** With what a trusted project lowers. Null where they cannot be read: then nothing is held against them. */
async function settingsHere({ env, screen }: Io, folder: string): Promise<Settings | null> {
  try {
    const { config, data } = await folders(env);
    const settings = await loadSettings(config);
    const trust = new Trust(data);
    const isTrusted = (place: string, hash: string): Promise<boolean> => trust.trusts(place, PROJECT_CONFIG, hash);
    const { project } = await readFolderRules(folder, { file: settingsFile(config), isTrusted });
    return { ...settings, limits: loweredLimits(settings.limits, project) };
  } catch (error) {
    screen.note(`Models are checked by their form alone: ${errorInfo(error).message}`);
    return null;
  }
}

/** As the settings and the lists that were had before say; nobody is asked. */
async function modelsHere({ env }: Io, settings: Settings): Promise<ModelRules> {
  const lists = await ModelLists.load((await folders(env)).data);
  const environment = { baseUrl: env['ANTHROPIC_BASE_URL'] || undefined, programs: env };
  return new ModelRules({ settings, lists, environment });
}

/** As they were last heard; none is started. */
async function serversHere({ env }: Io, settings: Settings, folder: string): Promise<KnownServers> {
  const { config, data } = await folders(env);
  const ports = { settings: { mcp: settings.mcp, file: settingsFile(config) }, trust: new Trust(data) };
  return knownServers(await serversOf(folder, ports), listingsIn(data));
}

/**
 * Without a folder all that holds here; with one only what it contains: its project's agents, or the files in it, which is
 * no workspace then; what they name of other agents may lie around them.
 */
async function placesFor(
  { env, folder }: Io,
  dir: string | undefined,
): Promise<{ places: AgentPlace[]; around: AgentPlace[]; workspace: boolean }> {
  const around = [...builtinPlaces(), ...userPlaces((await folders(env)).config, env['HOME'] || homedir())];
  if (dir === undefined) return { places: [...around, ...projectPlaces(folder)], around: [], workspace: true };
  const given = resolve(folder, dir);
  const found = await stat(given).catch(() => null);
  if (!found?.isDirectory()) throw new UsageError(`There is no folder ${given}`);
  const project = projectPlaces(given);
  const inside = (await Promise.all(project.map((place) => readPlace(place)))).some((files) => files.length > 0);
  return inside ? { places: project, around, workspace: true } : { places: [placeAt(given)], around, workspace: false };
}

/** By what the file says, or by its own name where it says nothing. */
function named(name: string, all: readonly AgentReport[]): AgentReport[] {
  const nameOf = (report: AgentReport) => report.name ?? basename(report.file, extname(report.file));
  const found = all.filter((report) => nameOf(report) === name);
  if (found.length > 0) return found;
  const near = nearest(name, all.map(nameOf));
  throw new UsageError(`No file defines an agent "${name}"${near === null ? '' : ` (did you mean ${near}?)`}`);
}

function linesOf({ file, name, errors, warnings, ok }: AgentReport): string[] {
  return [
    ...(ok ? [`${file}: ${name} is valid`] : []),
    ...errors.map((error) => describeFault(file, error)),
    ...warnings.map(({ message, ...rest }) => describeFault(file, { ...rest, message: `warning: ${message}` })),
  ];
}

function summary(files: number, faulty: number): string {
  if (files === 0) return 'There are no agents to check.';
  const all = files === 1 ? '1 agent' : `${files} agents`;
  return faulty === 0 ? `${all} checked: valid.` : `${all} checked: ${faulty} with faults.`;
}

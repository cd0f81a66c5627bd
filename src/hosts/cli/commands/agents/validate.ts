/** `triad agents validate`: reads the files itself, so that it also works where no program can start, and in a pipeline. */
import { stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, extname, resolve } from 'node:path';
import type { AgentReport } from '#contract/agent.ts';
import { describeFault, loadPlace, reportOf } from '#core/agents/load.ts';
import { type AgentPlace, builtinPlace, placeAt, projectPlaces, userPlaces } from '#core/agents/places.ts';
import { readPlace } from '#core/agents/read-place.ts';
import { folders } from '#core/settings/folders.ts';
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
  const tools = allTools();
  const places = await placesFor(io, options.dir);
  const all = (await Promise.all(places.map((place) => loadPlace(place, tools)))).flat().map(reportOf);
  const reports = name === undefined ? all : named(name, all);
  if (options.json) io.screen.data(`${JSON.stringify(reports, null, 2)}\n`);
  else for (const line of reports.flatMap(linesOf)) io.screen.data(`${oneLine(visible(line))}\n`);
  const faulty = reports.filter(({ ok }) => !ok).length;
  if (!options.json) io.screen.note(summary(reports.length, faulty));
  return faulty > 0 ? EXIT.failure : EXIT.ok;
}

/** Without a folder all that holds here; with one only what it contains: its project's agents, or the files in it. */
async function placesFor({ env, folder }: Io, dir: string | undefined): Promise<AgentPlace[]> {
  if (dir === undefined) {
    const { config } = await folders(env);
    return [builtinPlace(), ...userPlaces(config, homedir()), ...projectPlaces(folder)];
  }
  const given = resolve(folder, dir);
  const found = await stat(given).catch(() => null);
  if (!found?.isDirectory()) throw new UsageError(`There is no folder ${given}`);
  const project = projectPlaces(given);
  const inside = (await Promise.all(project.map((place) => readPlace(place)))).some((files) => files.length > 0);
  return inside ? project : [placeAt(given)];
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

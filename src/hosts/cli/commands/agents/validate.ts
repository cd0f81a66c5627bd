/** `triad agents validate`: prints the findings of the check of the configuration in agent files. */
import { basename, extname, resolve } from 'node:path';
import type { Command } from 'commander';
import type { AgentReport } from '#contract/agent.ts';
import { nearest } from '#core/base/nearest.ts';
import { EXIT, UsageError } from '../../terminal/failure.ts';
import type { Exit, Io } from '../../terminal/io.ts';
import { oneLine, visible } from '../../terminal/visible.ts';
import { json, NameArgument } from '../parameters.ts';

interface Options {
  dir?: string;
  json?: boolean;
}

export function addAgentsValidate(agents: Command, io: Io, exit: Exit): void {
  agents
    .command('validate')
    .description('check the files of all agents, or of one, and print the location of each fault')
    .addArgument(new NameArgument('agent', '[name]', 'name of the agent (default: all)'))
    .option('--dir <folder>', 'check only the files of this folder, or of this workspace')
    .addOption(json())
    .action(async (name: string | undefined, options: Options) => exit(await validateAgents(io, name, options)));
}

/** Resolves with exit code 1 if a file has a fault. Warnings do not count. */
async function validateAgents(io: Io, name: string | undefined, options: Options): Promise<number> {
  const { checkConfiguration } = await import('#core/host/checks/check-configuration.ts');
  const folder = resolve(io.folder, options.dir ?? '.');
  const { agents, findings, settingsFile } = await checkConfiguration({
    env: io.env,
    folder,
    isAlone: options.dir !== undefined,
  });
  const wrong = findings.find(({ file, level }) => file === settingsFile && level === 'error');
  if (wrong)
    io.screen.note(visible(`Models are checked by their form alone: ${wrong.file}:${wrong.line}: ${wrong.what}`));
  const reports = name === undefined ? agents : reportsNamed(name, agents);
  if (options.json) io.screen.data(`${JSON.stringify(reports, null, 2)}\n`);
  else for (const report of reports) for (const line of await linesOf(report)) io.screen.data(`${line}\n`);
  const faulty = reports.filter(({ ok }) => !ok).length;
  if (!options.json) io.screen.note(summary(reports.length, faulty));
  return faulty > 0 ? EXIT.failure : EXIT.ok;
}

/** By what the file says, or by its own name where it says nothing. */
function reportsNamed(name: string, all: readonly AgentReport[]): AgentReport[] {
  const nameOf = (report: AgentReport) => report.name ?? basename(report.file, extname(report.file));
  const reports = all.filter((report) => nameOf(report) === name);
  if (reports.length > 0) return reports;
  const near = nearest(name, all.map(nameOf));
  throw new UsageError(`No file defines an agent "${name}"${near === null ? '' : ` (did you mean ${near}?)`}`);
}

async function linesOf({ file, name, errors, warnings, ok }: AgentReport): Promise<string[]> {
  const { describeFault } = await import('#core/agents/load.ts');
  const lines = [
    ...(ok ? [`${file}: ${name} is valid`] : []),
    ...errors.map((error) => describeFault(file, error)),
    ...warnings.map(({ message, ...rest }) => describeFault(file, { ...rest, message: `warning: ${message}` })),
  ];
  return lines.map((line) => oneLine(visible(line)));
}

function summary(files: number, faulty: number): string {
  if (files === 0) return 'There are no agents to check.';
  const all = files === 1 ? '1 agent' : `${files} agents`;
  return faulty === 0 ? `${all} checked: valid.` : `${all} checked: ${faulty} with faults.`;
}

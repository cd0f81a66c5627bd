/** `triad check`: prints the faults of the configuration, like `triad config validate`. */
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { formatCount } from '#contract/missing-text.ts';
import type { Finding } from '#core/host/checks/finding.ts';
import { EXIT } from '../terminal/failure.ts';
import type { Exit, Io } from '../terminal/io.ts';
import { oneLine, visible } from '../terminal/visible.ts';
import { json } from './parameters.ts';

interface Options {
  dir?: string;
  json?: boolean;
}

export function addCheck(program: Command, io: Io, exit: Exit): void {
  program
    .command('check')
    .description('check settings, rules, agents, compositions and servers, both yours and those of the project')
    .option('--dir <folder>', 'project folder (default: the current folder)')
    .addOption(json())
    .action(async (options: Options) => exit(await check(io, options)));
}

/** Resolves with exit code 1 if a finding is an error. */
export async function check({ env, folder, screen }: Io, { dir = '.', json = false }: Options): Promise<number> {
  const { checkConfiguration } = await import('#core/host/checks/check-configuration.ts');
  const { findings, files, settingsFile } = await checkConfiguration({ env, folder: resolve(folder, dir) });
  const errors = findings.filter(({ level }) => level === 'error').length;
  if (json) screen.data(`${JSON.stringify({ ok: errors === 0, findings, files }, null, 2)}\n`);
  else for (const finding of findings) screen.data(`${findingLine(finding)}\n`);
  if (!json) {
    if (!files.includes(settingsFile))
      screen.note(`There is no ${visible(settingsFile)}: all settings have their defaults.`);
    screen.note(summaryOf(files.length, errors, findings.length - errors));
  }
  return errors === 0 ? EXIT.ok : EXIT.failure;
}

/** Formats a finding as one line without control characters. */
export function findingLine({ file, line, column, level, what, todo }: Finding): string {
  const words = `${file}:${line}:${column}: ${level === 'warning' ? 'warning: ' : ''}${what}; to do: ${todo}`;
  return oneLine(visible(words));
}

function summaryOf(files: number, errors: number, warnings: number): string {
  const all = `${formatCount(files, 'file')} checked`;
  if (errors + warnings === 0) return `${all}: valid.`;
  return `${all}: ${formatCount(errors, 'error')}, ${formatCount(warnings, 'warning')}.`;
}

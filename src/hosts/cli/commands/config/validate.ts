/** `triad config validate`: prints the same as `triad check`, for the current folder. */
import type { Command } from 'commander';
import type { Exit, Io } from '../../terminal/io.ts';
import { check } from '../check.ts';
import { json } from '../parameters.ts';

export function addConfigValidate(config: Command, io: Io, exit: Exit): void {
  config
    .command('validate')
    .description('check settings, prices, agents, compositions and servers, and the names that they refer to')
    .addOption(json())
    .action(async (options: { json?: boolean }) => exit(await check(io, options)));
}

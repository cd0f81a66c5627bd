/** `triad mcp disable`: disables a server of the person, which stays in the settings. */
import type { Command } from 'commander';
import type { Io } from '../../terminal/io.ts';
import { dir, json, serverArgument } from '../parameters.ts';
import { type EnableOptions, enableServer } from './enable.ts';

export function addMcpDisable(mcp: Command, io: Io): void {
  mcp
    .command('disable')
    .description('disable a server: it stays in your settings, but is not started')
    .addArgument(serverArgument())
    .addOption(dir())
    .addOption(json())
    .action((name: string, options: EnableOptions) => enableServer(io, { name, enabled: false }, options));
}

// Makes the reference of the command line in docs/command-line.md from the descriptions of the commands.
import type { Command } from 'commander';
import type { Io } from '#hosts/cli/terminal/io.ts';
import { createProgram } from '#hosts/cli/program.ts';

/** Stands in for the streams. Only actions use them, and none runs. */
const NO_IO = {} as Io;

/** Returns a list of the commands, then a section for each. Commands of a group are one level below the group. */
export function commandReference(): string {
  const commands = shownCommands(createProgram(NO_IO, '', () => undefined));
  const list = commands.map((one) => `- [\`${fullName(one)}\`](#triad-${one.name()}): ${one.description()}\n`);
  return [list.join(''), ...commands.map((command) => section(command, 3))].join('\n');
}

function shownCommands(command: Command): Command[] {
  return command
    .createHelp()
    .visibleCommands(command)
    .filter((shown) => shown.name() !== 'help');
}

function section(command: Command, level: number): string {
  const help = command.createHelp();
  const commands = shownCommands(command);
  const heading = `${'#'.repeat(level)} ${fullName(command)}\n\n${sentence(command.description())}\n`;
  if (commands.length > 0) return [heading, ...commands.map((one) => section(one, level + 1))].join('\n');
  const options = help.visibleOptions(command).filter(({ long }) => long !== '--help');
  const usage = help.commandUsage(command);
  const parameters = [
    ...help.visibleArguments(command).map((one) => line(help.argumentTerm(one), help.argumentDescription(one))),
    ...options.map((one) => line(help.optionTerm(one), help.optionDescription(one))),
  ];
  const list = parameters.length > 0 ? `\n${parameters.join('')}` : '';
  return `${heading}\n\`\`\`sh\n${options.length > 0 ? usage : usage.replace(' [options]', '')}\n\`\`\`\n${list}`;
}

/** Returns the name with the names of its groups, such as `triad sessions list`. */
function fullName(command: Command): string {
  return command.parent ? `${fullName(command.parent)} ${command.name()}` : command.name();
}

const line = (term: string, description: string): string => `- \`${term}\`: ${description}\n`;

function sentence(description: string): string {
  return `${description.charAt(0).toUpperCase()}${description.slice(1)}.`;
}

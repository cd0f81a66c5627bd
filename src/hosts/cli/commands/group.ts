/** A command that only groups other commands, such as `triad sessions`. */
import type { Command } from 'commander';
import { UsageError } from '../terminal/failure.ts';

/** Adds the group to its parent. Called without the name of a command, the group fails and lists its commands. */
export function addGroup(parent: Command, name: string, description: string): Command {
  return parent
    .command(name)
    .description(description)
    .allowExcessArguments()
    .action((_options: object, group: Command) => {
      const names = group.commands.map((command) => command.name()).join(', ');
      const [word] = group.args;
      const fault = word === undefined ? `${name} needs a command` : `unknown command '${name} ${word}'`;
      throw new UsageError(`${fault}: ${names}`);
    });
}

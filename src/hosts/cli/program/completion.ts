/** `triad completion`: what a shell asks for the words that fit. They are read from the commands themselves, each time. */
import { Argument, type Command } from 'commander';
import { EXIT } from '../terminal/failure.ts';
import type { Io } from '../terminal/io.ts';
import { completionScript, SHELLS } from '../commands/completion/scripts.ts';
import type { Done } from './parts.ts';

export function addCompletion(program: Command, io: Io, done: Done): void {
  program
    .command('completion')
    .description('a script that lets a shell complete commands, options and names; setup: docs/start/install.md')
    .addArgument(new Argument('<shell>').choices(SHELLS))
    .action((shell: (typeof SHELLS)[number]) => {
      io.screen.data(completionScript(shell));
      done(EXIT.ok);
    });
  program
    .command('complete', { hidden: true })
    .description('the words that fit the last one, a line for each, with what it is after a tab')
    .argument('[words...]')
    .action(async (words: string[]) => {
      const { candidates } = await import('../commands/completion/candidates.ts');
      for (const { word, about } of await candidates(program, words, io)) io.screen.data(`${word}\t${about}\n`);
      done(EXIT.ok);
    });
}

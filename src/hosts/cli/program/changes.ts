/** `triad changes`. */
import { resolve } from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { UsageError } from '../terminal/failure.ts';
import type { Io } from '../terminal/io.ts';
import { type Done, json, limit, withClient } from './parts.ts';

interface Given {
  cwd?: string;
  undo?: string;
  redo?: string;
  file?: string;
  call?: number;
  leave?: boolean;
  diff?: boolean;
  limit?: number;
  json?: boolean;
}

export function addChanges(program: Command, io: Io, done: Done): void {
  program
    .command('changes')
    .description('what agents changed in this folder, by run and file; undoes it, and takes that back')
    .argument('[run]', 'what this run did, call by call; also the id of a workflow or session, or the first characters')
    .addOption(new Option('--undo <run>', 'undo what a run did: nothing that came since is lost').conflicts('redo'))
    .option('--redo <run>', 'take back that it was undone')
    .option('--file <path>', 'only what was done to this file')
    .addOption(new Option('--call <number>', 'only this call of the run, as its list numbers them').argParser(position))
    .option('--leave', 'undo the rest where files are in the way')
    .option('--diff', 'with the changed lines')
    .option('--cwd <folder>', 'the folder that is listed (default: this one)')
    .addOption(limit())
    .addOption(json())
    .action(async (run: string | undefined, options: Given) => {
      const { undo, redo, file, call, leave, diff, cwd, ...rest } = options;
      const taken = undo ?? redo;
      if (run !== undefined && taken !== undefined) throw new UsageError('name the run once, behind --undo or --redo');
      const word = run ?? taken;
      if (word === undefined && (file !== undefined || call !== undefined || diff))
        throw new UsageError('--file, --call and --diff belong to a run: see "triad changes"');
      if (leave && taken === undefined) throw new UsageError('--leave belongs to --undo or --redo');
      const part = { file, call };
      done(
        await withClient(io, async (client) => {
          if (word === undefined) {
            const folder = resolve(io.folder, cwd ?? '.');
            return (await import('../commands/changes/list.ts')).listChanges(io, client, { ...rest, folder });
          }
          if (taken === undefined)
            return (await import('../commands/changes/show.ts')).showChanges(io, client, word, part, {
              ...rest,
              diff: diff ?? false,
            });
          const options = { ...rest, leave: leave ?? false, redo: redo !== undefined };
          return (await import('../commands/changes/undo.ts')).undoChanges(io, client, word, part, options);
        }),
      );
    });
}

/** Counted from 1. */
function position(text: string): number {
  if (!/^[1-9]\d{0,5}$/.test(text))
    throw new InvalidArgumentError('This is the number of a call, as its run lists it.');
  return Number(text);
}

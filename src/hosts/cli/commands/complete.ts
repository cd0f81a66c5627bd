/** `triad complete`: prints the words that complete a command line: commands, options, choices and names. */
import type { Argument, Command, Option } from 'commander';
import type { Io } from '../terminal/io.ts';
import { oneLine, visible } from '../terminal/visible.ts';
import type { Candidate } from './complete/names.ts';
import { NameArgument, NameOption } from './parameters.ts';

export function addComplete(program: Command, io: Io): void {
  program
    .command('complete', { hidden: true })
    .description('print the words that fit the last one, a line for each, with a description after a tab')
    .argument('[words...]')
    .action(async (words: string[]) => {
      for (const { word, about } of await findCandidates(program, words, io)) io.screen.data(`${word}\t${about}\n`);
    });
}

/** The position of the last word of a command line. */
interface Position {
  command: Command;
  /** Number of arguments before the last word. */
  argumentCount: number;
  /** The option whose value the last word is. */
  option: Option | null;
  /** True after `--`: no further word is an option. */
  onlyArguments: boolean;
}

/** Returns the words that complete the last one. `words`: words after the name of the program; the last one may be empty. */
async function findCandidates(program: Command, words: readonly string[], io: Io): Promise<Candidate[]> {
  const last = words.at(-1) ?? '';
  const { option, command, argumentCount, onlyArguments } = findPosition(program, words.slice(0, -1));
  if (option) return selectFitting(await valuesOf(option, io), last);
  const { registeredArguments } = command;
  const argument = registeredArguments[argumentCount] ?? registeredArguments.findLast(({ variadic }) => variadic);
  const isOption = last.startsWith('-') && !onlyArguments;
  if (isOption) return selectFitting(optionsOf(command), last);
  const commands = argumentCount === 0 ? commandsOf(command) : [];
  const values = argument ? await valuesOf(argument, io) : [];
  return selectFitting([...commands, ...values], last);
}

/** Returns the choices of a parameter, or the names of its kind. */
async function valuesOf(parameter: Option | Argument, io: Io): Promise<Candidate[]> {
  if (parameter.argChoices) return parameter.argChoices.map((word) => ({ word, about: '' }));
  if (!(parameter instanceof NameArgument || parameter instanceof NameOption)) return [];
  const { readNames } = await import('./complete/names.ts');
  return readNames(parameter.kind, io);
}

function findPosition(program: Command, words: readonly string[]): Position {
  const position: Position = { command: program, argumentCount: 0, option: null, onlyArguments: false };
  for (const word of words) {
    const command = position.command.commands.find((one) => one.name() === word);
    if (position.option) position.option = null;
    else if (position.onlyArguments) position.argumentCount += 1;
    else if (word === '--') position.onlyArguments = true;
    else if (word.startsWith('-')) position.option = optionWithValue(position.command, word);
    else if (command && position.argumentCount === 0) position.command = command;
    else position.argumentCount += 1;
  }
  return position;
}

/** Returns the option if it takes the next word as its value. */
function optionWithValue(command: Command, word: string): Option | null {
  const option = command.options.find((one) => one.long === word || one.short === word);
  return option && (option.required || option.optional) ? option : null;
}

function optionsOf(command: Command): Candidate[] {
  const shown = command.createHelp().visibleOptions(command);
  return shown.flatMap(({ long, description }) => (long == null ? [] : [{ word: long, about: description }]));
}

function commandsOf(command: Command): Candidate[] {
  const shown = command.createHelp().visibleCommands(command);
  return shown.map((one) => ({ word: one.name(), about: one.description() }));
}

/** Words that no shell interprets. A name can come from a file of another person, and is inserted into the command line. */
const PLAIN = /^[\p{L}\p{N}._:@%+=,/-]+$/u;

/** Excludes words that a shell would interpret. Makes hidden characters of descriptions visible. */
function selectFitting(all: readonly Candidate[], typed: string): Candidate[] {
  const fitting = all.filter(({ word }) => word.startsWith(typed) && PLAIN.test(word) && visible(word) === word);
  return fitting.map(({ word, about }) => ({ word, about: oneLine(visible(about)) }));
}

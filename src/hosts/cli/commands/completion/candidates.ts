/** The words that fit at the end of a command line: commands, options, choices, and names that are cheap to read. */
import type { Argument, Command, Option } from 'commander';
import type { Io } from '../../terminal/io.ts';
import { visible } from '../../terminal/visible.ts';
import { type Candidate, type Names, namesOf } from './names.ts';

/** `<command> <argument>` and `<command> --option` for which names are known, as patterns of whole texts. */
const NAMED: readonly (readonly [RegExp, Names])[] = [
  [/^agents (show|validate|export) name$|^(run|sessions agents) --agent$|^agents new --from$/, 'agents'],
  [/^sessions (?!again|say|search)\S+ id$|^run --conversation$/, 'sessions'],
  [/^config (get|set) path$/, 'settings'],
];

interface Place {
  command: Command;
  /** The names of the commands down to this one, without the program's. */
  path: string;
  /** Arguments before the last word. */
  given: number;
  /** Whose value the last word is. */
  option: Option | null;
  /** After `--` nothing is an option. */
  onlyArguments: boolean;
}

/** `words`: those after the program's name; the last one is what is typed so far, which may be empty. */
export async function candidates(program: Command, words: readonly string[], io: Io): Promise<Candidate[]> {
  const last = words.at(-1) ?? '';
  const { option, command, path, given, onlyArguments } = placeAfter(program, words.slice(0, -1));
  if (option) return fitting(await valuesOf(option, `${path} ${option.long ?? ''}`, io), last);
  const argument = command.registeredArguments[given] ?? command.registeredArguments.findLast((one) => one.variadic);
  const isOption = last.startsWith('-') && !onlyArguments;
  if (isOption) return fitting(optionsOf(command), last);
  const commands = given === 0 ? commandsOf(command) : [];
  const values = argument ? await valuesOf(argument, `${path} ${argument.name()}`, io) : [];
  return fitting([...commands, ...values], last);
}

/** `place`: as in `NAMED`. */
async function valuesOf(of: Option | Argument, place: string, io: Io): Promise<Candidate[]> {
  if (of.argChoices) return of.argChoices.map((word) => ({ word, about: '' }));
  const names = NAMED.find(([pattern]) => pattern.test(place))?.[1];
  return names === undefined ? [] : namesOf(names, io);
}

function placeAfter(program: Command, words: readonly string[]): Place {
  const place: Place = { command: program, path: '', given: 0, option: null, onlyArguments: false };
  for (const word of words) {
    const sub = place.command.commands.find((one) => one.name() === word);
    if (place.option) place.option = null;
    else if (place.onlyArguments) place.given += 1;
    else if (word === '--') place.onlyArguments = true;
    else if (word.startsWith('-')) place.option = optionWithValue(place.command, word);
    else if (sub && place.given === 0) Object.assign(place, { command: sub, path: `${place.path} ${word}`.trim() });
    else place.given += 1;
  }
  return place;
}

/** The option that takes the next word. */
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

/** All that a shell takes as it stands: a name comes from a file that anybody may have written, and goes onto the command line. */
const PLAIN = /^[\p{L}\p{N}._:@%+=,/-]+$/u;

/** Of names none that a shell would read as more than a word; what is said of them is made visible. */
function fitting(all: readonly Candidate[], typed: string): Candidate[] {
  const found = all.filter(({ word }) => word.startsWith(typed) && PLAIN.test(word) && visible(word) === word);
  return found.map(({ word, about }) => ({ word, about: visible(about).replaceAll(/\s+/g, ' ') }));
}

/** The descriptions of the commands, which help, completion and the reference show. */
import type { Command } from 'commander';
import { expect, test } from 'vitest';
import type { Client } from '#contract/rpc.ts';
import { createProgram } from '#hosts/cli/program.ts';
import { memoryIo } from '../../support/memory-io.ts';

interface Described {
  name: string;
  description: string;
}

function listDescriptions(command: Command, path: string): Described[] {
  const help = command.createHelp();
  return [
    { name: path, description: command.description() },
    ...help.visibleOptions(command).map(({ flags, description }) => ({ name: `${path} ${flags}`, description })),
    ...command.registeredArguments.map((one) => ({ name: `${path} ${one.name()}`, description: one.description })),
    ...help
      .visibleCommands(command)
      .filter(isOwn)
      .flatMap((one) => listDescriptions(one, `${path} ${one.name()}`)),
  ];
}

/** `help` is commander's. */
const isOwn = (command: Command): boolean => command.name() !== 'help';

const io = memoryIo({ client: {} as Client });
const [program, ...described] = listDescriptions(
  createProgram(io, '0.0.0', () => undefined),
  'triad',
);

test('each command, argument and option has a description that is not a sentence', () => {
  expect(described.length).toBeGreaterThan(250);
  const unsuited = described.filter(({ description }) => !/^(?:[^A-Z]|HTTP|KEY=).{3,}[^.]$/.test(description));
  expect(unsuited).toEqual([]);
});

test('each description has at most 25 words', () => {
  const long = [program!, ...described].filter(({ description }) => description.split(' ').length > 25);
  expect(long).toEqual([]);
});

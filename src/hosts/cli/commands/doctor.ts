/** `triad doctor`: prints what works on this machine and what does not, one line each. */
import type { Command } from 'commander';
import { EXIT } from '../terminal/failure.ts';
import type { Exit, Io } from '../terminal/io.ts';
import { visible } from '../terminal/visible.ts';
import type { Finding } from './doctor/finding.ts';
import { json } from './parameters.ts';

interface Options {
  full?: boolean;
  json?: boolean;
}

export function addDoctor(program: Command, io: Io, exit: Exit): void {
  program
    .command('doctor')
    .description('check what works on this machine, and print how to fix the rest')
    .option('--full', 'also check the whole history for missing parts')
    .addOption(json())
    .action(async (options: Options) => exit(await doctor(io, options)));
}

/** Resolves with exit code 1 if a finding prevents work, or, with `full`, if a part of the history is missing. */
async function doctor(io: Io, { full = false, json }: Options): Promise<number> {
  const { examineMachine } = await import('./doctor/examine.ts');
  const findings = await examineMachine(io, full);
  if (json) io.screen.data(`${JSON.stringify(findings, null, 2)}\n`);
  else for (const finding of findings) io.screen.data(`${lineOf(io, finding)}\n`);
  return findings.some(({ state }) => state === 'problem') ? EXIT.failure : EXIT.ok;
}

const MARK = { ok: '✓', warning: '!', problem: '✗' } as const;
const INK = { ok: 'green', warning: 'yellow', problem: 'red' } as const;

function lineOf({ screen }: Io, { name, state, text, advice }: Finding): string {
  const what = advice === null ? '' : `; to do: ${visible(advice)}`;
  return `${screen.dataStyle(INK[state], `${MARK[state]} ${state.padEnd(7)}`)} ${name}: ${visible(text)}${what}`;
}

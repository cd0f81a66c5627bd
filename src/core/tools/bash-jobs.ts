/** The tool for commands that an agent runs in the background. */
import { z } from 'zod';
import { TriadError } from '../base/errors.ts';
import type { BackgroundCommand } from '../workspace/shell/background.ts';
import type { RunShell } from '../workspace/shell/run-shell.ts';
import { MAX_BYTES } from './reading/text-page.ts';
import { toToolResult } from './to-tool-result.ts';
import { defineTool } from './tool.ts';
import { NO_PERMISSION } from './traits.ts';

const Input = z.strictObject({
  action: z.enum(['list', 'read', 'kill']).describe('List all, read the output of one, or end it.'),
  id: z.string().min(1).max(100).optional().describe('The command, for read and kill.'),
  from: z.int().min(0).optional().describe('For read: the position that the last read ended with.'),
});

export const bashJobs = defineTool<z.infer<typeof Input>>({
  ...NO_PERMISSION,
  name: 'bash_jobs',
  changesState: true,
  describe: () => 'Lists your background commands, reads the output of one, or ends it.',
  input: Input,
  calledAs: { bash_output: { action: 'read' }, bash_kill: { action: 'kill' } },
  bounds: true,
  order: 'serial',
  execute: ({ action, id, from = 0 }, context) =>
    toToolResult(context, async () => {
      const { background } = context.shell.commands;
      if (action === 'list') {
        const all = background.list();
        const output = all.length === 0 ? 'You run nothing in the background.' : all.map(line).join('\n');
        return { status: 'completed', output, metadata: { commands: all.length } };
      }
      if (id === undefined) throw new TriadError('bad_input', `Name the id of the command to ${action}`);
      if (action === 'kill') return { status: 'completed', output: line(await background.kill(id)) };
      return read(context.shell.commands, id, from);
    }),
});

async function read({ background }: RunShell, id: string, from: number) {
  const { text, before, cursor, more, unkept, isRunning } = await background.read(id, from, MAX_BYTES);
  const state = background.list().find((one) => one.id === id);
  const notes = [
    ...(state ? [line(state)] : []),
    more > 0 ? `${more} bytes more: read on from ${cursor}` : isRunning ? `read on from ${cursor}` : 'that is all',
    ...(unkept > 0 ? [`${unkept} bytes were not kept`] : []),
  ];
  const output = `${text}${text === '' || text.endsWith('\n') ? '' : '\n'}[${notes.join('; ')}]`;
  return { status: 'completed' as const, output, ...(before === '' ? {} : { before }), metadata: { id, from: cursor } };
}

function line(job: BackgroundCommand): string {
  const { id, command, isRunning, exitCode, signal, timedOut, isStopped, failure, putBack } = job;
  const state = isRunning
    ? 'runs'
    : failure !== null
      ? `failed: ${failure}`
      : timedOut
        ? 'ended: its time was up'
        : isStopped
          ? 'was ended'
          : exitCode === null
            ? `ended by ${signal ?? 'a signal'}`
            : `exit code ${exitCode}`;
  const restored = putBack.length === 0 ? '' : ` (put back as before the command: ${putBack.join(', ')})`;
  return `${id}: ${state}${restored}: ${command.split('\n', 1)[0] ?? ''}`;
}

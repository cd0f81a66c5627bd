/** `triad acp`: runs as an agent for an editor, over standard input and output. */
import type { Command } from 'commander';
import { ownVersion } from '../../version.ts';
import { EXIT, Interruption } from '../terminal/failure.ts';
import type { Exit, Io } from '../terminal/io.ts';

export function addAcp(program: Command, io: Io, exit: Exit): void {
  program
    .command('acp')
    .description('run as an agent for an editor that speaks the Agent Client Protocol, over standard input and output')
    .action(async () => exit(await acp(io)));
}

async function acp(io: Io): Promise<number> {
  const { Readable } = await import('node:stream');
  const { serveAcp } = await import('../../acp/acp.ts');
  const { screen, signal, stdin } = io;
  const decoder = new TextDecoder();
  const endsNow = () => signal.reason instanceof Interruption && signal.reason.by !== 'EPIPE';
  await serveAcp({
    input: Readable.toWeb(stdin) as ReadableStream<Uint8Array>,
    output: new WritableStream<Uint8Array>({
      write: (bytes) => screen.data(decoder.decode(bytes, { stream: true })),
    }),
    backlog: () => screen.backlog,
    note: (line) => screen.note(line),
    connect: () => io.connect({ works: true }),
    signal,
    endsNow,
    version: await ownVersion(),
  });
  return signal.reason instanceof Interruption && signal.reason.by !== 'EPIPE' ? signal.reason.exitCode : EXIT.ok;
}

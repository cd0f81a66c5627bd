/** `triad acp`: an agent for editors, over standard input and output. */
import { Readable } from 'node:stream';
import { serveAcp } from '../../acp/acp.ts';
import { ownVersion } from '../../version.ts';
import { EXIT, Interruption } from '../terminal/failure.ts';
import type { Io } from '../terminal/io.ts';

export async function acp(io: Io): Promise<number> {
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
    ...{ signal, endsNow, version: await ownVersion() },
  });
  return signal.reason instanceof Interruption && signal.reason.by !== 'EPIPE' ? signal.reason.exitCode : EXIT.ok;
}

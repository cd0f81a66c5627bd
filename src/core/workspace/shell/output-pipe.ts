/** A pipe for what a command writes: Node's own are sockets, which nobody can open by `/dev/stdout`. */
import { execFile } from 'node:child_process';
import { close, constants, open } from 'node:fs';
import { rm } from 'node:fs/promises';
import { Socket } from 'node:net';
import { promisify } from 'node:util';

export interface OutputPipe {
  /** Ends when nothing is left that could write. */
  readonly reading: Socket;
  /** The descriptor for the command. */
  readonly writing: number;
  /** Closes `writing` here; to be called once, as soon as the command has it. */
  handedOver: () => Promise<void>;
}

/** `path`: where nothing is yet; nothing is there afterwards either. */
export async function outputPipe(path: string): Promise<OutputPipe> {
  await promisify(execFile)('mkfifo', ['-m', '600', path]);
  const opened = promisify(open);
  try {
    // Without waiting for the other end.
    const reading = await opened(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
    const writing = await opened(path, constants.O_WRONLY | constants.O_NOFOLLOW);
    const socket = new Socket({ fd: reading, readable: true, writable: false });
    return { reading: socket, writing, handedOver: () => promisify(close)(writing) };
  } finally {
    await rm(path, { force: true });
  }
}

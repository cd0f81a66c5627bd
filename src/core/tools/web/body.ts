/** The body of an answer, unpacked, no longer than it may be. */
import type { IncomingMessage } from 'node:http';
import { pipeline } from 'node:stream/promises';
import type { Transform } from 'node:stream';
import { TriadError } from '../../base/errors.ts';

/** Loaded where something is packed, not with the program. */
const zlib = () => process.getBuiltinModule('node:zlib');
const DECODERS: Readonly<Record<string, () => Transform>> = {
  gzip: () => zlib().createGunzip(),
  'x-gzip': () => zlib().createGunzip(),
  deflate: () => zlib().createInflate(),
  br: () => zlib().createBrotliDecompress(),
};

interface Sizes {
  receivedBytes: number;
  bodyBytes: number;
}

/** Throws `limit_reached` as soon as it is too large, and `unreachable` for one in an encoding that was not asked for. */
export async function bodyOf(message: IncomingMessage, { receivedBytes, bodyBytes }: Sizes): Promise<Buffer> {
  const encoding = (message.headers['content-encoding'] ?? '').trim().toLowerCase();
  const decoder = Object.hasOwn(DECODERS, encoding) ? DECODERS[encoding] : undefined;
  if (!decoder && encoding !== '' && encoding !== 'identity') {
    message.destroy();
    throw new TriadError('unreachable', `The answer is packed as ${encoding}, which was not asked for`);
  }
  const received = counted(receivedBytes, 'sent');
  const unpacked = counted(bodyBytes, 'unpacked');
  const parts: Buffer[] = [];
  const keep = async (chunks: AsyncIterable<Buffer>): Promise<void> => {
    for await (const chunk of chunks) parts.push(chunk);
  };
  await (decoder ? pipeline(message, received, decoder(), unpacked, keep) : pipeline(message, received, keep));
  return Buffer.concat(parts);
}

function counted(most: number, what: string) {
  return async function* (chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    let bytes = 0;
    for await (const chunk of chunks) {
      bytes += chunk.length;
      if (bytes > most)
        throw new TriadError('limit_reached', `The answer is larger than ${most} bytes as it is ${what}`);
      yield chunk;
    }
  };
}

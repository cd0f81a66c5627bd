/** Reads what one address answers, as text: bounded in size and time, without following it elsewhere. */
import { TriadError } from '../../base/errors.ts';
import { fetchFor } from '../../base/outgoing.ts';

interface FetchOptions {
  headers: Record<string, string>;
  signal: AbortSignal;
  maxBytes: number;
  timeoutMs: number;
}

/** Throws `provider` where nothing is heard, too much comes or it takes too long, and what the signal says. */
export type FetchText = (url: string, options: FetchOptions) => Promise<{ status: number; text: string }>;

/** For an address that the person has configured: it may be on this machine, so it is not checked. */
export const fetchText: FetchText = async (url, { headers, signal, maxBytes, timeoutMs }) => {
  const { host } = new URL(url);
  const late = AbortSignal.timeout(timeoutMs);
  try {
    const response = await fetchFor('search')(url, {
      headers,
      redirect: 'manual',
      signal: AbortSignal.any([signal, late]),
    });
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
      bytes += chunk.length;
      if (bytes > maxBytes) throw new TriadError('provider', `${host} answered with more than ${maxBytes} bytes`);
      chunks.push(chunk);
    }
    return { status: response.status, text: Buffer.concat(chunks).toString('utf8') };
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof TriadError) throw error;
    const what = late.aborted ? `did not answer within ${timeoutMs / 1000} s` : 'cannot be reached';
    throw new TriadError('provider', `${host} ${what}: check web.search.url`, { cause: error });
  }
};

/** What a server may ask of us and tell us: answered by the call that runs, or declined. */
import type { Client } from '@modelcontextprotocol/client';
import { TriadError } from '../base/errors.ts';
import { cutAtCodePoint } from '../base/text.ts';
import type { Answering, InFlight } from './in-flight.ts';
import type { ServerLog } from './server-log.ts';

/** JSON-RPC's code for what the person declined, as the protocol names it. */
const DECLINED = -1;
const LOGGED_CHARS = 500;
/** Most that is put to a person, in characters of its JSON: they read all of it, and it is kept. */
const ASKED_CHARS = { onElicit: 16 * 1024, onSample: 128 * 1024 };

export interface Requests {
  readonly roots: readonly { readonly uri: string; readonly name: string }[];
  readonly sampling: boolean;
  /** The oldest first. */
  readonly calls: () => readonly InFlight[];
  readonly log: ServerLog;
  /** Called when a call has asked too many questions. */
  readonly onLimit: () => void;
  readonly onLists: () => void;
}

export function answerServer(client: Client, requests: Requests): void {
  const { roots, sampling, log, onLists } = requests;
  client.setRequestHandler('roots/list', () => ({ roots: roots.map((root) => ({ ...root })) }));
  client.setRequestHandler('elicitation/create', async ({ params }, { mcpReq }) => {
    // Only forms are offered; the SDK refuses the rest.
    if (params.mode === 'url' || isTooLong('onElicit', params, log)) return { action: 'decline' };
    const { message, requestedSchema: schema } = params;
    const answer = await answered(requests, 'onElicit', mcpReq.signal, (ask, signal) =>
      ask({ message, schema }, signal),
    );
    return answer === null ? { action: 'decline' } : { ...answer };
  });
  if (sampling)
    client.setRequestHandler('sampling/createMessage', async ({ params }, { mcpReq }) => {
      const answer = isTooLong('onSample', params, log)
        ? null
        : await answered(requests, 'onSample', mcpReq.signal, (ask, signal) => ask(params, signal));
      if (answer === null) throw Object.assign(new Error('The person declined'), { code: DECLINED });
      return answer;
    });
  for (const list of ['tools', 'resources', 'prompts'] as const)
    client.setNotificationHandler(`notifications/${list}/list_changed`, onLists);
  client.setNotificationHandler('notifications/message', ({ params: { level, data } }) => {
    const text = typeof data === 'string' ? data : (JSON.stringify(data) ?? '');
    log.add(`${level}: ${cutAtCodePoint(text, LOGGED_CHARS)}`);
  });
}

function isTooLong(key: keyof Answering, params: object, log: ServerLog): boolean {
  const isLong = JSON.stringify(params).length > ASKED_CHARS[key];
  if (isLong) log.add(`${key}: declined: it has more than ${ASKED_CHARS[key] / 1024} KB`);
  return isLong;
}

/** Asks the oldest call that can answer; its time stands still meanwhile. Null where none can, or it failed. */
async function answered<K extends keyof Answering, R>(
  { calls, log, onLimit }: Requests,
  key: K,
  asked: AbortSignal,
  ask: (handler: NonNullable<Answering[K]>, signal: AbortSignal) => Promise<R>,
): Promise<R | null> {
  const call = calls().find(({ answering }) => answering[key] !== undefined);
  const handler = call?.answering[key];
  if (!call || !handler) return null;
  const release = call.hold();
  try {
    return await ask(handler, AbortSignal.any([asked, call.signal]));
  } catch (error) {
    if (error instanceof TriadError && error.code === 'limit_reached') onLimit();
    log.add(`${key}: no answer: ${String(error)}`);
    return null;
  } finally {
    release();
  }
}

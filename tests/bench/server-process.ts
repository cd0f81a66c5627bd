/** The model's server in a process of its own: `scripted FIRST_TOKEN_MS DELTA_MS`, `cards WORDS DELTA_MS`, `plain`, `long` or `stamped`. */
import { plainAnswer, threeChildren } from '../support/fake-model/scenarios.ts';
import { summarising } from '../support/fake-model/compacting.ts';
import { type Script, text } from '../support/fake-model/script.ts';
import { startFakeModel } from '../support/fake-model/server.ts';
import { fromEpoch } from './clock.ts';
import { ANSWER } from './long-answer.ts';
import { serve } from './peer.ts';
import { startStampedServer } from './stamped-server.ts';
import { threeReports } from './three-reports.ts';

/** A request as the server saw it; times are on the common clock. */
export interface Handled {
  /** Name of the script's rule that answered. */
  rule: string;
  receivedAt: number;
  /** When all was written, or the client went away. */
  endedAt: number | null;
  /** Of its body. */
  bytes: number;
}

export interface ServerOperations {
  url(): Promise<string>;
  /** The requests since the last `take`. */
  peek(): Promise<Handled[]>;
  /** Likewise, and forgets them. */
  take(): Promise<Handled[]>;
}

function scriptOf(kind: string): Script {
  if (kind === 'plain') return plainAnswer();
  if (kind === 'cards') return threeReports(Number(first));
  if (kind !== 'long') return threeChildren();
  return summarising()
    .on({})
    .reply([text(ANSWER)], { name: 'answer' });
}

const [kind = '', first = '0', deltaMs = '0'] = process.argv.slice(2);
if (kind === 'stamped') {
  const server = await startStampedServer();
  const none = () => Promise.resolve([]);
  serve({ url: () => Promise.resolve(server.url), peek: none, take: none }, server.close);
} else {
  const cards = kind === 'cards';
  const latency = { firstTokenMs: cards ? 0 : Number(first), deltaMs: Number(deltaMs) };
  const script = scriptOf(kind);
  const server = await startFakeModel(script, { latency });
  const peek = async (): Promise<Handled[]> =>
    server.requests.map(({ rule, problem, receivedAt, endedAt, headers }) => {
      if (rule === null) throw new Error(`a request was refused: ${problem}`);
      const bytes = Number(headers['content-length']);
      if (!(bytes > 0)) throw new Error('a request did not say how long it is');
      return {
        rule,
        receivedAt: fromEpoch(receivedAt),
        endedAt: endedAt === null ? null : fromEpoch(endedAt),
        bytes,
      };
    });
  const take = async (): Promise<Handled[]> => {
    const handled = await peek();
    server.requests.length = 0;
    return handled;
  };
  serve({ url: () => Promise.resolve(server.url), peek, take }, () => server.close());
}

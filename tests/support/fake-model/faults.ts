/** What servers do wrong, in each protocol: how it is played, and what must come of it. */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as turn, setTimeout as wait } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import type { ErrorCode } from '#contract/error.ts';
import { chat } from './dialects/chat.ts';
import type { Dialect, Reply } from './dialects/dialect.ts';
import { messages } from './dialects/messages.ts';
import { responses } from './dialects/responses.ts';
import type { Block } from './script.ts';

const DIALECTS = { messages, chat, responses } as const satisfies Record<string, Dialect>;

/** `whole`: nothing is lost, nothing doubled; a code: the attempt fails, and is worth another one or not. */
type Outcome = 'whole' | 'empty' | readonly [code: ErrorCode, retryable: boolean];

interface Place {
  dialect: Dialect;
  response: ServerResponse;
  /** The events of the whole response, as they are sent. */
  frames: string[];
}

export interface Fault {
  name: string;
  play: (place: Place) => unknown;
  outcome: Outcome;
  /** The request is stopped after so many milliseconds. */
  stopMs?: number;
  /** Counts that cannot be true, and counts that do not come. */
  usage?: 'miscount' | 'missing';
}

function framesOf(dialect: Dialect, blocks: Block[], options: Reply['options'] = {}): string[] {
  const reply = { id: `${dialect.idPrefix}1`, model: 'm-1', options };
  const chunks = dialect.chunks(blocks, reply, 0, () => 'call_1');
  return [dialect.start(reply), ...chunks.map(({ data }) => data)];
}

const LOST = ['unreachable', true] as const;
const STRANGE = ['provider', false] as const;

function stream({ response }: Place, text: string | Buffer, headers: Record<string, string> = {}): void {
  response.writeHead(200, { 'content-type': 'text/event-stream', ...headers });
  response.write(text);
}

const whole = (place: Place, text: string | Buffer, headers?: Record<string, string>): void => {
  stream(place, text, headers);
  place.response.end();
};

/** Breaks the connection after what was written has left. */
const reset = ({ response }: Place, ms = 5): unknown => wait(ms).then(() => response.destroy());

/** Where the words end and what says that they are whole begins. */
function endAt({ dialect, frames }: Place): number {
  const first = frames.findIndex((frame) => /message_delta|"finish_reason":"|response\.completed/.test(frame));
  if (first < 0) throw new Error(`${dialect.path} has no end`);
  return first;
}

/** The frames with another value in place of each usage; undefined leaves it out. */
function counted({ frames }: Place, usage: (value: object) => unknown): string {
  const changed = frames.map((frame) =>
    frame.replace(/^data: (\{.*)$/m, (_, json: string) => {
      const data = JSON.parse(json, (key, value: unknown) =>
        key === 'usage' && typeof value === 'object' && value !== null ? usage(value) : value,
      ) as object;
      return `data: ${JSON.stringify(data)}`;
    }),
  );
  return changed.join('');
}

const withCounts =
  (value: unknown) =>
  (usage: object): unknown =>
    Object.fromEntries(
      Object.entries(usage).map(([key, one]: [string, unknown]) => [key, typeof one === 'number' ? value : one]),
    );

function answer(status: number, body: string | object | null, headers: Record<string, string> = {}) {
  return ({ response, dialect }: Place): void => {
    const own = body === null ? '' : typeof body === 'string' ? body : JSON.stringify(body);
    const type = own.startsWith('<') ? 'text/html' : 'application/json';
    response.writeHead(status, { 'content-type': type, 'x-path': dialect.path, ...headers });
    response.end(own);
  };
}

/** The body that the protocol itself has for it. */
function own(status: number, type: string, message = 'Sorry') {
  return (place: Place): void => answer(status, place.dialect.errorBody(type, message))(place);
}

/** More and more words of an error, until nobody listens. */
async function endless({ response }: Place): Promise<void> {
  response.writeHead(500, { 'content-type': 'text/plain' });
  while (!response.destroyed) {
    response.write(Buffer.alloc(100_000, 'x'));
    await turn();
  }
}

const HTML = '<html><body>502 Bad Gateway</body></html>';

const ANSWERS: readonly (readonly [string, Fault['play'], Outcome])[] = [
  ['400 with a reason', own(400, 'invalid_request_error'), ['bad_request', false]],
  ['400 as vLLM says it', answer(400, { object: 'error', message: 'no', code: 400 }), ['bad_request', false]],
  ['401', own(401, 'authentication_error'), ['auth', false]],
  ['401 without a body', answer(401, null), ['auth', false]],
  ['402 without a body', answer(402, null), ['provider', true]],
  ['403 with a page', answer(403, HTML), ['auth', false]],
  ['404 of a path', answer(404, { detail: 'Not Found' }), STRANGE],
  ['404 with a page', answer(404, HTML), STRANGE],
  ['404 of a model', own(404, 'not_found_error', 'model: m-1'), ['not_found', false]],
  ['404 as Ollama says it', answer(404, { error: "model 'm-1' not found" }), ['not_found', false]],
  ['408', answer(408, null), ['provider', true]],
  ['409', own(409, 'conflict_error'), ['provider', true]],
  ['413 with a page', answer(413, HTML), ['bad_request', false]],
  ['418', answer(418, null), STRANGE],
  ['422 as FastAPI says it', answer(422, { detail: [{ msg: 'Field required' }] }), ['bad_request', false]],
  ['429 at once again', answer(429, null, { 'retry-after': '0' }), ['rate_limited', true]],
  ['429 with a reason', own(429, 'rate_limit_error'), ['rate_limited', true]],
  ['429 for want of money', own(429, 'insufficient_quota'), ['provider', true]],
  ['500 with a page', answer(500, HTML), ['provider', true]],
  ['502 with half a body', answer(502, '{"error": {"mess'), ['provider', true]],
  ['500 without end', endless, ['provider', true]],
  ['503 without a body', answer(503, null), ['provider', true]],
  ['529', own(529, 'overloaded_error'), ['overloaded', true]],
  ['307 to elsewhere', (place) => answer(307, null, { location: `${place.dialect.path}?elsewhere` })(place), STRANGE],
  ['200 with a page', answer(200, HTML), STRANGE],
  ['200 with an error', answer(200, { error: { message: 'no' } }), STRANGE],
  ['200 with a whole answer, not streamed', answer(200, { choices: [{ message: { content: 'Hi' } }] }), STRANGE],
  ['200 without anything', answer(200, ''), STRANGE],
];

const CUTS: readonly (readonly [string, Fault['play'], Outcome])[] = [
  ['a reset before the headers', ({ response }) => response.destroy(), LOST],
  ['something else than HTTP', ({ response }) => response.socket?.end('+OK ready\r\n\r\n'), LOST],
  ['a stream without events', (place) => whole(place, ''), LOST],
  ['a cut after the headers', (place) => (stream(place, ': hi\n\n'), reset(place)), LOST],
  ['a cut after the start', (place) => (stream(place, place.frames[0]!), reset(place)), LOST],
  [
    'a cut in an event',
    (place) => (stream(place, place.frames.slice(0, 3).join('').slice(0, -20)), reset(place)),
    LOST,
  ],
  [
    'a cut within a letter',
    (place) => {
      const bytes = Buffer.from(place.frames.join(''));
      stream(place, bytes.subarray(0, bytes.indexOf('ü') + 1));
      return reset(place);
    },
    LOST,
  ],
  [
    'a cut before the end',
    (place) => (stream(place, place.frames.slice(0, endAt(place)).join('')), reset(place)),
    LOST,
  ],
  ['an end in good order after two words', (place) => whole(place, place.frames.slice(0, 3).join('')), LOST],
  ['an end in good order before the end', (place) => whole(place, place.frames.slice(0, endAt(place)).join('')), LOST],
  ['half of an event', (place) => whole(place, `${place.frames[0]}data: {"type": "x", "a\n\n`), LOST],
  ['an encoding that it is not', (place) => whole(place, place.frames.join(''), { 'content-encoding': 'gzip' }), LOST],
  [
    'a length that is not reached',
    (place) => (stream(place, place.frames[0]!, { 'content-length': '90000' }), reset(place)),
    LOST,
  ],
];

const joinedFrames = ({ frames }: Place): string => frames.join('');

const ODD: readonly (readonly [string, Fault['play'], Outcome])[] = [
  ['headers that come late', (place) => wait(40).then(() => whole(place, joinedFrames(place))), 'whole'],
  ['a reset after the end', (place) => (stream(place, joinedFrames(place)), reset(place, 20)), 'whole'],
  ['a connection that stays after the end', (place) => stream(place, joinedFrames(place)), 'whole'],
  ['comments between events', (place) => whole(place, place.frames.join(': keep-alive\n\n')), 'whole'],
  ['Windows line ends', (place) => whole(place, joinedFrames(place).replaceAll('\n', '\r\n')), 'whole'],
  [
    'pieces of three bytes',
    async (place) => {
      stream(place, '');
      const bytes = Buffer.from(joinedFrames(place));
      // One write each to the socket, but not one turn of the clock.
      for (let at = 0; at < bytes.length; at += 3) place.response.write(bytes.subarray(at, at + 3));
      place.response.end();
      return Promise.resolve();
    },
    'whole',
  ],
  [
    'events of no known type',
    (place) => whole(place, place.frames.join('data: {"type": "hologram", "x": 1}\n\n')),
    'whole',
  ],
  ['events that are no objects', (place) => whole(place, place.frames.join('data: 42\n\ndata: []\n\n')), 'whole'],
  ['a start that comes twice', (place) => whole(place, place.frames[0]! + joinedFrames(place)), 'whole'],
  ['no start', (place) => whole(place, place.frames.slice(1).join('')), 'whole'],
  [
    'an end that comes twice',
    (place) => whole(place, joinedFrames(place) + place.frames.slice(endAt(place)).join('')),
    'whole',
  ],
  ['everything twice', (place) => whole(place, joinedFrames(place) + joinedFrames(place)), 'whole'],
  ['a line of a megabyte', (place) => whole(place, `: ${'x'.repeat(1_000_000)}\n\n${joinedFrames(place)}`), 'whole'],
  ['another content type', (place) => whole(place, joinedFrames(place), { 'content-type': 'text/plain' }), 'whole'],
  [
    'no word at all',
    (place) => whole(place, [place.frames[0]!, ...place.frames.slice(endAt(place))].join('')),
    'empty',
  ],
];

/** Errors within the stream, in the protocol's own form. */
const TOLD: readonly (readonly [string, Fault['play'], Outcome])[] = (
  [
    ['overloaded_error', ['overloaded', true]],
    ['rate_limit_error', ['rate_limited', true]],
    ['server_error', ['provider', true]],
    ['never_heard_of', ['provider', true]],
    ['invalid_request_error', ['bad_request', false]],
    ['insufficient_quota', ['provider', true]],
  ] as const
).map(([type, outcome]) => [
  `the error ${type} after two words`,
  (place) => whole(place, place.frames.slice(0, 3).join('') + place.dialect.errorEvent(type, 'Sorry')),
  outcome,
]);

const COUNTS: readonly Fault[] = [
  {
    name: 'no usage',
    play: (place) =>
      whole(
        place,
        counted(place, () => undefined),
      ),
    outcome: 'whole',
    usage: 'missing',
  },
  {
    name: 'usage null',
    play: (place) =>
      whole(
        place,
        counted(place, () => null),
      ),
    outcome: 'whole',
    usage: 'missing',
  },
  ...[-5, 'many', 1.5, 1e300].map((value): Fault => ({
    name: `counts of ${value}`,
    play: (place) => whole(place, counted(place, withCounts(value))),
    outcome: 'whole',
    usage: 'miscount',
  })),
];

const STOPPED: readonly Fault[] = [
  { name: 'silence', play: () => undefined, outcome: ['cancelled', false], stopMs: 20 },
  {
    name: 'silence after a word',
    play: (place) => stream(place, place.frames.slice(0, 3).join('')),
    outcome: ['cancelled', false],
    stopMs: 30,
  },
  {
    name: 'words without end',
    play: async (place) => {
      stream(place, place.frames.slice(0, 2).join(''));
      while (!place.response.destroyed) {
        place.response.write(place.frames[2] ?? '');
        await wait(1);
      }
    },
    outcome: ['cancelled', false],
    stopMs: 30,
  },
];

export const FAULTS: readonly Fault[] = [
  ...[...ANSWERS, ...CUTS, ...ODD, ...TOLD].map(([name, play, outcome]) => ({ name, play, outcome })),
  ...COUNTS,
  ...STOPPED,
];

export interface FaultyServer {
  url: string;
  /** What is played from now on, for one request after the other; those after them get the whole response. */
  next: (faults: readonly Fault[], blocks: Block[]) => void;
  /** How many requests came since then, and the paths of all. */
  requests: string[];
}

/** One server for all three protocols; ends with the test. */
export async function startFaulty(): Promise<FaultyServer> {
  let [queue, reply]: [Fault[], Block[]] = [[], []];
  const requests: string[] = [];
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    request.resume();
    const dialect = Object.values(DIALECTS).find((one) => path.startsWith(one.path));
    if (!dialect) return void response.writeHead(404).end();
    requests.push(path);
    const place = { dialect, response, frames: framesOf(dialect, reply) };
    const played = queue.shift()?.play ?? ((at: Place) => whole(at, joinedFrames(at)));
    request.on('end', () => void played(place));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // An address object, as the server listens on a port.
  const { port } = server.address() as AddressInfo;
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const next: FaultyServer['next'] = (faults, blocks) => {
    [queue, reply] = [[...faults], blocks];
    requests.length = 0;
  };
  return { url: `http://127.0.0.1:${port}`, next, requests };
}

/** What a page could send over the bridge that no page of this program does: generated, by class, the same for a seed. */
import fc from 'fast-check';
import { type MethodName, methods, type TopicName, topics } from '#contract/rpc.ts';

export interface Hostile {
  class: string;
  frame: unknown;
}

const METHODS = Object.keys(methods) as MethodName[];
const TOPICS = Object.keys(topics) as TopicName[];
const INHERITED = ['constructor', '__proto__', 'toString', 'hasOwnProperty', 'valueOf', 'then', 'prototype', 'call'];
const PATHS = [
  ...['../../../etc/passwd', '..\\..\\boot.ini', '%2e%2e%2fetc', '/proc/self/environ', 'file:///etc/passwd'],
  ...[
    'app://../package.json',
    '\0',
    'a\0b',
    '~/.ssh/id_rsa',
    '\u202Egpj.exe',
    '$(id)',
    '; rm -rf /',
    '\r\nrefused nothing',
  ],
];
const id = fc.integer({ min: 1, max: 2 ** 31 });
const path = fc.constantFrom(...PATHS);
const text = fc.oneof(path, fc.string(), fc.constantFrom('x'.repeat(5000), '<script>alert(1)</script>', '${7*7}'));
const json = fc.jsonValue({ maxDepth: 4 });

/** A value with a name that would change what every object has, where it is taken over carelessly. */
const polluted = fc
  .tuple(fc.constantFrom('__proto__', 'constructor', 'prototype'), text)
  .map(([name, value]) => JSON.parse(`{${JSON.stringify(name)}:{"polluted":${JSON.stringify(value)}}}`) as object);
const deep = fc.integer({ min: 200, max: 2000 }).map((depth) => {
  let value: unknown = 'end';
  for (let level = 0; level < depth; level += 1) value = { value };
  return value;
});
const wrong = fc.oneof(
  ...[
    json,
    polluted,
    deep,
    text,
    fc.array(text, { maxLength: 50 }),
    fc.record({ folder: path, path, conversationId: path }),
  ],
);
const request = (method: fc.Arbitrary<unknown>, input: fc.Arbitrary<unknown>) =>
  fc.record({ kind: fc.constant('request'), id, method, input });

/** Each class is refused for a reason of its own. */
const CLASSES: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  'no object': fc.oneof(fc.constantFrom(undefined, null, Number.NaN, true, 0n), fc.double(), fc.bigInt(), text),
  'a list': fc.array(json, { maxLength: 20 }),
  'no kind that there is': fc.record({
    kind: fc.oneof(text, json),
    id,
    method: fc.constantFrom(...METHODS),
    input: json,
  }),
  'no number': fc.record({
    kind: fc.constant('request'),
    id: fc.oneof(
      text,
      fc.constantFrom(Number.NaN, Infinity, 1.5, null, -0.1),
      json.filter((value) => !Number.isInteger(value)),
    ),
    method: fc.constantFrom(...METHODS),
    input: json,
  }),
  'more than a frame has': fc.record({
    kind: fc.constant('request'),
    id,
    method: fc.constantFrom(...METHODS),
    input: fc.constant({}),
    sender: text,
  }),
  'a frame of the other side': fc.record({
    kind: fc.constantFrom('reply', 'events'),
    id,
    reply: fc.constant({ ok: true, value: {} }),
    events: fc.array(json, { maxLength: 3 }),
  }),
  'a method that every object has': request(fc.constantFrom(...INHERITED), wrong),
  'no method': request(
    fc.oneof(
      text.filter((name) => !Object.hasOwn(methods, name)),
      fc.tuple(fc.constantFrom(...METHODS), fc.constantFrom(' ', '\0', '.', 'X')).map((parts) => parts.join('')),
    ),
    wrong,
  ),
  'a method that is no text': request(
    json.filter((value) => typeof value !== 'string'),
    wrong,
  ),
  'an input that the method does not take': fc
    .tuple(fc.constantFrom(...METHODS), wrong, id)
    .filter(([method, input]) => !methods[method].input.safeParse(input).success)
    .map(([method, input, number]) => ({ kind: 'request', id: number, method, input })),
  'a topic that there is not': fc.record({
    kind: fc.constant('subscribe'),
    id,
    topic: fc.oneof(
      fc.constantFrom(...INHERITED),
      text.filter((name) => !Object.hasOwn(topics, name)),
    ),
    input: wrong,
  }),
  'an input that the topic does not take': fc
    .tuple(fc.constantFrom(...TOPICS), wrong, id)
    .filter(([topic, input]) => !topics[topic].safeParse(input).success)
    .map(([topic, input, number]) => ({ kind: 'subscribe', id: number, topic, input })),
};

/** Can be copied from one process to the other, but is no JSON. */
const COPIED: readonly (() => unknown)[] = [
  () => new Map([['kind', 'request']]),
  () => new Set(['request']),
  () => new Date(0),
  () => /request/,
  () => new ArrayBuffer(64),
  () => new Uint8Array(64),
  () => new Error('request'),
  () => Object.assign([], { kind: 'request', id: 1, method: 'app.state', input: {} }),
  () => {
    const loop: Record<string, unknown> = { kind: 'request', id: 'x' };
    loop['input'] = loop;
    return loop;
  },
];

export const HOSTILE_CLASSES: readonly string[] = [...Object.keys(CLASSES), 'what is no JSON'];

/** So many, of every class as many; no two of them are the same. `json`: only what a test can send to another process. */
export function hostileFrames(seed: number, count: number, only: 'json' | 'any' = 'any'): Hostile[] {
  const classes = Object.entries(CLASSES);
  const each = Math.ceil(count / classes.length);
  const found = classes.flatMap(([name, arbitrary], index) => {
    const seen = new Map<string, unknown>();
    for (const frame of fc.sample(arbitrary, { seed: seed + index, numRuns: each * 3 }))
      if (seen.size < each) seen.set(spelled(frame), frame);
    const frames = [...seen.values()];
    return frames.flatMap((frame) => (only === 'any' || isJson(frame) ? [{ class: name, frame }] : []));
  });
  if (only === 'json') return found.slice(0, count);
  return [
    ...found.slice(0, count - COPIED.length),
    ...COPIED.map((make) => ({ class: 'what is no JSON', frame: make() })),
  ];
}

const spelled = (value: unknown): string =>
  typeof value === 'bigint' ? `${value}n` : (JSON.stringify(value) ?? 'undefined');
/** Node's own channel between processes, over which a test speaks, gives up on what is nested deeper. */
const MOST_LEVELS = 100;
const isJson = (value: unknown): boolean =>
  value !== undefined && typeof value !== 'bigint' && !Number.isNaN(value) && levelsOf(value) < MOST_LEVELS;
const levelsOf = (value: unknown): number =>
  typeof value !== 'object' || value === null ? 0 : 1 + Math.max(0, ...Object.values(value).map(levelsOf));

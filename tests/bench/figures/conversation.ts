/** A long conversation: what a message takes of the processor, by the number of messages before it. */
import { type Figure, figure } from '../figure.ts';
import type { Peer } from '../peer.ts';
import type { Session } from '../session.ts';
import type { SideOperations } from '../side.ts';

/** Messages whose mean counts: the tenth is the middle of the first of them. */
const WINDOW = 19;

/** Times of a person's uses of a long conversation, in milliseconds. */
const BARS: Readonly<Record<string, number>> = { open: 50, search: 150 };
/** The longest time for which the main loop may be blocked, in milliseconds. */
const LONGEST_BLOCK = 50;

export async function conversationFigures(session: Session): Promise<Figure[]> {
  return [...(await messageFigures(session)), ...(await longFigures(session))];
}

/** A conversation whose contexts are compacted at 200,000 tokens: a message in it, and what else a person does with it. */
async function longFigures(session: Session): Promise<Figure[]> {
  const { conversation: count } = session.sizes;
  const server = await session.server('long');
  const long = await session.conversation('long', await server.ask('url'));
  const note = `${count} messages of 1,000 characters, with compactions; processor time of all threads`;
  await long.ask('seed', count);
  const [first, ...later] = [await long.ask('talk', 1), await long.ask('talk', 3), await long.ask('talk', WINDOW)];
  const message = later.at(-1) ?? first;
  const bodies = (await server.ask('take')).map(({ bytes }) => bytes);
  const uses = { 'the first message': first, ...(await long.ask('use')) };
  return [
    figure({
      id: 'long-message-cpu',
      title: 'long conversation: a message',
      unit: 'ms',
      ours: message.cpuMs / WINDOW,
      note,
    }),
    figure({
      id: 'long-body',
      title: 'likewise, largest request body',
      unit: 'KB',
      ours: Math.max(...bodies) / 1000,
      note,
    }),
    figure({ id: 'long-heap', title: 'likewise, heap', unit: 'MB', ours: message.heap / 2 ** 20, note }),
    figure({ id: 'long-rss', title: 'likewise, resident memory', unit: 'MB', ours: message.rss / 2 ** 20, note }),
    ...Object.entries(uses).flatMap(([name, { ms, cpuMs, blockedMs }]) => {
      const id = `long-${name.replaceAll(' ', '-')}`;
      const bar = BARS[name];
      return [
        figure({
          id,
          title: `likewise, ${name}`,
          unit: 'ms',
          ours: ms,
          ...(bar === undefined ? {} : { bar: { atMost: bar } }),
          note: `${note}: ${cpuMs.toFixed(0)} ms`,
        }),
        figure({
          id: `${id}-blocked`,
          title: `likewise, main loop blocked by ${name}`,
          unit: 'ms',
          ours: blockedMs,
          bar: { atMost: LONGEST_BLOCK },
          note: 'processor time of the main thread between two timers',
        }),
      ];
    }),
  ];
}

async function messageFigures(session: Session): Promise<Figure[]> {
  const { talk: count } = session.sizes;
  const { ours, floor } = await session.arena('conversation', 'plain');
  const own = await measure(ours, count);
  const bare = await measure(floor, count);
  const note = `all threads, with the work behind it; mean of ${WINDOW} messages`;
  return [
    figure({
      id: 'message-cpu',
      title: `processor time of a message, the ${count}th of a conversation`,
      unit: 'ms',
      ours: own.last,
      floor: bare.last,
      note,
    }),
    figure({
      id: 'message-growth',
      title: `likewise, the ${count}th ÷ the 10th`,
      unit: '',
      bar: { atMost: 1.3 },
      ours: own.last / own.tenth,
      note: `${note}; the 10th: ${own.tenth.toFixed(1)} ms, of the floor ${bare.tenth.toFixed(1)} and ${bare.last.toFixed(1)} ms`,
    }),
  ];
}

async function measure(side: Peer<SideOperations>, count: number): Promise<{ tenth: number; last: number }> {
  // The first messages of a process compile it.
  await side.ask('talk', { count: 3 * WINDOW, fresh: true });
  const tenth = await side.ask('talk', { count: WINDOW, fresh: true });
  await side.ask('talk', { count: count - 2 * WINDOW, fresh: false });
  const last = await side.ask('talk', { count: WINDOW, fresh: false });
  return { tenth, last };
}

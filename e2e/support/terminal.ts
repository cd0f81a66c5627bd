/** The same history as programs see it: the command line beside the app, and the stored events. */
import { once } from 'node:events';
import type { DurableEvent } from '#contract/event.ts';
import { connect } from '#hosts/connect.ts';
import type { App } from './app.ts';
import { CLI } from '../../tests/support/program.ts';
import { startProcess } from './process.ts';

/** What a command prints on stdout; it must succeed. */
export async function triad(app: App, ...args: string[]): Promise<string> {
  const child = startProcess({
    args: [CLI, ...args],
    folder: app.workspace,
    env: { TRIAD_HOME: app.home },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [out, notes] = ['', ''];
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (out += text));
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (notes += text));
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`triad ${args.join(' ')} ended with ${code}: ${notes.trim()}`);
  return out;
}

/** All that is stored of a conversation, oldest first. */
export async function eventsOf(app: App, conversationId: string): Promise<DurableEvent[]> {
  const connected = await connect({
    env: { TRIAD_HOME: app.home },
    folder: app.workspace,
    works: false,
    signal: AbortSignal.timeout(20_000),
    note: () => undefined,
  });
  try {
    if (connected.owner) throw new Error('The app does not own its home');
    const events: DurableEvent[] = [];
    for (;;) {
      const page = await connected.client.request('conversation.events', {
        conversationId,
        after: events.length,
      });
      if (page.length === 0) return events;
      events.push(...page);
    }
  } finally {
    await connected.close();
  }
}

/** Kill -9 around a word of the person to a sub-agent: once stored it is read once, in its place, whatever dies between. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { liveUntil } from '../../support/crash.ts';
import { CHILD, LEAD, spawn } from '../../support/fake-model/scenarios.ts';
import { Script, text, toolUse } from '../../support/fake-model/script.ts';
import { startFakeModel } from '../../support/fake-model/server.ts';

const root = await mkdtemp(join(tmpdir(), 'triad-crash-say-'));
afterAll(() => rm(root, { recursive: true, force: true, maxRetries: 3 }));
const WORD = 'Look at the README first.';

/** Its first response hangs after a whole call, so that the word comes while it answers. */
const script = (): Script =>
  new Script()
    .on({ ...LEAD, step: 1 })
    .reply([spawn({ name: 'scout', prompt: 'Look.' })])
    .on(LEAD)
    .reply([text('Done.')])
    .on({ ...CHILD, step: 1 })
    .reply([toolUse('list_directory', { path: '.' }), text('Words that take their time.', { deltas: 20, delayMs: 10 })])
    .on({ ...CHILD, lastUser: /README first/ })
    .reply([text('# Report\n\nThe README was first.')])
    .on(CHILD)
    .reply([text('# Report\n\nIt was not said.')]);

/** `message-end#3`: the lead's message, its response, the sub-agent's prompt; then its response, then the word. */
const moments = ['run-say', 'message-end#4', 'message-end#5', 'request-start#3'] as const;

test.each(moments)(
  'a message to a sub-agent is delivered exactly once if the program is killed after %s',
  { timeout: 60_000 },
  async (killAfter) => {
    const model = await startFakeModel(script());
    const life = { data: join(root, killAfter.replace('#', '-')), folder: root, url: model.url };
    try {
      const resume = await liveUntil(killAfter, life, { says: WORD });
      const { end, events, runs } = await resume();
      expect(end.outcome).toBe('completed');
      expect(runs[1]?.said).toMatchObject([{ text: WORD }]);
      const entries = events.flatMap((event) =>
        event.type === 'message-end' && event.runId === runs[1]?.id ? [event.entry] : [],
      );
      expect(entries.filter((entry) => entry.kind === 'user' && entry.said)).toMatchObject([{ text: WORD }]);
      expect(entries.at(-1)).toMatchObject({ parts: [{ text: '# Report\n\nThe README was first.' }] });
      const output = events.find((event) => event.type === 'tool-end' && event.parentRunId === null);
      const told = `"person_said_to_it":["${WORD}"]`;
      expect(output).toMatchObject({ entry: { output: expect.stringContaining(told) as string } });
      const telling = model.requests.filter(
        ({ seen }) => seen.lastUser.includes(WORD) && !seen.tools.includes('spawn_agent'),
      );
      const last = telling.at(-1)!.seen.body.messages.at(-1) as { content: { type: string; text?: string }[] };
      expect(last.content[0]?.type, 'after the result').toBe('tool_result');
      expect(last.content.filter((part) => part.text?.includes(WORD))).toEqual([last.content.at(-1)]);
    } finally {
      await model.close();
    }
  },
);

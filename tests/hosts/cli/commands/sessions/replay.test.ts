/** `triad sessions replay`: the newest workflow again, as it was printed, with who answered; the model is asked for nothing. */
import { expect, test } from 'vitest';
import { Script, text } from '../../../../support/fake-model/script.ts';
import { threeChildren } from '../../../../support/fake-model/scenarios.ts';
import { sharedEngine } from '../../../../support/shared-engine.ts';
import { commandLine } from '../../../support/memory-io.ts';

const { start } = sharedEngine();

test('replay prints three agents from the log, without a request to the model', async () => {
  const engine = await start(threeChildren());
  const { conversationId, runtime: client } = engine;
  const end = await engine.ask('Split this.');
  const asked = engine.model.requests.length;
  const triad = (...args: string[]) => commandLine(client)('sessions', 'replay', ...args);
  const shown = await triad(conversationId, '--speed', '0');
  expect(shown.code).toBe(0);
  expect(shown.out).toContain('I split this into three parts.');
  expect(shown.out).toContain(end.text.trim());
  const notes = shown.err.split('\n');
  expect(notes[0]).toBe('▸ you: Split this.');
  expect(notes.filter((line) => line.startsWith('approved by you: '))).toHaveLength(3);
  expect(notes.filter((line) => /✓ .*\d/.test(line))).toHaveLength(3);
  expect(shown.err).toContain('completed ·');
  expect(await triad(end.workflowId), 'by its own id, at the usual speed').toEqual(shown);
  expect(engine.model.requests.length).toBe(asked);
  expect(await triad(conversationId, '--speed', 'fast')).toMatchObject({ code: 2 });
});

test('replay fails if no workflow has ended', async () => {
  const engine = await start(new Script().on({}).reply([text('Hi.')]));
  const printed = await commandLine(engine.runtime)('sessions', 'replay', engine.conversationId);
  expect(printed).toMatchObject({ code: 1, err: expect.stringContaining('has ended') as string });
});

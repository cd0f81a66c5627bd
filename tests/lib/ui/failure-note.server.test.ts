// The note of an error: a link to the settings if they can fix the error, otherwise one line of advice.
import { render } from 'svelte/server';
import { expect, it } from 'vitest';
import FailureNote from '#lib/ui/failure-note.svelte';

const SETTINGS = 'href="/settings"';
const note = (code: string, message: string): string => render(FailureNote, { props: { code, message } }).body;

it.each([
  ['auth', 'The API key was refused.'],
  ['no_key', 'No API key is set.'],
  ['unreachable', 'No connection to http://127.0.0.1:9: check the network.'],
])('links to the settings once for the error %s', (code, message) => {
  expect(note(code, message).split(SETTINGS)).toHaveLength(2);
});

it('gives advice without a link for an error that no setting fixes', () => {
  const html = note('max_tokens', 'The answer was cut off.');
  expect(html).toContain('Ask for a shorter answer');
  expect(html).not.toContain(SETTINGS);
});

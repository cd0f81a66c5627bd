// What a screen reader is told of a growing answer has no marks of Markdown.
import { expect, it } from 'vitest';
import { LiveAnnouncer } from '#lib/ui/live-announcer.svelte.ts';

it('says the words of an answer', () => {
  const announcer = new LiveAnnouncer();
  announcer.update('**Task**: I open `src/cli.js`');
  announcer.end('The answer is complete.');
  expect(announcer.announcement).toBe('Task: I open src/cli.js The answer is complete.');
});

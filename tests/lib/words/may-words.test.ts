// What an agent may is said in a person's words, and so is what it may not.
import { expect, it } from 'vitest';
import { mayWords } from '#lib/words/may-words.ts';
import { text } from '#lib/words/text.ts';

it('lists granted permissions as yes, and missing permissions to change, run or connect as no', () => {
  expect(mayWords.list(['FilesystemRead'])).toBe(
    'read files: yes · change files: no · run programs: no · reach the network: no',
  );
  expect(mayWords.list(['FilesystemWrite', 'Execute', 'NetworkAccess'])).not.toContain('no');
});

it('states how many agents of a chain start, and that later agents have equal rights', () => {
  expect(text.decide.starts('finder', 0)).toBe('finder wants to start');
  expect(text.decide.starts('finder', 2)).toBe('3 agents, one after the other, want to start');
  expect(text.decide.asFirst('finder')).toBe('same rights as finder');
});

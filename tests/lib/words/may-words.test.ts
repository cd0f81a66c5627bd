// What an agent may is said in a person's words, and so is what it may not.
import { expect, it } from 'vitest';
import { mayWords } from '#lib/words/may-words.ts';

it('says yes to what is granted and no to what would change, run or reach anything', () => {
  expect(mayWords.list(['FilesystemRead'])).toBe(
    'read files: yes · change files: no · run programs: no · reach the network: no',
  );
  expect(mayWords.list(['FilesystemWrite', 'Execute', 'NetworkAccess'])).not.toContain('no');
});

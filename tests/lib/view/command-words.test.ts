/** A command in one line is read as people write it, and nothing in it is expanded. */
import { expect, test } from 'vitest';
import { commandWords } from '#lib/view/command-words.ts';

test.for([
  ['npx -y @scope/server', ['npx', '-y', '@scope/server']],
  ['  node   server.js \n --port=1 ', ['node', 'server.js', '--port=1']],
  [`sh -c 'echo "$HOME" && ls'`, ['sh', '-c', 'echo "$HOME" && ls']],
  [String.raw`say "a \"b\" \\ \n" it\'s a\ b`, ['say', String.raw`a "b" \ \n`, `it's`, 'a b']],
  [`run --name="x y"'z'`, ['run', '--name=x yz']],
  [`run "" ''`, ['run', '', '']],
  [String.raw`C:\tools\run.exe "C:\Program Files\x"`, [String.raw`C:\tools\run.exe`, String.raw`C:\Program Files\x`]],
  ['', []],
] as const)('commandWords splits %s', ([line, words]) => {
  expect(commandWords(line)).toEqual(words);
});

test.for(["say 'it", 'say "it', `a 'b' "c`, String.raw`say "a\"`])(
  'commandWords returns null for an incomplete command: %s',
  (line) => {
    expect(commandWords(line)).toBeNull();
  },
);

/** Programs that a line starts by an argument, although a rule denies them. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { applies } from '../core/workspace/shell/rules.ts';
import { folderWith } from '../support/workspace.ts';

/** Lines that bash runs here with the same result. */
const IN_BASH = [
  'env A-B=1 touch ran',
  "env 'A B=1' touch ran",
  "split --filter='touch ran' f",
  "tar cf - f | tar xf - --to-command='touch ran'",
  "tar cf a f --checkpoint=1 --checkpoint-action=exec='touch ran'",
];

test.each(IN_BASH)('a rule denies the program that %s starts', async (line) => {
  const folder = await folderWith({ f: 'a' });
  const { stdout } = await promisify(execFile)('bash', ['-c', `(${line}) >&2; ls`], { cwd: folder });
  expect(stdout).toContain('ran');
  expect(applies(line, 'deny', 'touch *')).toBe(true);
});

test.each([
  "rsync -e 'rm x' a b:c",
  "man -P 'rm x' ls",
  "make SHELL='rm x'",
  'sort --compress-program=rm a',
  'go test -exec rm ./...',
  'npm exec -- rm x',
  'docker run --rm image rm x',
  "nix-shell --run 'rm x'",
])('a rule denies the program that %s starts elsewhere', (line) => {
  expect(applies(line, 'deny', '{rm,rm *}')).toBe(true);
});

test.each(['npm run build', 'go test ./...', "curl -H 'Accept: x' y", "grep -e 'rm x' y", 'make A=1'])(
  'a rule with wildcards allows %s',
  (line) => {
    expect(applies(line, 'allow', `${line.split(' ')[0]} *`)).toBe(true);
    expect(applies(line, 'deny', 'rm *')).toBe(false);
  },
);

/** Tests the parser of files of git that only contain a path. */
import { expect, test } from 'vitest';
import { parseGitPointer } from '#core/workspace/git-pointers.ts';

test.for([
  ['/w/sub/.git', 'gitdir: ../.git/modules/sub\n', '/w/.git/modules/sub'],
  ['/w/sub/.git', 'gitdir: /r\r\n\n', '/r'],
  ['/w/sub/.git', 'gitdir: a \n', '/w/sub/a '],
  ['/w/sub/.git', 'gitdir:a', null],
  ['/w/sub/.git', 'gitdir: \n', null],
  ['/w/sub/.git', 'gitdir: a\nb', null],
  ['/w/sub/.git', 'gitdir: ./link/../.git/worktrees/a', null],
  ['/w/sub/.git', 'gitdir: /w/link/..', null],
  ['/w/.git/worktrees/a/commondir', '../..\n', '/w/.git'],
  ['/w/.git/worktrees/a/gitdir', '/w/a/.git\n', '/w/a/.git'],
  ['/w/.git/worktrees/a/gitdir', `/${'x'.repeat(4096)}`, null],
  ['/w/.git/HEAD', '/w/a', null],
] as const)('reads %s with %j as %j', ([path, content, expected]) => {
  expect(parseGitPointer(path, Buffer.from(content))).toBe(expected);
});

test('rejects a pointer that is not UTF-8', () => {
  expect(parseGitPointer('/w/.git', Buffer.from([...Buffer.from('gitdir: /w/'), 0xff]))).toBeNull();
});

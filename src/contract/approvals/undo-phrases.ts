/** Why something is not undone, or not done again: phrases as those of `phrases.ts`, which they are a part of. */
type Nothing = Record<string, never>;

export const UNDO = {
  removed_since: (_: Nothing) => 'It was removed since',
  made_again: (_: Nothing) => 'It was made again since',
  changed_since_made: (_: Nothing) => 'It was changed since it was made',
  other_kind: (_: Nothing) => 'Something else is there since',
  change_in_the_way: (_: Nothing) => 'What was changed since is in the way',
  folder_is_link: ({ folder }: { folder: string }) => `The folder ${folder} is a link now`,
  folder_is_there: ({ path }: { path: string }) => `A folder is there since, with ${path} in it`,
  other_folder: (_: Nothing) => 'It is in another folder than the newest change: undo it by itself',
  undone_together: (_: Nothing) => 'It was undone together with something else: take all of that back together',
  nothing_undone: (_: Nothing) => 'Nothing of this is undone',
  copied_from: ({ session }: { session: string }) =>
    `This is a copy of what was done in the session ${session}: undo it there`,
  nothing_kept_of_it: (_: Nothing) => 'Nothing is kept of this: it changed nothing that can be undone',
  workspace_gone: ({ folder }: { folder: string }) =>
    `The folder ${folder} is not there any more: put it back, or start a conversation in another folder`,
  /** `free`: free space in MB. */
  disk_full: ({ folder, free }: { folder: string; free: number }) =>
    `The disk of ${folder} is full (${free} MB left): free some space. Running work then continues by itself; new messages must be sent again`,
  folder_gone: ({ folder }: { folder: string }) => `The folder ${folder} is not there any more`,
  command_works: ({ folder }: { folder: string }) =>
    `An agent's command works in ${folder}: wait until it is done, or stop it`,
  /** Reasons why nothing is committed. */
  no_repository: ({ folder }: { folder: string }) =>
    `${folder} is in no git repository. To make one there, run “git init”`,
  /** `output`: of git and its hooks. */
  commit_failed: ({ output }: { output: string }) => `Git failed: “${output}”. Nothing was committed`,
  commit_failed_silently: (_: Nothing) =>
    'Git failed without output: a hook rejected the commit, or the files are as in the last commit',
  commit_programs_changed: (_: Nothing) =>
    'The programs that this commit runs have changed. Nothing was committed: read the new list first',
  changed_meanwhile: ({ path }: { path: string }) => `${path} was changed since`,
  /** `code`: of the system. */
  disk_fault: ({ folder, code }: { folder: string; code: string }) =>
    code === 'ENOSPC' || code === 'EDQUOT'
      ? `The disk of ${folder} is full`
      : `The disk of ${folder} reports an error (${code})`,
  none_done_disk: ({ redo }: { redo: boolean }) =>
    `. Nothing was ${redo ? 'done again' : 'undone'}: free some space or check the disk, then try again`,
  undo_incomplete: ({ redo }: { redo: boolean }) =>
    `. The ${redo ? 'redo' : 'undo'} is incomplete: free some space or check the disk, then open the changes again`,
  /** Before why: the first file that is in the way. */
  in_the_way: ({ path }: { path: string }) => `${path}: `,
  /** Behind why. `more`: other files with which it is so; `kept`: where what it held is kept, null where it held nothing. */
  none_done: ({ more, redo, kept }: { more: number; redo: boolean; kept: string | null }) =>
    `${more > 0 ? `; so it is with ${more} more` : ''}. Nothing was ${redo ? 'done again' : 'undone'}` +
    (kept === null ? '' : `; what it held ${redo ? 'then' : 'before'} is kept in ${kept}`),
} as const;

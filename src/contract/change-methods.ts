/** The methods about what agents changed in files. */
import { z } from 'zod';
import { ChangeDiff, ChangeRow, ChangeTarget, CommitPreview, UndoneFile } from './change.ts';
import { Id, ToolCallId } from './ids.ts';
import { method, nothing } from './method.ts';

export const changeMethods = {
  /** What its agents' calls changed in files, in order of time, and how each file is now. */
  'change.list': method(z.strictObject({ conversationId: Id }), z.array(ChangeRow)),
  /** What a call did to a file, hunk by hunk; `not_found` where nothing is kept of it. */
  'change.diff': method(
    z.strictObject({ conversationId: Id, runId: Id, toolCallId: ToolCallId, path: z.string().max(4096) }),
    ChangeDiff,
  ),
  /**
   * Undoes what the target changed, with `redo` takes that back, and says what came of each file; with `preview` only
   * says it. `conflict` where a file cannot be undone without losing what came since (with `leave` it is left as it is),
   * an agent's command works in the folder, or the conversation is in the trash.
   */
  'change.undo': method(
    z.strictObject({
      conversationId: Id,
      target: ChangeTarget,
      redo: z.boolean().default(false),
      preview: z.boolean().default(false),
      leave: z.boolean().default(false),
    }),
    z.array(UndoneFile),
  ),
  /** Marks what the person has looked at and keeps, or takes the mark away; changes no file. */
  'change.keep': method(z.strictObject({ conversationId: Id, target: ChangeTarget, kept: z.boolean() }), nothing),
  /**
   * Returns the programs that a commit in the conversation's folder runs outside the sandbox. `bad_input` if the folder is in
   * no repository.
   */
  'change.preview-commit': method(z.strictObject({ conversationId: Id }), CommitPreview),
  /**
   * Commits these files of the conversation's folder as they are now to the person's own git repository, and nothing else,
   * and marks them as kept; returns the short name of the commit. `programs`: the hash of the preview that the person saw;
   * without it, the commit fails if it would run a program. `conflict` if the programs have changed since. `bad_input` if the
   * folder is in no repository, nothing differs, or a hook fails.
   */
  'change.commit': method(
    z.strictObject({
      conversationId: Id,
      message: z.string().trim().min(1).max(10_000),
      paths: z.array(z.string().min(1).max(4096)).min(1).max(10_000),
      programs: z.string().max(100).optional(),
    }),
    z.object({ commit: z.string() }),
  ),
};

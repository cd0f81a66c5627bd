/** What calls of agents changed on disk, what of it is undone, and what the person undid. */
import { z } from 'zod';
import { Phrase } from './approvals/phrase.ts';
import { Id, Instant, ToolCallId } from './ids.ts';

/** What is at a path. */
export const FileState = z.object({
  /** `folder`: an empty one; others are known by what is in them. */
  kind: z.enum(['file', 'link', 'folder']),
  /** SHA-256 in hex: of a file's bytes, of where a link leads; of nothing for a folder. */
  hash: z.string(),
  /** How many bytes that are. */
  bytes: z.int().nonnegative(),
  /** Permissions; 0 for a link. */
  mode: z.int().nonnegative(),
});
export type FileState = z.infer<typeof FileState>;

/** Null: nothing is there. */
export const FileChange = z.object({
  /** Relative to the workspace's folder, with forward slashes. */
  path: z.string(),
  before: FileState.nullable(),
  after: FileState.nullable(),
  /** It was moved from there by the same call; both ends are one change. */
  from: z.string().optional(),
});
export type FileChange = z.infer<typeof FileChange>;

/** All that one call changed. */
export const ChangeSet = z.object({
  conversationId: Id,
  workflowId: Id,
  runId: Id,
  toolCallId: ToolCallId,
  agent: z.string(),
  tool: z.string(),
  /** Canonical path of the workspace. */
  folder: z.string(),
  at: Instant,
  files: z.array(FileChange),
  /** Paths that changed, too, and cannot be put back: what they were is not kept. */
  notKept: z.array(z.string()),
});
export type ChangeSet = z.infer<typeof ChangeSet>;

/** An undo or a redo; `files` is what it changed, so that it can be taken back. */
export const Undo = z.object({
  id: Id,
  conversationId: Id,
  folder: z.string(),
  at: Instant,
  /** What was undone; `path`, `hunk`: only this file of the call, or this part of it. */
  calls: z.array(
    z.object({
      runId: Id,
      toolCallId: ToolCallId,
      agent: z.string(),
      path: z.string().nullable(),
      hunk: z.int().nonnegative().nullable(),
      /** Files of the call that its event names. */
      paths: z.array(z.string()),
    }),
  ),
  files: z.array(FileChange),
  /** Permissions of the folders above its files when it started, by path. */
  folders: z.record(z.string(), z.int()),
  /** In a redo: the folders that the undo found, with their permissions. The redo makes missing ones again. */
  madeFolders: z.record(z.string(), z.int()).optional(),
  /** It was of all from this workflow on. */
  fromWorkflowId: Id.optional(),
  /** Other undos that this one has taken back: then it did again what they had undone. */
  takesBack: z.array(Id),
  /** It was taken back, or is itself one that takes back. */
  redone: z.boolean(),
});
export type Undo = z.infer<typeof Undo>;

/**
 * `done`: what the call did is there; `undone`: it is not any more; `changed`: something else was done to the file since,
 * and a preview tells whether it can be undone all the same; `gone`: its folder is not there.
 */
export const ChangeState = z.enum(['done', 'undone', 'changed', 'gone']);
export type ChangeState = z.infer<typeof ChangeState>;

/** A change set as it is now. */
export const ChangeRow = ChangeSet.extend({
  files: z.array(
    FileChange.extend({
      state: ChangeState,
      /** The person has looked at it, and keeps it. */
      kept: z.boolean(),
      /** Other programs run it, or take settings from it. Left out for any other file. */
      canRunCode: z.literal(true).optional(),
    }),
  ),
});
export type ChangeRow = z.infer<typeof ChangeRow>;

/**
 * What is undone: all of a run, a call of it, a file of either, or one hunk of what a call did to a file, counted from 0;
 * or all that the runs of a workflow and of every later one of the conversation did.
 */
export const ChangeTarget = z
  .object({
    runId: Id.optional(),
    /** Instead of a run. */
    fromWorkflowId: Id.optional(),
    toolCallId: ToolCallId.optional(),
    path: z.string().max(4096).optional(),
    hunk: z.int().nonnegative().optional(),
  })
  .refine(({ toolCallId, path, hunk }) => hunk === undefined || (toolCallId !== undefined && path !== undefined), {
    error: 'a hunk belongs to a file of a call',
  })
  .refine(({ runId, fromWorkflowId }) => (runId === undefined) !== (fromWorkflowId === undefined), {
    error: 'name either a run or the workflow to begin with',
  })
  .refine(
    ({ fromWorkflowId, toolCallId, path }) => fromWorkflowId === undefined || (toolCallId ?? path) === undefined,
    {
      error: 'a call or a file is one of a run',
    },
  );
export type ChangeTarget = z.infer<typeof ChangeTarget>;

/**
 * What undoing does to a file. `put_back`: it is exactly what it was; `merged`: what others did to it since stays;
 * `already`: nothing is to be done; `conflict`: it cannot be undone without losing what was done since.
 */
export const UndoneFile = z.object({
  path: z.string(),
  outcome: z.enum(['put_back', 'merged', 'already', 'conflict']),
  /** Of a conflict: one sentence. */
  why: z.string().optional(),
  says: Phrase.optional(),
});
export type UndoneFile = z.infer<typeof UndoneFile>;

export const ChangeDiff = z.object({
  /** Stands for the hunks where lines cannot be shown: a binary file, a link, one that is too large. */
  note: z.string().nullable(),
  hunks: z.array(
    z.object({
      oldStart: z.int(),
      newStart: z.int(),
      /** As in a unified diff: each begins with a space, `+`, `-` or a backslash. */
      lines: z.array(z.string()),
      state: ChangeState,
      kept: z.boolean(),
    }),
  ),
});
export type ChangeDiff = z.infer<typeof ChangeDiff>;

/** A program that git runs outside the sandbox when the person commits. */
export const GitProgram = z.object({
  kind: z.enum(['hook', 'filter', 'signature']),
  /** Name of the hook, of the filter in the settings of git, or of the format of signatures. */
  name: z.string(),
  /** Path of the hook, or the command in the settings of git. */
  command: z.string(),
});
export type GitProgram = z.infer<typeof GitProgram>;

/** The programs of a commit. `hash`: identifies them, the content of hooks included. */
export const CommitPreview = z.object({ programs: z.array(GitProgram), hash: z.string() });
export type CommitPreview = z.infer<typeof CommitPreview>;

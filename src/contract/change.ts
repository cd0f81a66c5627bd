/** What a call of an agent changed on disk, and whether it is undone. */
import { z } from 'zod';
import { Id, Instant, ToolCallId } from './ids.ts';

export const Change = z.object({
  conversationId: Id,
  workflowId: Id,
  runId: Id,
  toolCallId: ToolCallId,
  agent: z.string(),
  tool: z.string(),
  /** Canonical path of the workspace. */
  folder: z.string(),
  /** Relative to the folder, with forward slashes. */
  path: z.string(),
  /** SHA-256 in hex of the file's bytes before and after the call; null where there was no file. */
  before: z.string().nullable(),
  after: z.string().nullable(),
  /** The file's permissions before the call; null where there was no file. */
  mode: z.int().nullable(),
  at: Instant,
});
export type Change = z.infer<typeof Change>;

/** `done`: the file is as the call left it; `undone`: as it was before; `changed`: neither; `gone`: its folder is not there. */
export const ChangeState = z.enum(['done', 'undone', 'changed', 'gone']);
export type ChangeState = z.infer<typeof ChangeState>;

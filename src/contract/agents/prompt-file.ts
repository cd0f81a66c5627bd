/** Texts of agents that are in files of their own. */
import { z } from 'zod';

/** A text of an agent's file that is in a file of its own: its prompt, or the handoff of a composition. */
export const AgentPromptFile = z.object({
  /** The key that names the file. */
  key: z.string(),
  file: z.string(),
  text: z.string(),
});
export type AgentPromptFile = z.infer<typeof AgentPromptFile>;

/** A text for such a file that is not saved yet. */
export const UnsavedPrompt = AgentPromptFile.omit({ key: true });
export type UnsavedPrompt = z.infer<typeof UnsavedPrompt>;

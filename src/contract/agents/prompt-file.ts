/** Prompt files: texts of agents in separate files. */
import { z } from 'zod';

/** A prompt of an agent or a handoff of a composition in a separate file. */
export const AgentPromptFile = z.object({
  /** The key that names the file. */
  key: z.string(),
  file: z.string(),
  text: z.string(),
});
export type AgentPromptFile = z.infer<typeof AgentPromptFile>;

/** An unsaved text for a prompt file. */
export const UnsavedPrompt = AgentPromptFile.omit({ key: true });
export type UnsavedPrompt = z.infer<typeof UnsavedPrompt>;

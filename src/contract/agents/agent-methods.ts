/** The methods about agents: which there are in a folder, what their files say, and what choosing one would run. */
import { z } from 'zod';
import {
  AgentDefinition,
  AgentFile,
  AgentLint,
  AgentName,
  AgentReport,
  AgentSummary,
  AgentText,
  AgentValue,
  Fault,
} from '../agent.ts';
import { LeadPreview } from '../approval.ts';
import { Id } from '../ids.ts';
import { MAX_PROMPT_CHARS } from '../limits.ts';
import { UnsavedPrompt } from './prompt-file.ts';
import { folder, inFolder, method } from '../method.ts';

/** Absolute path of an agent's file. */
const file = z.string().min(1).max(4096);
const agentText = z.string().max(MAX_PROMPT_CHARS);
/** Absent for the text on disk. Ignored if the agent names another file. */
const prompt = UnsavedPrompt.extend({ text: agentText }).optional();

export const agentMethods = {
  /** Agents that can be used in a folder now. */
  'agents.list': method(inFolder, z.array(AgentSummary)),
  /** One agent, even a disabled one. */
  'agents.get': method(
    z.strictObject({ folder: folder.optional(), name: z.string().min(1).max(200) }),
    z.object({ definition: AgentDefinition, needs: AgentSummary.shape.needs, warnings: z.array(Fault) }),
  ),
  /**
   * What choosing an agent as lead would run, as its files are now; starts no MCP server. `not_found`, `not_allowed`: why
   * none. `prompt`: its first message, which is checked with the contract of the agent (`bad_input`).
   */
  'agents.preview': method(
    z.strictObject({ folder: folder.optional(), agent: z.string().min(1).max(200), prompt: z.string().optional() }),
    LeadPreview,
  ),
  /** Forgets temporary agents whose run has ended; says how many there were, and which of the others work or may begin. */
  'agents.cleanup': method(
    z.strictObject({}),
    z.object({ removed: z.int(), working: z.array(z.object({ runId: Id, agent: z.string() })) }),
  ),
  /** Every agent file of a folder, untrusted ones too; later ones override earlier ones. */
  'agents.check': method(inFolder, z.array(AgentReport)),
  /** The same files, with the content of each and whether it is in effect. */
  'agents.files': method(inFolder, z.array(AgentFile)),
  /** One of these files, as it is on disk. */
  'agents.read': method(z.strictObject({ folder: folder.optional(), file }), AgentText),
  /** Checks a text as if it were the file's content; writes nothing. */
  'agents.lint': method(z.strictObject({ folder: folder.optional(), file, text: agentText, prompt }), AgentLint),
  /**
   * The text with keys of its front matter (or of TOML) changed; comments and other keys stay. Null takes a key out. A
   * change of a prompt that is in a file of its own changes the text of that file.
   */
  'agents.edit': method(
    z.strictObject({
      folder: folder.optional(),
      file,
      text: agentText,
      prompt,
      changes: z.record(z.string().max(200), AgentValue),
    }),
    AgentLint,
  ),
  /**
   * Writes a file of the person's own agents, or of the folder's, and `prompt` into the file that the text names;
   * `conflict` where it is not what it was (`before` is its hash then, null for a new one). What a person saves of a
   * folder here is trusted as it is saved.
   */
  'agents.save': method(
    z.strictObject({
      folder: folder.optional(),
      file,
      text: agentText,
      prompt,
      before: z.string().max(64).nullable(),
    }),
    AgentText,
  ),
  /** Path for a new agent of this name, with the text of the template or of the file to copy: that of a composition gives one. */
  'agents.draft': method(
    z.strictObject({
      folder: folder.optional(),
      name: AgentName,
      source: z.enum(['user', 'project']),
      copyOf: file.optional(),
    }),
    AgentText,
  ),
};

/** Unsaved edits of agents' files, kept in local storage across pages, reloads and restarts. */
import type { AgentText } from '#contract/agent.ts';
import type { UnsavedPrompt } from '#contract/agents/prompt-file.ts';

export interface AgentDraft {
  /** The workspace folder it was opened in. */
  folder: string;
  file: string;
  source: AgentText['source'];
  text: string;
  /** Hash of the file that was edited; null for a new file. */
  before: string | null;
  /** The unsaved text of the prompt file; null if it is unchanged. */
  prompt: UnsavedPrompt | null;
}

const PREFIX = 'triad-agent-';

export function readAgentDraft(file: string): AgentDraft | null {
  return parse(localStorage.getItem(PREFIX + file));
}

export function keepAgentDraft(draft: AgentDraft): void {
  localStorage.setItem(PREFIX + draft.file, JSON.stringify(draft));
}

export function dropAgentDraft(file: string): void {
  localStorage.removeItem(PREFIX + file);
}

/** All drafts, sorted by the path of their file. */
export function agentDrafts(): AgentDraft[] {
  return Object.keys(localStorage)
    .filter((key) => key.startsWith(PREFIX))
    .flatMap((key) => parse(localStorage.getItem(key)) ?? [])
    .sort((a, b) => (a.file < b.file ? -1 : 1));
}

/** Only this module writes them; what another version wrote otherwise is left alone. */
function parse(stored: string | null): AgentDraft | null {
  const draft: Partial<AgentDraft> | null = stored === null ? null : (JSON.parse(stored) as Partial<AgentDraft>);
  const { folder, file, source, text, before = null, prompt = null } = draft ?? {};
  if (folder === undefined || file === undefined || source === undefined || text === undefined) return null;
  return { folder, file, source, text, before, prompt };
}

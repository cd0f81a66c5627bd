/** The searchable text of an entry, and its kind. */
import { z } from 'zod';
import type { Entry, ToolEntry } from '#contract/message.ts';
import type { SearchHit } from '#contract/view.ts';

/** Longest text of one entry that is searched, in code units: a listing of a whole disk must not fill the index. */
const MAX_CHARS = 20_000;

export interface SearchableText {
  kind: SearchHit['kind'];
  text: string;
}

/** Null for system remarks, thinking, reports that are also entries of a sub-agent's run, and copies in a fork. */
export function searchableText(entry: Entry, lead: boolean): SearchableText | null {
  if (entry.copiedFrom) return null;
  const { kind, text } = partsOf(entry, lead);
  return text.trim() === '' ? null : { kind, text: text.slice(0, MAX_CHARS) };
}

function partsOf(entry: Entry, lead: boolean): SearchableText {
  switch (entry.kind) {
    case 'user':
      return {
        kind: lead ? 'prompt' : 'task',
        text: entry.source === 'engine' || entry.source === 'coagent' ? '' : entry.text,
      };
    case 'assistant': {
      const texts = entry.parts.flatMap((part) => (part.type === 'text' ? [part.text] : []));
      return { kind: lead ? 'answer' : 'report', text: texts.join('\n') };
    }
    case 'tool':
      return { kind: 'tool', text: withoutReports(entry) };
    // What is handed over is the coagent's prompt, and its words are its report: both are searched in its own run.
    case 'handoff':
      return { kind: 'report', text: '' };
    // All that it sums up is searched itself.
    case 'compaction':
      return { kind: 'report', text: '' };
    case 'system':
      return { kind: 'interim', text: entry.review?.verdict?.critique ?? '' };
  }
}

const SUB_AGENT_TOOLS: ReadonlySet<string> = new Set(['spawn_agent', 'delegate_task', 'parallel_tasks']);
/** The result of a sub-agent tool: one report or several. */
const Handed = z.object({ report: z.string(), error: z.string().nullish() });
const Output = z.union([Handed, z.object({ results: z.array(Handed) })]);

/** The errors of the reports alone: their text is searchable in the sub-agents' own runs. */
function withoutReports({ name, output }: ToolEntry): string {
  if (!SUB_AGENT_TOOLS.has(name)) return output;
  // The engine may have appended a remark to the JSON.
  const found = Output.safeParse(parsed(output.slice(0, output.lastIndexOf('}') + 1)));
  if (!found.success) return output;
  const handed = 'results' in found.data ? found.data.results : [found.data];
  return handed.flatMap(({ error }) => error ?? []).join('\n');
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return null;
  }
}

/** The steps of a run: each response with tool calls, and the outcome of each call. Pure. */
import { cutText } from '#contract/cut-text.ts';
import type { AssistantEntry, Entry, ToolEntry, ToolUsePart } from '#contract/message.ts';
import { shortened } from '#contract/messages/short-text.ts';
import type { RunRow, ToolCallRow } from '#contract/view.ts';
import { getFailureReason } from '#contract/history/failure-reason.ts';
import { code, inline, quote, seconds, wrote } from '../markdown-parts.ts';

/** Longest arguments of a call, in characters. */
const MAX_ARGUMENT_CHARS = 120;

/** A sub-agent of the run, and the list items that link to its page. */
interface LinkedRun {
  run: RunRow;
  /** The item of the sub-agent, then the items of the runs that serve it. */
  lines: readonly string[];
}

export interface StepParts {
  /** Entries of the run, in order. */
  entries: readonly Entry[];
  calls: readonly ToolCallRow[];
  linkedRuns: readonly LinkedRun[];
}

/** Returns a section for each response with tool calls. A call that started sub-agents is shown as links to them. */
export function renderSteps({ entries, calls, linkedRuns }: StepParts): string[] {
  const results = new Map(
    entries.flatMap((entry) => (entry.kind === 'tool' ? [[entry.toolCallId, entry] as const] : [])),
  );
  const responses = entries.filter(
    (entry): entry is AssistantEntry =>
      entry.kind === 'assistant' && !entry.interrupted && entry.parts.some(({ type }) => type === 'tool_use'),
  );
  const shown = new Set<string>();
  const steps = responses.map(({ parts, cut }, index) => {
    const words = parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n\n');
    const items = parts.flatMap((part) => {
      if (part.type !== 'tool_use') return [];
      const own = linkedRuns.filter(({ run }) => run.toolCallId === part.id);
      for (const { run } of own) shown.add(run.id);
      if (own.length > 0) return own.flatMap(({ lines }) => lines);
      const row = calls.find(({ toolCallId }) => toolCallId === part.id);
      return [callItem(part, results.get(part.id), row)];
    });
    return [
      '',
      `### Step ${index + 1}`,
      '',
      ...(words.trim() === '' ? [] : [quote(words), '']),
      ...items,
      ...(cut ? ['', inline(cutText(cut))] : []),
    ];
  });
  // The end of the response that started these sub-agents was never recorded.
  const others = linkedRuns.filter(({ run }) => !shown.has(run.id)).flatMap(({ lines }) => lines);
  return [...steps.flat(), ...(others.length > 0 ? ['', '### Further sub-agents', '', ...others] : [])];
}

function callItem(call: ToolUsePart, result: ToolEntry | undefined, row: ToolCallRow | undefined): string {
  const file = wrote(row);
  const reason = result ? getFailureReason(result) : null;
  const outcome = result?.metadata['refused'] === true ? 'refused' : (result?.status ?? 'not done');
  const end = `${outcome}${seconds(result?.durationMs ?? null)}`;
  return `- ${code(call.name)}${formatArguments(call)}: ${end}${file === null ? '' : `, wrote ${file}`}${reason === null ? '' : `: ${inline(reason)}`}`;
}

/** Formats the beginning of the arguments as JSON; empty for none. The escape prevents wikilinks. */
function formatArguments({ input, malformed }: ToolUsePart): string {
  const json = malformed ?? JSON.stringify(input) ?? '{}';
  return json === '{}' ? '' : ` ${code(shortened(json, MAX_ARGUMENT_CHARS).replaceAll('[[', String.raw`[\u005b`))}`;
}

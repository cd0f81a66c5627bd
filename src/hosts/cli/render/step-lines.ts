/** The steps of a workflow as a table: what each was, and the place at which it can be forked. Pure. */
import type { Entry } from '#contract/message.ts';
import { COPIED_TEXT } from '#contract/messages/fork-text.ts';
import { textOf } from '#contract/messages/response-text.ts';
import type { RunRow } from '#contract/view.ts';
import { callsOf } from '#core/store/log/transcript.ts';
import { table } from '../terminal/table.ts';
import type { Style } from '../terminal/style.ts';
import { oneLine, visible } from '../terminal/visible.ts';

interface Part {
  run: RunRow;
  entries: readonly Entry[];
}

/** The lead first; its steps go by their number alone. */
export function stepLines(parts: readonly Part[], width: number, style: Style): string[] {
  const sorted = [...parts].sort((a, b) => Number(a.run.parentRunId !== null) - Number(b.run.parentRunId !== null));
  const rows = sorted.flatMap(({ run, entries }) =>
    entries.map((entry) => [
      run.parentRunId === null ? `${run.workflowId}:${entry.n}` : `${run.id}:${entry.n}`,
      oneLine(visible(run.agent)),
      oneLine(visible(stepText(entry))),
      entry.copiedFrom ? COPIED_TEXT : '',
    ]),
  );
  const [head = '', ...lines] = table(
    [{ title: 'STEP' }, { title: 'AGENT', rank: 1 }, { title: 'WHAT', min: 12 }, { title: 'COST', rank: 2 }],
    rows,
    width,
  );
  return [style('bold', head), ...lines];
}

function stepText(entry: Entry): string {
  switch (entry.kind) {
    case 'user':
      return `words: ${entry.text}`;
    case 'assistant': {
      const calls = callsOf(entry).map(({ name }) => name);
      const said = textOf(entry);
      const asks = calls.length > 0 ? `calls ${calls.join(', ')}` : '';
      const text = [asks, said].filter((part) => part !== '').join(': ');
      return `${entry.interrupted ? 'response that was cut off' : 'response'}${text === '' ? '' : `: ${text}`}`;
    }
    case 'tool':
      return `result of ${entry.name}: ${entry.status}`;
    case 'handoff':
      return `handed over: ${entry.from} to ${entry.to}`;
    case 'compaction':
      return 'context compacted';
    case 'system':
      return entry.text === '' ? entry.code : entry.text;
  }
}

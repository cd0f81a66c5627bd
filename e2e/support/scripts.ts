/** Scripts that only the screens need: children with a fate of their own. */
import { answerFrom, CHILD, LEAD, reportOf, spawn } from '../../tests/support/fake-model/scenarios.ts';
import { type Block, type ReplyOptions, Script, text } from '../../tests/support/fake-model/script.ts';

export interface ChildScript {
  /** Found in the child's prompt. */
  prompt: RegExp;
  /** The first line of its report. */
  task: string;
  options?: ReplyOptions;
}

/** The lead makes these calls, each child answers with one report, the lead quotes the reports. */
export function leadCalls(calls: Block[], children: readonly ChildScript[]): Script {
  const script = new Script();
  script.on({ ...LEAD, step: 1 }).reply([text('I split this up.'), ...calls], { name: 'lead starts' });
  for (const { prompt, task, options } of children) {
    const report = text(reportOf(task), { deltas: 20 });
    script.on({ ...CHILD, prompt }).reply([report], { name: `child on ${task}`, ...options });
  }
  return script.on(LEAD).reply((seen) => [text(answerFrom(seen))], { name: 'lead answers' });
}

/** As many as there are names, each on a part named like it. */
export function leadSpawns(names: readonly string[], options: Readonly<Record<string, ReplyOptions>> = {}): Script {
  return leadCalls(
    names.map((name) => spawn({ name, prompt: `Inspect part ${name} of the workspace.` })),
    names.map((name) => ({
      prompt: new RegExp(`part ${name}`),
      task: `part ${name}`,
      ...(options[name] ? { options: options[name] } : {}),
    })),
  );
}

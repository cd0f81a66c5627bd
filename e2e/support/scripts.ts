/** Scripts that only the screens need: children with a fate of their own. */
import { answerFrom, CHILD, LEAD, reportOf, spawn } from '../../tests/support/fake-model/scenarios.ts';
import { type Block, type ReplyOptions, Script, text, toolUse } from '../../tests/support/fake-model/script.ts';

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

/** Asked to "Write them", the lead writes two files of a folder, then has a helper write a third one; before these, other rules may stand. */
export function threeWrites(script = new Script()): Script {
  const write = (path: string) => toolUse('write_file', { path, content: `This is ${path}.\n` });
  const lead = { ...LEAD, asked: /^Write them/ };
  return script
    .on({ ...lead, step: 1 })
    .reply([write('docs/one.md')])
    .on({ ...lead, step: 2 })
    .reply([write('docs/two.md')])
    .on({ ...lead, step: 3 })
    .reply([spawn({ name: 'helper', prompt: 'Write the third.', tools: ['write_file'] })])
    .on({ ...CHILD, step: 1 })
    .reply([write('docs/three.md')])
    .on(CHILD)
    .reply([text('# Report: written')])
    .on(LEAD)
    .reply([text('All is written.')]);
}

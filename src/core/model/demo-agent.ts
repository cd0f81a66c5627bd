/** The demo's sub-agent: looks for what its prompt names, reads one file of it, and reports what was found. */
import { factOf, listedLines, firstWords, fileWorthReading } from './demo-facts.ts';
import type { DoneCall, Reply, Scene } from './demo-scene.ts';

/** What a prompt can ask a demo agent for, each in backticks behind its word. */
export const FILES = /\bFiles: `([^`\n]+)`/;
export const WORDS = /\bLook for: `([^`\n]+)`/;
const ID = 'demo_agent_';

export function agentReply(scene: Scene): Reply {
  const { calls, can, prompt } = scene;
  const done = new Map(calls.map((call) => [call.id.slice(ID.length).replace(/_\d+$/, ''), call]));
  if (done.size === 0) {
    const first = searches(prompt).filter(({ name }) => can(name));
    if (first.length > 0)
      return { text: `I begin with ${first.map(({ name }) => `\`${name}\``).join(' and ')}.`, calls: first };
  }
  const file = fileIn(calls);
  if (!done.has('read') && file !== undefined && can('read_file')) {
    return { text: `\`${file}\` looks worth reading.`, calls: [agentCall('read', 'read_file', { path: file })] };
  }
  return { text: report(prompt, calls, file), calls: [] };
}

export function searches(prompt: string): Reply['calls'] {
  const files = FILES.exec(prompt)?.[1];
  const words = WORDS.exec(prompt)?.[1];
  const asked = [
    ...(files === undefined ? [] : [agentCall('glob', 'glob', { pattern: files })]),
    ...(words === undefined ? [] : [agentCall('grep', 'grep', { pattern: words })]),
  ];
  return asked.length > 0 ? asked : [agentCall('list', 'list_directory', {})];
}

export function agentCall(id: string, name: string, input: Record<string, unknown>): Reply['calls'][number] {
  return { id: ID + id, name, input };
}

/** Of the files that were found, the one that tells most. */
export function fileIn(calls: readonly DoneCall[]): string | undefined {
  const found = calls.flatMap(({ name, output, isError }) => {
    if (isError || name === 'read_file') return [];
    const lines = listedLines(output);
    return name === 'grep' ? lines.map((line) => line.replace(/:\d+:.*$/, '')) : lines;
  });
  return fileWorthReading(found);
}

function report(prompt: string, calls: readonly DoneCall[], file: string | undefined): string {
  const task = /\*\*Task\*\*:\s*(.+)/.exec(prompt)?.[1] ?? prompt;
  const asked = {
    glob: FILES.exec(prompt)?.[1],
    grep: WORDS.exec(prompt)?.[1],
    read_file: file,
  } as Readonly<Record<string, string | undefined>>;
  const facts = calls.map((one) => factOf(one, asked[one.name] ?? '.'));
  const found = facts.length > 0 ? facts : ['No tool could be used, so there is nothing to report.'];
  return [
    `# Report: ${firstWords(task)}`,
    `## Summary\n\n${found.join(' ')}`,
    `## How this was made\n\nBy the demo, which is scripted: no model read the prompt. ${calls.length === 0 ? 'No tool was called.' : `The ${calls.length === 1 ? 'tool call was' : `${calls.length} tool calls were`} real (${[...new Set(calls.map(({ name }) => `\`${name}\``))].join(', ')}), and so is what ${calls.length === 1 ? 'it' : 'they'} found.`}`,
  ].join('\n\n');
}

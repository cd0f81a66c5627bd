/** The demo's sub-agent: looks for what its prompt names, reads one file of it, and reports what was found. */
import { factOf, listedLines, firstWords, fileWorthReading } from './demo-facts.ts';
import type { DoneCall, Reply, Scene } from './demo-scene.ts';

/** What a prompt can ask a demo agent for, each in backticks behind its word. */
const FILES = /\b(?:Files|Fichiers)\s?: `([^`\n]+)`/;
const WORDS = /\b(?:Look for|Chercher)\s?: `([^`\n]+)`/;
const TASK = /\*\*(?:Task|Tâche)\*\*\s?:\s*(.+)/;

/** What a call was about: what the prompt asks for, or the file that was found. */
export function askedOf({ name }: DoneCall, prompt: string, file: string | undefined): string {
  const asked = name === 'glob' ? FILES.exec(prompt)?.[1] : name === 'grep' ? WORDS.exec(prompt)?.[1] : file;
  return asked ?? '.';
}

/** The task in a prompt of four parts; undefined in any other. */
export const taskIn = (prompt: string): string | undefined => TASK.exec(prompt)?.[1];

const ID = 'demo_agent_';

export function agentReply(scene: Scene): Reply {
  const { calls, can, prompt, words } = scene;
  const done = new Map(calls.map((call) => [call.id.slice(ID.length).replace(/_\d+$/, ''), call]));
  if (done.size === 0) {
    const first = searches(prompt).filter(({ name }) => can(name));
    if (first.length > 0)
      return { text: words.begin(first.map(({ name }) => `\`${name}\``).join(words.and)), calls: first };
  }
  const file = fileIn(calls);
  if (!done.has('read') && file !== undefined && can('read_file')) {
    return { text: words.worthReading(file), calls: [agentCall('read', 'read_file', { path: file })] };
  }
  return { text: report(scene, file), calls: [] };
}

export function searches(prompt: string): Reply['calls'] {
  const files = FILES.exec(prompt)?.[1];
  const sought = WORDS.exec(prompt)?.[1];
  const asked = [
    ...(files === undefined ? [] : [agentCall('glob', 'glob', { pattern: files })]),
    ...(sought === undefined ? [] : [agentCall('grep', 'grep', { pattern: sought })]),
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

function report({ prompt, calls, words }: Scene, file: string | undefined): string {
  const facts = calls.map((one) => factOf(one, askedOf(one, prompt, file), words));
  const tools = [...new Set(calls.map(({ name }) => `\`${name}\``))].join(', ');
  return [
    words.report(firstWords(taskIn(prompt) ?? prompt)),
    `${words.summary}\n\n${(facts.length > 0 ? facts : [words.noTool]).join(' ')}`,
    `${words.made}\n\n${words.how(calls.length, tools)}`,
  ].join('\n\n');
}

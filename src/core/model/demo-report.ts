/** The demo's chain: facts with their sources, a report from them, and a check of it against the files. Each takes its words from what its tools gave. */
import { z } from 'zod';
import { agentCall, FILES, fileIn, searches, WORDS } from './demo-agent.ts';
import { count, factOf, firstWords, listedLines } from './demo-facts.ts';
import type { DoneCall, Reply, Scene } from './demo-scene.ts';

/** What the lead asks the first of them for, as its prompt says it. */
export const FACTS_WANTED = 'one JSON value with `question`, `facts` (each a `fact` and its `source`) and `open`';

const Facts = z.object({
  question: z.string(),
  facts: z.array(z.object({ fact: z.string(), source: z.string() })),
  open: z.array(z.string()),
});
type Facts = z.infer<typeof Facts>;

/** Lines of the files that become facts, and files that are opened to check them. */
const MOST = { lines: 4, files: 3 };
/** A statement of a report with its source. */
const STATEMENT = /^- (.+) \[([^\]]+)\]$/;

/** The reply of one of the three; null where the prompt is for none of them. */
export function reportReply(scene: Scene): Reply | null {
  const { prompt } = scene;
  if (prompt.includes(FACTS_WANTED)) return finderReply(scene);
  const facts = factsIn(prompt);
  if (facts) return writerReply(scene, facts);
  return prompt.startsWith('# ') && prompt.includes('\n## Facts\n') ? checkerReply(scene) : null;
}

function factsIn(prompt: string): Facts | null {
  try {
    return Facts.safeParse(JSON.parse(prompt)).data ?? null;
  } catch {
    return null;
  }
}

function finderReply({ prompt, calls, can }: Scene): Reply {
  const first = searches(prompt).filter(({ name }) => can(name));
  if (calls.length === 0 && first.length > 0) return { text: 'I look for what there is.', calls: first };
  const file = fileIn(calls);
  if (file !== undefined && can('read_file') && calls.every(({ name }) => name !== 'read_file'))
    return { text: `\`${file}\` may answer more.`, calls: [agentCall('read', 'read_file', { path: file })] };
  const asked: Readonly<Record<string, string | undefined>> = {
    glob: FILES.exec(prompt)?.[1],
    grep: WORDS.exec(prompt)?.[1],
    read_file: file,
  };
  const found = calls.map((call) => ({ call, lines: call.name === 'grep' ? linesIn(call) : [] }));
  const facts = found.flatMap(({ call, lines }) => {
    if (call.isError) return [];
    if (call.name === 'grep') return lines;
    return [{ fact: factOf(call, asked[call.name] ?? '.'), source: call.name === 'read_file' ? (file ?? '.') : '.' }];
  });
  const open = found.flatMap(({ call, lines }) =>
    call.isError || (call.name === 'grep' && lines.length === 0) ? [factOf(call, asked[call.name] ?? '.')] : [],
  );
  const question = /\*\*Task\*\*:\s*(.+)/.exec(prompt)?.[1] ?? firstWords(prompt);
  return { text: JSON.stringify({ question, facts, open } satisfies Facts, null, 2), calls: [] };
}

function linesIn({ output, isError }: DoneCall): Facts['facts'] {
  if (isError) return [];
  return listedLines(output)
    .flatMap((line) => {
      const [, path = '', number = '', words = ''] = /^(.+?):(\d+):(.*)$/.exec(line) ?? [];
      const said = firstWords(words);
      return said === '' ? [] : [{ fact: `Line ${number} says “${said}”.`, source: `${path}:${number}` }];
    })
    .slice(0, MOST.lines);
}

/** Opens the first source that is a file, then writes from what it was handed. */
function writerReply({ calls, can }: Scene, { question, facts, open }: Facts): Reply {
  const [path] = filesOf(facts.map(({ source }) => source));
  if (calls.length === 0 && path !== undefined && can('read_file'))
    return { text: `I look at \`${path}\` before I write.`, calls: [agentCall('look', 'read_file', { path })] };
  const answer = facts.slice(0, 2).map(({ fact }) => fact);
  const look = calls.map((call) => (call.isError ? `\`${path}\` could not be opened.` : ''));
  const text = [
    `# ${question}`,
    `## Answer\n\n${[`${count(facts.length, 'fact')} ${facts.length === 1 ? 'was' : 'were'} found.`, ...answer, ...look].join(' ').trim()}`,
    `## Facts\n\n${facts.map(({ fact, source }) => `- ${fact} [${source}]`).join('\n') || 'None.'}`,
    `## Open\n\n${open.map((one) => `- ${one}`).join('\n') || 'Nothing.'}`,
  ];
  return { text: text.join('\n\n'), calls: [] };
}

/** Opens the files that the report names, and takes out what they do not say. */
function checkerReply({ prompt, calls, can }: Scene): Reply {
  const stated = prompt.split('\n').flatMap((line) => {
    const [, fact = '', source = ''] = STATEMENT.exec(line) ?? [];
    return source === '' ? [] : [{ line, fact, source }];
  });
  const paths = filesOf(stated.map(({ source }) => source)).slice(0, MOST.files);
  if (calls.length === 0 && paths.length > 0 && can('read_file')) {
    const opened = paths.map((path, index) => agentCall(`open_${index}`, 'read_file', { path }));
    return { text: `I open ${count(paths.length, 'source')} of the report.`, calls: opened };
  }
  // The calls stand in the order of the paths.
  const texts = new Map(paths.map((path, index) => [path, calls[index]]));
  const checked = stated.flatMap((one) => {
    const opened = texts.get(pathOf(one.source));
    return opened ? [{ ...one, holds: !opened.isError && says(opened.output, one.fact) }] : [];
  });
  const wrong = new Set(checked.filter(({ holds }) => !holds).map(({ line }) => line));
  const report = prompt
    .split('\n')
    .filter((line) => !wrong.has(line))
    .join('\n')
    .trimEnd();
  const sums = `${count(checked.length, 'statement')} of ${stated.length} checked, ${checked.length - wrong.size} held.`;
  const out = [...wrong].map((line) => `\n- Taken out, because its source does not say it: ${line.slice(2)}`);
  return { text: `${report}\n\n## Checked\n\n${sums}${out.join('')}`, calls: [] };
}

const pathOf = (source: string): string => source.replace(/:\d+$/, '');

/** Without what names no file; each once. */
function filesOf(sources: readonly string[]): string[] {
  return [...new Set(sources.map(pathOf))].filter((path) => path !== '.');
}

/** Whether the text has all that the statement quotes of it. */
function says(text: string, fact: string): boolean {
  const whole = text.replace(/\s+/g, ' ');
  return [...fact.matchAll(/“(.+?)…?”/g)].every(([, quoted = '']) => whole.includes(quoted));
}

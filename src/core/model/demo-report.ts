/** The demo's chain: facts with their sources, a report from them, and a check of it against the files. Each takes its words from what its tools gave. */
import { z } from 'zod';
import { agentCall, askedOf, fileIn, searches, taskIn } from './demo-agent.ts';
import { factOf, firstWords, listedLines } from './demo-facts.ts';
import { wordsOf } from './demo-language.ts';
import type { DoneCall, Reply, Scene } from './demo-scene.ts';
import type { DemoWords } from './demo-words.ts';
import { LANGUAGES } from '#contract/messages/language.ts';

const Facts = z.object({
  question: z.string(),
  facts: z.array(z.object({ fact: z.string(), source: z.string() })),
  open: z.array(z.string()),
});
type Facts = z.infer<typeof Facts>;

/** Lines of the files that become facts, and files that are opened to check them. */
const MOST = { lines: 4, files: 3 };
const ALL_WORDS = LANGUAGES.map(wordsOf);
/** A statement of a report with its source. */
const STATEMENT = /^- (.+) \[([^\]]+)\]$/;

/** The reply of one of the three; null where the prompt is for none of them. */
export function reportReply(scene: Scene): Reply | null {
  const { prompt } = scene;
  if (ALL_WORDS.some(({ factsWanted }) => prompt.includes(factsWanted))) return finderReply(scene);
  const facts = factsIn(prompt);
  if (facts) return writerReply(scene, facts);
  const isReport = prompt.startsWith('# ') && ALL_WORDS.some(({ facts: head }) => prompt.includes(`\n${head}\n`));
  return isReport ? checkerReply(scene) : null;
}

function factsIn(prompt: string): Facts | null {
  try {
    return Facts.safeParse(JSON.parse(prompt)).data ?? null;
  } catch {
    return null;
  }
}

function finderReply({ prompt, calls, can, words }: Scene): Reply {
  const first = searches(prompt).filter(({ name }) => can(name));
  if (calls.length === 0 && first.length > 0) return { text: words.looking, calls: first };
  const file = fileIn(calls);
  if (file !== undefined && can('read_file') && calls.every(({ name }) => name !== 'read_file'))
    return { text: words.worthReading(file), calls: [agentCall('read', 'read_file', { path: file })] };
  const found = calls.map((call) => ({
    call,
    fact: factOf(call, askedOf(call, prompt, file), words),
    lines: call.name === 'grep' ? linesIn(call, words) : [],
  }));
  const facts = found.flatMap(({ call, fact, lines }) => {
    if (call.isError) return [];
    if (call.name === 'grep') return lines;
    return [{ fact, source: call.name === 'read_file' ? (file ?? '.') : '.' }];
  });
  const open = found.flatMap(({ call, fact, lines }) =>
    call.isError || (call.name === 'grep' && lines.length === 0) ? [fact] : [],
  );
  const question = taskIn(prompt) ?? firstWords(prompt);
  return { text: JSON.stringify({ question, facts, open } satisfies Facts, null, 2), calls: [] };
}

function linesIn({ output, isError }: DoneCall, words: DemoWords): Facts['facts'] {
  if (isError) return [];
  return listedLines(output)
    .flatMap((place) => {
      const [, path = '', number = '', line = ''] = /^(.+?):(\d+):(.*)$/.exec(place) ?? [];
      const said = firstWords(line);
      return said === '' ? [] : [{ fact: words.lineSays(number, said), source: `${path}:${number}` }];
    })
    .slice(0, MOST.lines);
}

/** Opens the first source that is a file, then writes from what it was handed. */
function writerReply({ calls, can, words }: Scene, { question, facts, open }: Facts): Reply {
  const [path] = filesOf(facts.map(({ source }) => source));
  if (calls.length === 0 && path !== undefined && can('read_file'))
    return { text: words.beforeWriting(path), calls: [agentCall('look', 'read_file', { path })] };
  const answer = facts.slice(0, 2).map(({ fact, source }) => (source === '.' ? fact : `${fact} [${source}]`));
  const look = calls.map((call) => (call.isError ? words.notOpened(path ?? '') : ''));
  const text = [
    `# ${question}`,
    `${words.answer}\n\n${[words.factsFound(facts.length), ...answer, ...look].join(' ').trim()}`,
    `${words.facts}\n\n${facts.map(({ fact, source }) => `- ${fact} [${source}]`).join('\n') || words.noFacts}`,
    `${words.open}\n\n${open.map((one) => `- ${one}`).join('\n') || words.nothingOpen}`,
  ];
  return { text: text.join('\n\n'), calls: [] };
}

/** Opens the files that the report names, and takes out what they do not say. */
function checkerReply({ prompt, calls, can, words }: Scene): Reply {
  const stated = prompt.split('\n').flatMap((line) => {
    const [, fact = '', source = ''] = STATEMENT.exec(line) ?? [];
    return source === '' ? [] : [{ line, fact, source }];
  });
  const paths = filesOf(stated.map(({ source }) => source)).slice(0, MOST.files);
  if (calls.length === 0 && paths.length > 0 && can('read_file')) {
    const opened = paths.map((path, index) => agentCall(`open_${index}`, 'read_file', { path }));
    return { text: words.opening(paths.length), calls: opened };
  }
  // The calls stand in the order of the paths.
  const texts = new Map(paths.map((path, index) => [path, calls[index]]));
  const checked = stated.flatMap((one) => {
    const opened = texts.get(pathOf(one.source));
    return opened ? [{ ...one, holds: says(opened, one) }] : [];
  });
  const wrong = new Set(checked.filter(({ holds }) => !holds).map(({ line }) => line));
  const report = prompt
    .split('\n')
    .filter((line) => !wrong.has(line))
    .join('\n')
    .trimEnd();
  const sums = words.sums(checked.length, stated.length, checked.length - wrong.size);
  const out = [...wrong].map((line) => `\n- ${words.takenOut(line.slice(2))}`);
  return { text: `${report}\n\n${words.checked}\n\n${sums}${out.join('')}`, calls: [] };
}

const pathOf = (source: string): string => source.replace(/:\d+$/, '');

/** Without what names no file; each once. */
function filesOf(sources: readonly string[]): string[] {
  return [...new Set(sources.map(pathOf))].filter((path) => path !== '.');
}

/** Whether the file that was opened says it: the line that a statement quotes, or else the fact that it tells of the file. */
function says(opened: DoneCall, { fact, source }: { fact: string; source: string }): boolean {
  if (opened.isError) return false;
  const line = /:(\d+)$/.exec(source)?.[1];
  if (line === undefined) return ALL_WORDS.some((words) => factOf(opened, pathOf(source), words) === fact);
  const there = (opened.output.split('\n')[Number(line) - 1] ?? '').replace(/\s+/g, ' ');
  const quoted = [...fact.matchAll(/[“«]\s?(.+?)…?\s?[”»]/g)];
  return quoted.length > 0 && quoted.every(([, words = '']) => there.includes(words));
}

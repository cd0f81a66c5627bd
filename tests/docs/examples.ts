/** Reads the examples of a page and carries them out: the calls by a scripted model, everything else for real. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { type Answer, type Approval, Reply } from '#contract/approval.ts';
import { type Harness, startEngine } from '../support/engine.ts';
import { CHILD } from '../support/fake-model/scenarios.ts';
import { searchServer } from '../support/web/search-server.ts';
import { Script, text, toolUse } from '../support/fake-model/script.ts';
import type { sharedEngine } from '../support/shared-engine.ts';

/** A fenced block: its language, the words behind it, and its content. */
interface Block {
  language: string;
  words: string[];
  content: string;
}

export interface Section {
  title: string;
  blocks: Block[];
}

const Call = z.strictObject({ name: z.string(), input: z.record(z.string(), z.unknown()) });
type Call = z.infer<typeof Call>;

/** One response of the lead with the results that it gets. */
interface Round {
  calls: Call[];
  results: Block[];
}

interface Example {
  rounds: Round[];
  /** Answers of the sub-agents, in the order in which their prompts stand in the calls. */
  reports: string[];
  /** Reasons of rejections, for the first questions. */
  rejections: string[];
  /** What the person says to the questions of an agent; null where the page shows nothing. */
  replies: Reply[] | null;
  /** What a search of the web answers; null where none is set up. */
  found: unknown;
}

export function readPage(name: string): Section[] {
  const page = readFileSync(path.resolve(import.meta.dirname, '../../docs', name), 'utf8');
  const sections: Section[] = [];
  // Headings inside of a block are its content.
  for (const [, title, , language, words, content] of page.matchAll(
    /^(?:#{1,3} (.*)|(`{3,})(\w+) ?(.*)\n([\s\S]*?)\n\2)$/gm,
  )) {
    if (title !== undefined) sections.push({ title, blocks: [] });
    else
      sections.at(-1)?.blocks.push({
        language: language ?? '',
        words: (words ?? '').split(' ').filter((word) => word !== ''),
        content: content ?? '',
      });
  }
  return sections;
}

/** Files of the workspace that a page's examples work in. */
export function filesOf(sections: readonly Section[]): Record<string, string> {
  const blocks = sections.flatMap((section) => section.blocks).filter(({ words }) => words[0] === 'file');
  return Object.fromEntries(blocks.map(({ words, content }) => [words[1] ?? '', `${content}\n`]));
}

export function exampleOf({ title, blocks }: Section): Example | null {
  const example: Example = { rounds: [], reports: [], rejections: [], replies: null, found: null };
  for (const block of blocks) {
    const last = example.rounds.at(-1);
    if (block.words[0] === 'call') {
      const call = Call.parse(JSON.parse(block.content));
      if (last && last.results.length === 0) last.calls.push(call);
      else example.rounds.push({ calls: [call], results: [] });
    } else if (block.words[0] === 'result') last?.results.push(block);
    else if (block.words[0] === 'report') example.reports.push(block.content);
    else if (block.words[0] === 'reject') example.rejections.push(block.content);
    else if (block.words[0] === 'found') example.found = JSON.parse(block.content);
    else if (block.words[0] === 'reply') example.replies = z.array(Reply).parse(JSON.parse(block.content));
  }
  if (example.rounds.length === 0) return null;
  for (const { calls, results } of example.rounds) {
    if (calls.length !== results.length)
      throw new Error(`"${title}": every call needs its result (${calls.length} and ${results.length})`);
  }
  return example;
}

/**
 * What the page says of each result beside what it was, both without ids and times. `start`: in the engine of all that
 * need no settings.
 */
export async function carryOut(
  example: Example,
  files: Record<string, string>,
  start: ReturnType<typeof sharedEngine>['start'],
): Promise<{ said: unknown[]; were: unknown[] }> {
  const options = { files, person: answering(example) };
  const script = scriptOf(example);
  const engine =
    example.found === null
      ? await start(script, options)
      : await startEngine(script, { ...options, settings: (await searchServer({ body: example.found })).settings });
  await engine.ask('Do what the page says');
  const results = example.rounds.flatMap((round) => round.results);
  return { said: results.map(plain), were: results.map((block, index) => wasOf(engine, block, index)) };
}

function scriptOf({ rounds, reports }: Example): Script {
  const script = new Script();
  const prompts = rounds.flatMap(({ calls }) => calls.flatMap(promptsOf));
  prompts.forEach((prompt, index) => {
    const report = reports[index];
    if (report !== undefined)
      script
        .on({ ...CHILD, where: (seen) => seen.prompt === prompt })
        .reply([text(report)], { usage: { input: 1200, output: 90 } });
  });
  for (const { calls } of rounds) script.step(calls.map(({ name, input }) => toolUse(name, input)));
  return script.step([text('That is all.')]);
}

function promptsOf({ input }: Call): string[] {
  const tasks = Array.isArray(input['tasks']) ? (input['tasks'] as { prompt?: unknown }[]) : [input];
  return tasks.flatMap(({ prompt }) => (typeof prompt === 'string' ? [prompt] : []));
}

function answering({ rejections, replies }: Example): (approval: Approval, item: number) => Answer {
  const left = [...rejections];
  return ({ request }) => {
    if (replies && request.subject.kind === 'questions') return { kind: 'reply', replies };
    const reason = left.shift();
    return reason === undefined ? { kind: 'allow' } : { kind: 'reject', reason };
  };
}

/** Results in the order of the calls, as the lead read them. */
function wasOf(engine: Harness, block: Block, index: number): unknown {
  const lead = engine.of('tool-end').filter(({ parentRunId }) => parentRunId === null);
  const order = engine
    .of('message-end')
    .flatMap(({ entry, parentRunId }) => (entry.kind === 'assistant' && parentRunId === null ? entry.parts : []))
    .flatMap((part) => (part.type === 'tool_use' ? [part.id] : []));
  const output = lead.find(({ entry }) => entry.toolCallId === order[index])?.entry.output ?? '(no result)';
  return plain({ ...block, content: output });
}

/** Ids are any, times are any. */
function plain({ language, content }: Block): unknown {
  if (language !== 'json') return content.trim();
  const same = content
    .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'ID')
    .replace(/"duration_ms": ?\d+/g, '"duration_ms":0');
  return JSON.parse(same) as unknown;
}

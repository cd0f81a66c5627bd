/** Leaves out files that ripgrep knows to have no match, in the thread of a search. */
import { once } from 'node:events';
import type { MessagePort } from 'node:worker_threads';
import type { Question } from './ripgrep.ts';
import type { Asking } from './search.ts';

/** Characters of paths in one question: what every system takes as arguments. */
const QUESTION_CHARS = 512 * 1024;

export interface Sifting {
  /** Null: nothing is asked. */
  ask: Asking | null;
  port: MessagePort;
  mayRead: (path: string) => boolean;
  /** Called before the first question. */
  begin: () => void;
}

/** The files that may have a match, in their order. */
export async function* sifted(
  paths: readonly string[],
  expression: RegExp,
  { ask, port, mayRead, begin }: Sifting,
): AsyncGenerator<string> {
  const until = performance.now() + (ask?.afterMs ?? Infinity);
  let done = 0;
  for (; done < paths.length && performance.now() < until; done++) yield paths[done]!;
  const rest = paths.slice(done).filter(mayRead);
  if (ask === null || rest.length < ask.files) return yield* rest;
  // Loaded where there is much to search only.
  const { looser } = await import('./ripgrep-pattern.ts');
  const pattern = looser(expression);
  if (pattern === null) return yield* rest;
  begin();
  const closed = new AbortController();
  port.once('close', () => closed.abort());
  const questions = questionsOf(rest).map((names) => ({ pattern, paths: names }));
  let answer = answerOf(port, questions[0]!, closed.signal);
  for (const [at, { paths: asked }] of questions.entries()) {
    const found = await answer;
    if (found === null) return yield* questions.slice(at).flatMap((question) => question.paths);
    const next = questions[at + 1];
    // Made while the files of this one are searched.
    if (next) answer = answerOf(port, next, closed.signal);
    yield* asked.filter((path) => found.has(path));
  }
}

function questionsOf(paths: readonly string[]): string[][] {
  const questions: string[][] = [];
  let chars = QUESTION_CHARS;
  for (const path of paths) {
    chars += path.length;
    if (chars > QUESTION_CHARS) {
      questions.push([]);
      chars = path.length;
    }
    questions.at(-1)!.push(path);
  }
  return questions;
}

/** Null where it is not known. One question at a time; `closed`: nobody answers any more. */
async function answerOf(port: MessagePort, question: Question, closed: AbortSignal): Promise<Set<string> | null> {
  port.postMessage(question);
  try {
    const [found] = (await once(port, 'message', { signal: closed })) as [string[] | null];
    return found && new Set(found);
  } catch {
    return null;
  }
}

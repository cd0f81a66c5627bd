/** Validation messages about an edited envelope, by field and in plain words. */
import { text } from './text.ts';

export interface FieldProblem {
  /** A key of the envelope or of its limits. */
  field: string;
  /** Follows the name of the field, such as `cannot be more than 200`. */
  problem: string;
}

/** By the language that is spoken when it is read. */
const fields: Readonly<Record<string, string>> = text.approval.fields;

/** The problems that a message names; empty where it names no field. */
export function fieldProblems(message: string): FieldProblem[] {
  const listed = [...message.matchAll(/✖ (.+)\n\s*→ at ([\w.]+)/g)].map(([, problem = '', path = '']) => ({
    field: path.split('.').find((part) => part in fields && part !== 'limits') ?? path,
    problem: inWords(problem),
  }));
  const [, field, problem] = /^(\w+) ((?:cannot|must) .+)$/.exec(message) ?? [];
  const named = field !== undefined && problem !== undefined && field in fields ? [{ field, problem }] : [];
  const about = /^The prompt (is empty.*)$/.exec(message)?.[1];
  return [...listed, ...named, ...(about === undefined ? [] : [{ field: 'prompt', problem: about }])].map(inSeconds);
}

export function asSentences(problems: readonly FieldProblem[]): string {
  return problems.map(({ field, problem }) => `${fields[field] ?? field} ${problem}`).join('. ');
}

function inWords(problem: string): string {
  const words = text.approval.problems;
  const [, big, what, relation, bound = ''] =
    /^Too (big|small): expected (\w+) to (?:be|have) ([<>]=?)(\d+)/.exec(problem) ?? [];
  if (what === 'string') return big === 'big' ? words.tooLong(bound) : words.empty;
  if (relation === '>') return words.notMore(bound);
  if (what !== undefined) return big === 'big' ? words.tooBig(bound) : words.tooSmall(bound);
  if (/expected (number|int)/.test(problem)) return words.noNumber;
  return `${problem.charAt(0).toLowerCase()}${problem.slice(1)}`;
}

/** The form asks for seconds where the envelope has milliseconds. */
function inSeconds({ field, problem }: FieldProblem): FieldProblem {
  if (field !== 'inactivityMs') return { field, problem };
  return { field, problem: problem.replace(/\d+/, (ms) => String(Number(ms) / 1000)) };
}

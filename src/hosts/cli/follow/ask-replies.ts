/** Asks the questions of an agent at the terminal, one after the other. An empty line skips one. */
import type { Answer, PersonQuestion, Reply } from '#contract/approval.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** Resolves with the replies. A closed terminal rejects, as for every question. */
export async function askReplies(
  terminal: Terminal,
  questions: readonly PersonQuestion[],
  signal: AbortSignal,
): Promise<Answer> {
  const replies: Reply[] = [];
  for (const [index, question] of questions.entries()) {
    const place = questions.length === 1 ? '' : `${index + 1}. `;
    for (;;) {
      const line = await terminal.ask(`${place}${HINTS[question.kind]} (empty: skip): `, signal);
      if (line === null) return { kind: 'reject', reason: 'The terminal was closed without an answer' };
      const reply = replyOf(question, line);
      if (reply !== undefined) {
        replies.push(reply);
        break;
      }
      terminal.write(`There are the numbers 1 to ${question.choices.length}; anything else is taken as words.\n`);
    }
  }
  return { kind: 'reply', replies };
}

const HINTS: Readonly<Record<PersonQuestion['kind'], string>> = {
  single: 'A number, or your own words',
  multiple: 'Numbers such as 1,3, or your own words',
  text: 'Your answer',
};

/** Parses a line: numbers select choices, other text is a reply. Returns undefined for a number without a choice. */
function replyOf({ kind, choices }: PersonQuestion, line: string): Reply | undefined {
  const words = line.trim();
  if (words === '') return null;
  const several = kind === 'multiple' ? /^\d+(\s*[,\s]\s*\d+)*$/ : /^\d+$/;
  if (choices.length === 0 || !several.test(words)) return { chosen: [], words };
  const numbers = [...new Set(words.split(/[,\s]+/).map(Number))];
  const chosen = numbers.map((number) => choices[number - 1]?.label);
  return chosen.every((label) => label !== undefined) ? { chosen, words: '' } : undefined;
}

/** The tool with which an agent asks the person something: one of some choices, any number of them, or words. */
import { z } from 'zod';
import { MAX_CHOICES, MAX_QUESTIONS } from '#contract/limits.ts';
import type { PersonQuestion, Reply } from '#contract/approval.ts';
import { phrase } from '#contract/approvals/phrases.ts';
import { canonicalHash } from '../base/hash.ts';
import { defineTool } from './tool.ts';
import { NO_PERMISSION } from './traits.ts';
import { asked } from './asked.ts';

const Choice = z.strictObject({
  label: z.string().trim().min(1).max(200).describe('A few words.'),
  description: z.string().trim().max(1000).optional().describe('What it means.'),
});

const Item = z
  .strictObject({
    question: z.string().trim().min(1).max(4000),
    kind: z
      .enum(['single', 'multiple', 'text'])
      .describe('single: one choice; multiple: any number of choices; text: free text.'),
    choices: z.array(Choice).max(MAX_CHOICES).optional().describe('At least two, for single and multiple.'),
  })
  .refine(({ kind, choices = [] }) => kind === 'text' || choices.length >= 2, {
    path: ['choices'],
    message: 'must have at least two for the kinds single and multiple',
  })
  .refine(({ choices = [] }) => new Set(choices.map(({ label }) => label)).size === choices.length, {
    path: ['choices'],
    message: 'must have different labels',
  });

const Input = z.strictObject({
  questions: z.array(Item).min(1).max(MAX_QUESTIONS).describe(`At most ${MAX_QUESTIONS}, answered together.`),
});

export const askQuestion = defineTool<z.output<typeof Input>>({
  ...NO_PERMISSION,
  name: 'ask_question',
  isPersonText: true,
  describe: () =>
    'Asks the person what only they can know: a choice, a preference, a fact that is in no file. ' +
    'Look into the files first. If the person skips a question, decide yourself and state your assumption.',
  input: Input,
  order: 'concurrent',
  question: (input, { workspace }) => {
    const questions = input.questions.map(({ question, kind, choices = [] }): PersonQuestion => ({
      question,
      kind,
      choices: kind === 'text' ? [] : choices.map(({ label, description = null }) => ({ label, description })),
    }));
    return Promise.resolve({
      ...asked(
        questions.length === 1
          ? phrase('own_words', { words: questions[0]!.question })
          : phrase('questions', { count: questions.length }),
        [],
      ),
      subject: {
        kind: 'questions',
        questions,
        folder: workspace.folder,
        hash: canonicalHash({ tool: 'ask_question', input }),
      },
      risk: 'low',
      reversible: true,
    });
  },
  execute: ({ questions }, _, approval) => {
    const decision = approval?.decisions[0];
    const replies = decision?.replies ?? [];
    const lines = questions.map(({ question }, index) => `${question}\n→ ${wordsOf(replies[index] ?? null)}`);
    const nobody = decision?.decidedBy === 'person' ? '' : 'Nobody was asked.\n\n';
    return Promise.resolve({
      status: 'completed',
      output: nobody + lines.join('\n\n'),
      metadata: { answered: replies.filter((reply) => reply !== null).length, asked: questions.length },
    });
  },
});

/** What the agent reads of one reply. */
function wordsOf(reply: Reply): string {
  const said = [...(reply?.chosen ?? []), ...(reply?.words.trim() ? [reply.words.trim()] : [])];
  return said.length === 0 ? '(skipped: decide yourself, and say what you assumed)' : said.join('; ');
}

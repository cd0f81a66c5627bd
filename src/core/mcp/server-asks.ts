/** What a server asks in the middle of a call, put to the person: something to fill in, or a model's answer. */
import { z } from 'zod';
import type { Approval, PersonQuestion, Reply } from '#contract/approval.ts';
import { MAX_CHOICES, MAX_QUESTIONS } from '#contract/limits.ts';
import type { Phrase } from '#contract/approvals/phrase.ts';
import { phrase, sentenceOf } from '#contract/approvals/phrases.ts';
import { TriadError } from '../base/errors.ts';
import { canonicalHash } from '../base/hash.ts';
import { redactKeysNow } from '../base/redact.ts';
import type { ToolContext } from '../tools/tool.ts';
import type { ElicitAnswer, ElicitRequest, SampleRequest, SampleResult } from './in-flight.ts';
import { asked } from '../tools/asked.ts';
import { serverWords } from './server-words.ts';

type Context = Pick<ToolContext, 'call' | 'workspace'>;

/** What is asked of a model, also as the person has changed it. */
const Sample = z.strictObject({
  system: z.string().default(''),
  messages: z.array(z.strictObject({ role: z.enum(['user', 'assistant']), text: z.string() })).min(1),
  maxTokens: z.int().positive(),
});

/** How often the person is asked for what does not fit. */
const ASKED_AT_MOST = 3;
/** Maximum number of questions to the person in one call, including repeated ones. */
const MAX_CALL_QUESTIONS = 3;
/** Maximum number of fields of one form. A form that does not fit into one question is split into several. */
const MAX_FIELDS = MAX_CALL_QUESTIONS * MAX_QUESTIONS;
const YES = 'Yes';
const NO = 'No';

type Value = string | number | boolean | string[];
type Fields = [name: string, field: Field][];
/** A field of a form, as the protocol has it. */
interface Field {
  type?: string;
  title?: string;
  description?: string;
  enum?: readonly string[];
  enumNames?: readonly string[];
  oneOf?: readonly { const: string; title?: string }[];
  items?: { enum?: readonly string[]; anyOf?: readonly { const: string; title?: string }[] };
}

/**
 * Returns a context that rejects the fourth question of a call. Then `signal` aborts, and its reason is the error that ends
 * the call.
 */
export function limitQuestions(server: string, { call, workspace }: Context) {
  const controller = new AbortController();
  let count = 0;
  const ask: Context['call']['ask'] = (question, signal) => {
    count += 1;
    if (count <= MAX_CALL_QUESTIONS) return call.ask(question, signal);
    const sentence = `${serverWords(server)} asked more than ${MAX_CALL_QUESTIONS} questions in one call, so the call was ended. Triad does not know whether it had an effect`;
    const error = new TriadError('limit_reached', sentence);
    controller.abort(error);
    return Promise.reject(error);
  };
  return { context: { call: { ...call, ask }, workspace }, signal: controller.signal };
}

/** Declined where it cannot be put to the person, they say no, or what must be said is not. */
export async function elicit(
  server: string,
  { message: written, schema }: ElicitRequest,
  context: Context,
  signal: AbortSignal,
): Promise<ElicitAnswer> {
  const message = redactKeysNow(written);
  const fields = Object.entries(schema.properties) as Fields;
  const required = schema.required ?? [];
  const questions = questionsOf(message, fields, required);
  if (questions === null) return { action: 'decline' };
  let fault = '';
  for (let time = 0; time < ASKED_AT_MOST; time += 1) {
    const said = await askAll(questions, (shown, place) => {
      const title = phrase('server_asks', { server, message, ...place });
      return context.call.ask(formOf(title, shown, fault, context.workspace.folder), signal);
    });
    if (said === null) return { action: 'decline' };
    const { replies, byPerson } = said;
    if (fields.length === 0) return { action: saidYes(replies[0] ?? null) ? 'accept' : 'decline' };
    // Nobody has filled it in.
    if (!byPerson) return { action: 'decline' };
    const filled = filledIn(fields, replies, required);
    if ('content' in filled) return { action: 'accept', content: filled.content };
    ({ fault } = filled);
  }
  return { action: 'cancel' };
}

/** The answer of the run's own model, after the person has seen what it is asked; null where they say no, or it is more than text. */
export async function sample(
  server: string,
  request: SampleRequest,
  context: Context,
  signal: AbortSignal,
): Promise<SampleResult | null> {
  const messages = request.messages.map(({ role, content }) => {
    const blocks = [content].flat();
    return {
      role,
      text: blocks.every(({ type }) => type === 'text')
        ? redactKeysNow(blocks.map((one) => ('text' in one ? one.text : '')).join('\n'))
        : null,
    };
  });
  const texts = messages.flatMap(({ role, text }) => (text === null ? [] : [{ role, text }]));
  if (texts.length < messages.length || texts.length === 0) return null;
  const system = redactKeysNow(request.systemPrompt ?? '');
  const input = { ...(system === '' ? {} : { system }), messages: texts, maxTokens: request.maxTokens };
  const approval = await context.call.ask(
    {
      ...asked(phrase('server_samples', { server }), [phrase('sampled')]),
      subject: {
        kind: 'action',
        action: [system, ...texts.map(({ role, text }) => `${role}: ${text}`)]
          .filter((text) => text !== '')
          .join('\n\n'),
        reason: `${server} asks for it in the middle of a call`,
        impact: `At most ${request.maxTokens} tokens of output from ${context.call.model} at ${context.call.provider}`,
        folder: context.workspace.folder,
        input,
        hash: canonicalHash(input),
      },
      risk: 'medium',
      reversible: true,
    },
    signal,
  );
  const decision = approval?.decisions[0];
  if (!decision?.allowed) return null;
  const agreed = Sample.safeParse(decision.edited ?? input);
  if (!agreed.success) return null;
  const { text, stopReason } = await context.call.sample(agreed.data, signal);
  return {
    role: 'assistant',
    content: { type: 'text', text },
    model: context.call.model,
    stopReason: stopReason === 'max_tokens' ? 'maxTokens' : 'endTurn',
  };
}

/** A page after the other, each of as many as are answered together; null with the first no. */
async function askAll(
  questions: readonly PersonQuestion[],
  ask: (shown: PersonQuestion[], place: { page: number; pages: number }) => Promise<Approval | null>,
): Promise<{ replies: Reply[]; byPerson: boolean } | null> {
  const pages = Math.ceil(questions.length / MAX_QUESTIONS);
  const replies: Reply[] = [];
  let byPerson = true;
  for (let page = 0; page < pages; page += 1) {
    const shown = questions.slice(page * MAX_QUESTIONS, (page + 1) * MAX_QUESTIONS);
    const approval = await ask(shown, { page: page + 1, pages });
    const said = repliesOf(approval);
    if (said === null) return null;
    replies.push(...shown.map((_, index) => said[index] ?? null));
    byPerson &&= approval?.decisions[0]?.decidedBy === 'person';
  }
  return { replies, byPerson };
}

function formOf(title: Phrase, questions: PersonQuestion[], fault: string, folder: string) {
  return {
    ...asked(title, fault === '' ? [] : [phrase('own_words', { words: fault })]),
    subject: { kind: 'questions', questions, folder, hash: canonicalHash({ title: sentenceOf(title), questions }) },
    risk: 'medium',
    reversible: true,
  } as const;
}

/** Null where there are more than a person is asked for, or none of a kind that they could fill in. */
function questionsOf(message: string, fields: Fields, required: readonly string[]): PersonQuestion[] | null {
  if (fields.length > MAX_FIELDS) return null;
  if (fields.length === 0) return [{ question: message, kind: 'single', choices: choicesOf([YES, NO]) }];
  const questions = fields.map(([name, field]): PersonQuestion => {
    const { title = name, description } = field;
    const must = required.includes(name) ? '' : ' (may be left out)';
    const question = redactKeysNow(`${title}${description === undefined ? '' : `: ${description}`}${must}`);
    const labels = labelsOf(field);
    if (labels === null) return { question, kind: 'text', choices: [] };
    return { question, kind: field.type === 'array' ? 'multiple' : 'single', choices: choicesOf(labels) };
  });
  return questions.every(({ choices }) => choices.length <= MAX_CHOICES) ? questions : null;
}

function choicesOf(labels: readonly string[]): PersonQuestion['choices'] {
  return labels.map((label) => ({ label, description: null }));
}

/** Values by the labels under which the person sees them; null where a field is filled in with words. */
function valuesOf({ type, enum: values, enumNames, oneOf, items }: Field): Map<string, string | boolean> | null {
  if (type === 'boolean')
    return new Map<string, string | boolean>([
      [YES, true],
      [NO, false],
    ]);
  if (values) return new Map(values.map((value, index) => [enumNames?.[index] ?? value, value]));
  if (oneOf) return new Map(oneOf.map((one) => [one.title ?? one.const, one.const]));
  if (items?.enum) return new Map(items.enum.map((value) => [value, value]));
  return items?.anyOf ? new Map(items.anyOf.map((one) => [one.title ?? one.const, one.const])) : null;
}

function labelsOf(field: Field): string[] | null {
  const values = valuesOf(field);
  return values && [...values.keys()];
}

function filledIn(
  fields: Fields,
  replies: readonly Reply[],
  required: readonly string[],
): { content: Record<string, Value> } | { fault: string } {
  const content: Record<string, Value> = {};
  for (const [index, [name, field]] of fields.entries()) {
    const value = valueIn(field, replies[index] ?? null);
    if (value === undefined) return { fault: `What you wrote for ${name} does not fit: it must be ${kindOf(field)}` };
    if (value !== null) content[name] = value;
    else if (required.includes(name)) return { fault: `${name} must not be left out` };
  }
  return { content };
}

/** Null for one that was left out, undefined for one that does not fit. */
function valueIn(field: Field, reply: Reply): Value | null | undefined {
  const words = reply?.words.trim() ?? '';
  const values = valuesOf(field);
  const said = [...(reply?.chosen ?? []), ...(words === '' ? [] : [words])];
  if (said.length === 0) return null;
  if (values === null) return wordsAs(field, words);
  const found = said.map((label) => values.get(label));
  if (found.includes(undefined)) return undefined;
  return field.type === 'array' ? found.map(String) : found[0];
}

function wordsAs({ type }: Field, words: string): Value | undefined {
  if (type !== 'number' && type !== 'integer') return words;
  const number = Number(words);
  const fits = type === 'integer' ? Number.isSafeInteger(number) : Number.isFinite(number);
  return fits ? number : undefined;
}

function kindOf(field: Field): string {
  const labels = labelsOf(field);
  if (labels) return `one of ${labels.join(', ')}`;
  return field.type === 'integer' ? 'a whole number' : field.type === 'number' ? 'a number' : 'text';
}

/** Null where the answer is no; where nobody was asked and the answer is yes, nothing was filled in. */
function repliesOf(approval: Approval | null): readonly Reply[] | null {
  const decision = approval?.decisions[0];
  return decision?.allowed ? (decision.replies ?? [{ chosen: [YES], words: '' }]) : null;
}

function saidYes(reply: Reply): boolean {
  return reply?.chosen.includes(YES) ?? false;
}

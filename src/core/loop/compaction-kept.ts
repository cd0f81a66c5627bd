/** What a compaction keeps word for word: what the person said and decided, the last answer, and the plan. */
import type { Entry, PlanItem } from '#contract/message.ts';
import { textOf } from '#contract/messages/response-text.ts';
import { cutAtCodePoint } from '../base/text.ts';
import type { Told } from '../log/told.ts';
import { asTold } from '../log/transcript.ts';

/** Characters of one text, of which the beginning and the end stay. */
const MAX_TEXT_CHARS = 8_000;
/** Of one that is older than those that fill the room. */
const OLD_TEXT_CHARS = 500;
const MAX_DECISION_CHARS = 1_000;

/** `upTo`: as in the entry. `maxChars`: about as much as all messages may take; the newest ones go first. */
export function keptOf(
  { prior, entries }: Told,
  { upTo, plan, maxChars }: { upTo: number; plan: readonly PlanItem[]; maxChars: number },
): string {
  const before = [...prior.flatMap(({ history }) => history.entries), ...entries.filter(({ n }) => n < upTo)];
  const said = saidIn(before, maxChars);
  const decided = before.flatMap(decisionIn);
  const answer = answerIn(prior.at(-1)?.history.entries ?? []);
  const parts = [
    section(
      'Messages to you, oldest first',
      said.map((text, at) => `${at + 1}. ${text}`),
    ),
    section(
      'What the person decided',
      decided.map((text) => `- ${text}`),
    ),
    section(
      'Your answer to the message before the last',
      answer === '' ? [] : [cutIn(answer, Math.min(MAX_TEXT_CHARS, maxChars))],
    ),
    section(
      'Your plan as it is now',
      plan.map(({ status, priority, content }) => `- [${status}] (${priority}) ${content}`),
    ),
  ];
  return parts.filter((part) => part !== '').join('\n\n');
}

const section = (title: string, items: readonly string[]): string =>
  items.length === 0 ? '' : `# ${title}\n${items.join('\n')}`;

function saidIn(entries: readonly Entry[], maxChars: number): string[] {
  const said = entries.flatMap((entry) =>
    entry.kind === 'user' && (entry.source === 'person' || entry.source === 'parent') ? [asTold(entry).trim()] : [],
  );
  let room = maxChars;
  return said
    .reverse()
    .map((text) => {
      const kept = cutIn(
        text,
        room >= text.length ? MAX_TEXT_CHARS : Math.max(OLD_TEXT_CHARS, Math.min(MAX_TEXT_CHARS, room)),
      );
      room -= kept.length;
      return kept;
    })
    .reverse();
}

/** Only of what is enormous something is left out. */
export function cutIn(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const head = cutAtCodePoint(text, Math.floor(maxChars * 0.7));
  const tail = text.slice(text.length - Math.floor(maxChars * 0.3)).replace(/^[\uDC00-\uDFFF]/, '');
  return `${head}\n[… ${text.length - head.length - tail.length} characters are left out here; they stand in the person's history …]\n${tail}`;
}

function decisionIn(entry: Entry): string[] {
  if (entry.kind !== 'tool') return [];
  const { decided } = entry.metadata;
  return typeof decided === 'string' ? [`${entry.name}: ${cutIn(decided, MAX_DECISION_CHARS)}`] : [];
}

function answerIn(entries: readonly Entry[]): string {
  const last = entries.findLast((entry) => entry.kind === 'assistant' && !entry.interrupted && textOf(entry) !== '');
  return last?.kind === 'assistant' ? textOf(last) : '';
}

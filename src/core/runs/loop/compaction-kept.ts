/** What a compaction keeps word for word: what the person said and decided, the last answer, and the plan. */
import type { Entry, PlanItem } from '#contract/message.ts';
import { textOf } from '#contract/messages/response-text.ts';
import { cutAtCodePoint } from '#core/base/text.ts';
import type { Told } from '#core/store/log/told.ts';
import { asTold } from '#core/store/log/transcript.ts';

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
  const decided = selectNewest(before.flatMap(decisionIn), maxChars);
  const answer = answerIn(prior.at(-1)?.history.entries ?? []);
  const parts = [
    section('Messages to you, oldest first', formatNumbered(said)),
    section('What the person decided', [...formatOmitted(decided.left), ...decided.texts.map((text) => `- ${text}`)]),
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

interface Newest {
  /** Oldest first. */
  texts: string[];
  /** Number of older ones that have no room. */
  left: number;
}

const formatOmitted = (count: number): string[] =>
  count === 0 ? [] : [`[… ${count} older ones are omitted here; they are in the person's history …]`];

const formatNumbered = ({ texts, left }: Newest): string[] => [
  ...formatOmitted(left),
  ...texts.map((text, at) => `${left + at + 1}. ${text}`),
];

/** The newest texts that have room, and always the last one: a conversation may have any number of them. */
function selectNewest(texts: readonly string[], maxChars: number): Newest {
  let [room, from] = [maxChars, texts.length];
  while (from > 0 && ((room -= texts[from - 1]?.length ?? 0) >= 0 || from === texts.length)) from -= 1;
  return { texts: texts.slice(from), left: from };
}

/** The newest messages whole, older ones cut, and those before them left out once these have as much room again. */
function saidIn(entries: readonly Entry[], maxChars: number): Newest {
  const said = entries.flatMap((entry) =>
    entry.kind === 'user' && (entry.source === 'person' || entry.source === 'parent') ? [asTold(entry).trim()] : [],
  );
  let room = maxChars;
  const shortened = said
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
  return selectNewest(shortened, 2 * maxChars);
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

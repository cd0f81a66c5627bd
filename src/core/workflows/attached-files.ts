/** Texts that are attached to a message: data within its words, each between two marks. */
import { MAX_PROMPT_CHARS } from '#contract/limits.ts';
import { ATTACHED_IS_DATA } from '#contract/messages/sending-limits.ts';
import type { SentFile } from '#contract/messages/sending.ts';
import { TriadError } from '../base/errors.ts';
import { sha256 } from '../base/hash.ts';
import { redactKeysNow } from '../base/redact.ts';

/** Keys in the text are redacted. The end mark has a name that the text cannot have: the hash of that text. */
export function attachedText(uri: string, content: string): string {
  const text = redactKeysNow(content);
  const name = `resource-${sha256(text).slice(0, 12)}`;
  return `\n<resource id="${name}" uri="${oneLine(uri)}">\n${text}\n</resource id="${name}">\n`;
}

/** The words with all that is attached behind them. Throws `bad_input` where that is longer than a message may be. */
export function withAttached(words: string, files: readonly SentFile[] = []): string {
  if (files.length === 0) return words;
  const all = files.map(({ name, text }) => attachedText(name, text));
  const whole = `${words.trimEnd()}\n${all.join('')}\n${ATTACHED_IS_DATA}`;
  if (whole.length <= MAX_PROMPT_CHARS) return whole;
  throw new TriadError(
    'bad_input',
    `The message and its files have ${whole.length} characters, and at most ${MAX_PROMPT_CHARS} can be sent: attach less, or name files that the lead reads itself`,
  );
}

export function oneLine(text: string): string {
  return text.replaceAll(/[\s"<>]+/g, ' ').trim();
}

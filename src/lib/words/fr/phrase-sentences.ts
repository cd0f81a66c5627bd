/** A phrase of core as a sentence in French; as core has it where only another version of the program knows it. */
import { inOneLine } from '#contract/approvals/in-one-line.ts';
import type { Phrase } from '#contract/approvals/phrase.ts';
import { phrases } from './phrases.ts';

const known: Readonly<Record<string, (values: never) => string>> = phrases;

function sentenceOf({ key, values }: Phrase): string | null {
  return Object.hasOwn(known, key) ? (known[key]?.(values as never) ?? null) : null;
}

/** `asCore`: what is said where one of them is not known; `between`: what stands between two of them. */
export function sentences(said: readonly Phrase[] | undefined, asCore: string, between = '. '): string {
  const all = said?.map(sentenceOf) ?? [null];
  return all.includes(null) ? asCore : between === '' ? inOneLine(all as string[]) : all.join(between);
}

/** What is said to a person, as a key and its values; what they say stands in `phrases.ts`. */
import { z } from 'zod';

const Values = z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]));

/** `key`: one of `ENGLISH` in `phrases.ts`; of another version of the program it may be one that is not known here. */
export const Phrase = z.object({ key: z.string(), values: Values });
export type Phrase = z.infer<typeof Phrase>;

/** The title and the sentences of the description of a question. */
export const Phrases = z.object({ title: Phrase, description: z.array(Phrase) });
export type Phrases = z.infer<typeof Phrases>;

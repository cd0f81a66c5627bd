/** About how much a message is, and what reading it costs, before it is sent. */
import { tokens as shortTokens, usd } from '#lib/view/format.ts';
import { text } from '#lib/words/text.ts';
import type { Asked } from './models.ts';

/** Less is not worth a look. */
const [LEAST_USD, LEAST_TOKENS] = [0.001, 100];

interface Message {
  tokens: number;
  /** Of what the lead was told before, as its provider counted it; 0 where nothing was. */
  context: number;
  asked: Pick<Asked, 'inputPrice'> | null;
}

/** Above this amount, in dollars, the estimate is shown beside *Send*. */
const SHOWN_USD = 0.5;

/** `beside`: shown beside *Send*, null below 50 cents; `why`: the tooltip. Null for a few words that cost next to nothing. The price is that of reading message and context once; it is left out where it is not known. */
export function estimateWords({ tokens, context, asked }: Message): { beside: string | null; why: string } | null {
  const words = text.composer;
  const amount = ((tokens + context) * (asked?.inputPrice ?? 0)) / 1e6;
  const cost = amount < LEAST_USD ? null : usd(amount);
  if (cost === null && tokens < LEAST_TOKENS) return null;
  const before = context === 0 ? null : shortTokens(context);
  const beside = cost !== null && amount > SHOWN_USD ? words.estimate(cost) : null;
  return { beside, why: words.estimateWhy(shortTokens(tokens), before, cost) };
}

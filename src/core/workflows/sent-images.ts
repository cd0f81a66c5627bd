/** Keeps the pictures of a message before anything tells of them: a request is never without what was sent. */
import type { ApprovePolicy } from '#contract/agent.ts';
import type { Image } from '#contract/message.ts';
import type { LeadChoice, SentImage } from '#contract/messages/sending.ts';
import type { Door } from '#contract/telemetry/door.ts';
import { TriadError } from '../base/errors.ts';
import { HEAD_BYTES, imageOf, imageTypeOf } from '../tools/reading/image.ts';
import type { Outputs } from '../workspace/outputs.ts';

/** What comes with the words of a message. */
export interface Sending {
  approve: ApprovePolicy;
  images?: readonly SentImage[] | undefined;
  via?: Door | undefined;
  /** The id that its sender gives it. */
  sentAs?: string | undefined;
  chosen: LeadChoice;
  /** Stores the conversation, which begins with it. Left out where that is stored. */
  begin?: (() => Promise<void>) | undefined;
}

/** All or none; `bad_input` for one that is not what it says, broken or too large. Left out where there are none. */
export async function keepSent(
  outputs: Outputs,
  conversationId: string,
  sent: readonly SentImage[] = [],
): Promise<{ images?: Image[] }> {
  if (sent.length === 0) return {};
  const read = sent.map(({ mediaType, data }, index) => {
    const bytes = Buffer.from(data, 'base64');
    const name = sent.length === 1 ? 'The picture' : `Picture ${index + 1}`;
    const found = imageTypeOf(bytes.subarray(0, HEAD_BYTES));
    if (found !== mediaType)
      throw new TriadError('bad_input', `${name} is said to be ${mediaType}, but is ${found ?? 'none that is known'}`);
    return { bytes, image: imageOf(bytes, mediaType, name) };
  });
  for (const { bytes } of read) await outputs.keepImage(conversationId, bytes);
  return { images: read.map(({ image }) => image) };
}

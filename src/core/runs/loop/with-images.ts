/** Puts pictures into the messages of a request: as the model has seen them before, as long as they are kept. */
import type { Image } from '#contract/message.ts';
import type { Run } from '../run.ts';
import type { WireMessage } from '#core/model/model.ts';

/** The newest ones, up to this many and so many bytes: a request with more may be refused by the provider. */
const [MAX_IMAGES, MAX_BYTES] = [20, 16_000_000];

type UserPart = Extract<WireMessage, { role: 'user' }>['content'][number];

const GONE = '[This image is not kept any more and is not shown: read the file again.]';
const TOO_MANY = '[This image is not shown any more, because newer ones have come: read the file again.]';
/** The person's have no file that could be read again. */
const SENT_GONE = '[The person sent an image here. It is not kept any more and is not shown.]';
const SENT_TOO_MANY = '[The person sent an image here. It is not shown any more, because newer ones have come.]';

const [BLIND, SENT_BLIND] = [
  '[An image is here. This model is not shown images.]',
  '[The person sent an image here. This model is not shown images.]',
];

/** Pictures are left out where the model sees none, and where their bytes are not kept any more. */
export async function withImages(
  messages: readonly WireMessage[],
  run: Pick<Run, 'image'> & { requests: Pick<Run['requests'], 'seesImages'> },
): Promise<WireMessage[]> {
  if (!messages.some(({ role, content }) => role === 'user' && content.some(imageIn))) return [...messages];
  const shown = newestOf(messages);
  const fill = async (part: UserPart): Promise<UserPart> => {
    if (part.type === 'text' || !part.image) return part;
    if (!run.requests.seesImages) return without(part, BLIND, SENT_BLIND);
    const { image } = part;
    if (!shown.has(part)) return without(part, TOO_MANY, SENT_TOO_MANY);
    const bytes = await run.image(image.sha256);
    if (bytes === null) return without(part, GONE, SENT_GONE);
    return { ...part, image: { ...image, data: bytes.toString('base64') } };
  };
  return Promise.all(
    messages.map(async (message) => {
      if (message.role === 'assistant') return message;
      return { ...message, content: await Promise.all(message.content.map(fill)) };
    }),
  );
}

function imageIn(part: UserPart): Image | undefined {
  return part.type === 'text' ? undefined : part.image;
}

/** Words in the place of the picture: behind the output of a call, or by themselves. */
function without(part: Exclude<UserPart, { type: 'text' }>, ofCall: string, sent: string): UserPart {
  if (part.type !== 'tool_result') return { type: 'text', text: sent };
  const { image: _, ...text } = part;
  return { ...text, output: `${part.output}\n${ofCall}` };
}

function newestOf(messages: readonly WireMessage[]): Set<UserPart> {
  const parts = messages.flatMap(({ role, content }) => (role === 'user' ? content : []));
  const newest = new Set<UserPart>();
  let bytes = 0;
  for (const part of parts.reverse()) {
    const image = imageIn(part);
    if (image === undefined) continue;
    bytes += image.bytes;
    if (newest.size === MAX_IMAGES || bytes > MAX_BYTES) break;
    newest.add(part);
  }
  return newest;
}

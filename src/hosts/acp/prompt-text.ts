/** A prompt of the protocol as the words and pictures of a message. What is attached is data, and stands as such. */
import { RequestError, type ContentBlock, type EmbeddedResource } from '@agentclientprotocol/sdk';
import { Image } from '#contract/message.ts';
import { ATTACHED_IS_DATA, LOOK_AT_ATTACHED } from '#contract/messages/sending-limits.ts';
import type { SentImage } from '#contract/messages/sending.ts';
import { attachedText, oneLine } from '#core/workflows/attached-files.ts';

export interface Message {
  text: string;
  images: SentImage[];
}

/** Throws invalid params for what cannot be sent, with what it is. */
export function messageOf(blocks: readonly ContentBlock[]): Message {
  const images: SentImage[] = [];
  let attached = false;
  const words = blocks.map((block) => {
    switch (block.type) {
      case 'text':
        return block.text;
      case 'image':
        images.push(pictureOf(block.mimeType, block.data));
        return '';
      case 'resource_link':
        return `[${oneLine(block.title ?? block.name)}](${oneLine(block.uri)})`;
      case 'resource': {
        if (isPicture(block)) {
          images.push(pictureOf(block.resource.mimeType ?? '', block.resource.blob));
          return '';
        }
        attached = true;
        return resourceText(block);
      }
      case 'audio':
        throw RequestError.invalidParams({}, 'Audio cannot be sent: send text or pictures');
    }
  });
  const text = words.join('').trim();
  if (text === '' && images.length === 0)
    throw RequestError.invalidParams({}, 'The prompt is empty: say what the lead should do');
  const said = text === '' ? LOOK_AT_ATTACHED : text;
  return { text: attached ? `${said}\n\n${ATTACHED_IS_DATA}` : said, images };
}

type Blob = EmbeddedResource & { resource: { blob: string; mimeType?: string | null } };

function isPicture(block: EmbeddedResource): block is Blob {
  return 'blob' in block.resource && Image.shape.mediaType.safeParse(block.resource.mimeType).success;
}

function pictureOf(mimeType: string, data: string): SentImage {
  const mediaType = Image.shape.mediaType.safeParse(mimeType);
  if (!mediaType.success)
    throw RequestError.invalidParams({}, `A picture of type "${mimeType}" cannot be sent: png, jpeg, gif or webp`);
  return { mediaType: mediaType.data, data };
}

function resourceText({ resource }: EmbeddedResource): string {
  const uri = oneLine(resource.uri);
  if ('text' in resource) return attachedText(uri, resource.text);
  const type = resource.mimeType ?? 'unknown';
  throw RequestError.invalidParams({}, `${uri} is no text (${type}) and cannot be sent: name it, and it can be read`);
}

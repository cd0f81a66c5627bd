/** What was sent with a message, as attachments of another one. */
import type { SentFile, SentImage } from '#contract/messages/sending.ts';
import type { Connection } from '../client/connection.ts';
import type { Attachment } from './attachment.ts';
import { readFile } from './read-file.ts';

/** Rejects with an Error whose message says what cannot be attached. */
export async function attachedAgain(
  { images, files }: { images: readonly SentImage[]; files: readonly SentFile[] },
  connection: Connection,
): Promise<Attachment[]> {
  const pictures = images.map((image, at) => readFile(pictureFile(image, at + 1), connection));
  const texts = files.map(({ name, text }): Attachment => {
    // A PDF was sent as its text, which says itself on which page it stands.
    return {
      kind: 'text',
      id: crypto.randomUUID(),
      name: name.slice(-255),
      size: new Blob([text]).size,
      text,
      pages: null,
    };
  });
  return [...(await Promise.all(pictures)), ...texts];
}

/** A picture is sent without its name. */
function pictureFile({ mediaType, data }: SentImage, number: number): File {
  const bytes = Uint8Array.from(atob(data), (character) => character.charCodeAt(0));
  return new File([bytes], `image-${number}.${mediaType.slice('image/'.length)}`, { type: mediaType });
}

/** Reads a file that the person chose, pasted or dropped; nothing else of their disk is looked at. */
import { MAX_SENT_IMAGE_CHARS, MAX_SENT_IMAGES_CHARS } from '#contract/messages/sending-limits.ts';
import type { Connection } from '../client/connection.ts';
import { text } from '#lib/words/text.ts';
import { type Attachment, type AttachedImage, imageTypeOf, MAX_SIDE, smallerSides } from './attachment.ts';

const words = text.composer;
const BYTES_OF_CHARS = 3 / 4;
const THUMBNAIL_SIDE = 96;
const JPEG_QUALITY = 0.9;

/** Rejects with an Error whose message says why it cannot be attached. */
export async function readFile(file: File, connection: Connection): Promise<Attachment> {
  const common = { id: crypto.randomUUID(), name: file.name.slice(-255) || 'file', size: file.size };
  const head = await file
    .slice(0, 12)
    .arrayBuffer()
    .catch(() => null);
  if (head === null) throw new Error(words.unreadable(file.name));
  const mediaType = imageTypeOf(new Uint8Array(head));
  if (mediaType !== null) return { kind: 'image', ...common, ...(await imageIn(file, mediaType)) };
  if (file.size > MAX_SENT_IMAGES_CHARS * BYTES_OF_CHARS) throw new Error(words.fileTooLarge(file.name));
  const data = await base64(file);
  const { text: read, pages } = await connection.request('file.text', { name: common.name, data });
  return { kind: 'text', ...common, text: read, pages };
}

type Picture = Omit<AttachedImage, 'kind' | 'id' | 'name' | 'size'>;

/** As it is, or a smaller copy where it could not be sent. */
async function imageIn(file: File, mediaType: AttachedImage['mediaType']): Promise<Picture> {
  const bitmap = await createImageBitmap(file).catch(() => null);
  if (bitmap === null) throw new Error(words.brokenImage(file.name));
  try {
    const { width, height } = bitmap;
    const thumbnail = drawn(bitmap, smallerSides(width, height, THUMBNAIL_SIDE), 'image/png');
    const isLarge = file.size > MAX_SENT_IMAGE_CHARS * BYTES_OF_CHARS || Math.max(width, height) > MAX_SIDE;
    if (!isLarge) return { mediaType, data: await base64(file), width, height, smaller: false, thumbnail };
    const sides = smallerSides(width, height);
    return {
      ...sides,
      mediaType: 'image/jpeg',
      data: dataOf(drawn(bitmap, sides, 'image/jpeg')),
      smaller: true,
      thumbnail,
    };
  } finally {
    bitmap.close();
  }
}

/** As a data address. Where something shows through it is white in a JPEG, as paper is. */
function drawn(bitmap: ImageBitmap, { width, height }: { width: number; height: number }, type: string): string {
  const canvas = document.createElement('canvas');
  canvas.width = width;
  canvas.height = height;
  const context = canvas.getContext('2d');
  if (type === 'image/jpeg' && context) {
    context.fillStyle = 'white';
    context.fillRect(0, 0, width, height);
  }
  context?.drawImage(bitmap, 0, 0, width, height);
  return canvas.toDataURL(type, JPEG_QUALITY);
}

function base64(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(dataOf(reader.result as string));
    reader.onerror = () => reject(new Error(words.unreadable(file.name)));
    reader.readAsDataURL(file);
  });
}

const dataOf = (address: string): string => address.slice(address.indexOf(',') + 1);

/** What is attached to a message before it is sent: pictures as they will be shown, other files as their text. */
import type { Image } from '#contract/message.ts';
import { estimatedTokens, imageTokens } from '#contract/context/estimate.ts';
import type { SentFile, SentImage } from '#contract/messages/sending.ts';

interface Common {
  id: string;
  name: string;
  /** Of the file as it was chosen, in bytes. */
  size: number;
}

export interface AttachedImage extends Common {
  kind: 'image';
  mediaType: Image['mediaType'];
  /** Its bytes in base64. */
  data: string;
  width: number;
  height: number;
  /** It had more pixels or bytes than can be sent. */
  smaller: boolean;
  /** An address of a small one. */
  thumbnail: string;
}

interface AttachedFile extends Common {
  kind: 'text';
  text: string;
  /** Of a PDF. */
  pages: number | null;
}

export type Attachment = AttachedImage | AttachedFile;

/** What goes out with the words of a message. */
export interface Attached {
  images?: SentImage[];
  files?: SentFile[];
}

export function sentOf(attachments: readonly Attachment[]): Attached {
  const images = attachments.flatMap((one) =>
    one.kind === 'image' ? [{ mediaType: one.mediaType, data: one.data }] : [],
  );
  const files = attachments.flatMap((one) => (one.kind === 'text' ? [{ name: one.name, text: one.text }] : []));
  return { ...(images.length > 0 && { images }), ...(files.length > 0 && { files }) };
}

/** About how many tokens a message has. */
export function tokensOf(words: string, attachments: readonly Attachment[]): number {
  const texts = attachments.reduce((sum, one) => sum + (one.kind === 'text' ? one.text.length : 0), words.length);
  return attachments.reduce((sum, one) => sum + (one.kind === 'image' ? imageTokens(one) : 0), estimatedTokens(texts));
}

/** A picture by its first bytes, whatever its name says; null for anything else. */
export function imageTypeOf(head: Uint8Array): Image['mediaType'] | null {
  const text = String.fromCharCode(...head.subarray(0, 12));
  if (text.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png';
  if (text.startsWith('\xff\xd8\xff')) return 'image/jpeg';
  if (/^GIF8[79]a/.test(text)) return 'image/gif';
  return /^RIFF[^]{4}WEBP/.test(text) ? 'image/webp' : null;
}

/** Most pixels of a side that are sent; what a provider shows its model has fewer. */
export const MAX_SIDE = 8000;
const SMALLER_SIDE = 2000;

/** The sides of a copy that can be sent. */
export function smallerSides(width: number, height: number, most = SMALLER_SIDE): { width: number; height: number } {
  const scale = Math.min(1, most / Math.max(width, height));
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) };
}

/** Names the pictures of a message where they are not shown themselves, so that nobody takes it for words alone. */
import type { Image } from '../message.ts';

/** Null where there are none. */
export function picturesText(images: readonly Image[] | null | undefined): string | null {
  if (!images || images.length === 0) return null;
  const each = images.map(({ mediaType, width, height }) => `${mediaType}, ${width} × ${height} pixels`);
  return `Sent with ${images.length === 1 ? 'a picture' : `${images.length} pictures`}: ${each.join('; ')}`;
}

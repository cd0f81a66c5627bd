/** The id that a page gives a message: a UUIDv7, so that a conversation which begins with it has an id like any other. */
export function newMessageId(now = Date.now()): string {
  const time = now.toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${crypto.randomUUID().slice(15)}`;
}

/** What one message of a server may hold, so that reading it neither fills the memory nor blocks the program. */
import type { Meter } from '../base/bounded-body.ts';

const MESSAGE_BYTES = 8 * 1024 * 1024;
/** Values in lists and objects: each costs time to read, however few bytes it has. */
const MESSAGE_VALUES = 100_000;
const MESSAGE_DEPTH = 200;

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [NEWLINE, RETURN] = [0x0a, 0x0d];
const [OPEN_LIST, OPEN_OBJECT, CLOSE_LIST, CLOSE_OBJECT] = [0x5b, 0x7b, 0x5d, 0x7d];

/**
 * Counts the bytes of one JSON text as they come. What stands around it, such as a remark in an event, hides nothing of
 * it: no text goes on behind the end of a line, and nothing ends more than has begun.
 */
export class MessageMeter implements Meter {
  #bytes = 0;
  #values = 0;
  #depth = 0;
  #isInText = false;
  /** The next byte belongs to a backslash. */
  #isEscaped = false;

  /** Null, or the end of a sentence that begins with the server: why the message is too much. */
  add(bytes: Uint8Array): string | null {
    this.#bytes += bytes.length;
    if (this.#bytes > MESSAGE_BYTES) return 'sent a message of more than 8 MiB';
    for (let at = 0; at < bytes.length;) at = this.#isInText ? this.#skipText(bytes, at) : this.#count(bytes, at);
    if (this.#depth > MESSAGE_DEPTH) return `sent a message of more than ${MESSAGE_DEPTH} levels`;
    return this.#values > MESSAGE_VALUES ? `sent a message with more than ${MESSAGE_VALUES} values` : null;
  }

  reset(): void {
    this.#bytes = this.#values = this.#depth = 0;
    this.#isInText = this.#isEscaped = false;
  }

  /** To the end of a text, which most of a large message is. */
  #skipText(bytes: Uint8Array, from: number): number {
    let isEscaped = this.#isEscaped;
    this.#isEscaped = false;
    for (let at = from; at < bytes.length; at += 1) {
      const byte = bytes[at];
      if ((byte === QUOTE && !isEscaped) || byte === NEWLINE || byte === RETURN) {
        this.#isInText = false;
        return at + 1;
      }
      isEscaped = byte === BACKSLASH && !isEscaped;
    }
    this.#isEscaped = isEscaped;
    return bytes.length;
  }

  /** To the beginning of the next text. */
  #count(bytes: Uint8Array, from: number): number {
    let [values, depth] = [this.#values, this.#depth];
    let at = from;
    for (; at < bytes.length && depth <= MESSAGE_DEPTH; at += 1) {
      const byte = bytes[at];
      if (byte === QUOTE) break;
      if (byte === COMMA) values += 1;
      else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
        values += 1;
        depth += 1;
      } else if (depth > 0 && (byte === CLOSE_LIST || byte === CLOSE_OBJECT)) depth -= 1;
    }
    this.#values = values;
    this.#depth = depth;
    if (depth > MESSAGE_DEPTH) return bytes.length;
    this.#isInText = at < bytes.length;
    return at + 1;
  }
}

/** What one message of a server may hold, so that reading it neither fills the memory nor blocks the program. */

export const MESSAGE_BYTES = 8 * 1024 * 1024;
/** Values in lists and objects: each costs time to read, however few bytes it has. */
const MESSAGE_VALUES = 100_000;
const MESSAGE_DEPTH = 200;

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [OPEN_LIST, OPEN_OBJECT, CLOSE_LIST, CLOSE_OBJECT] = [0x5b, 0x7b, 0x5d, 0x7d];

/** Counts the bytes of one JSON text as they come. */
export class MessageMeter {
  #bytes = 0;
  #values = 0;
  #depth = 0;
  #isInText = false;
  #isEscaped = false;

  /** Null, or the end of a sentence that begins with the server: why the message is too much. */
  add(bytes: Uint8Array): string | null {
    this.#bytes += bytes.length;
    if (this.#bytes > MESSAGE_BYTES) return 'sent a message of more than 8 MiB';
    for (const byte of bytes) this.#take(byte);
    if (this.#values > MESSAGE_VALUES) return `sent a message with more than ${MESSAGE_VALUES} values`;
    return null;
  }

  reset(): void {
    this.#bytes = this.#values = this.#depth = 0;
    this.#isInText = this.#isEscaped = false;
  }

  #take(byte: number): void {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (this.#isInText) {
      if (byte === QUOTE) this.#isInText = false;
      else if (byte === BACKSLASH) this.#isEscaped = true;
    } else if (byte === QUOTE) this.#isInText = true;
    else if (byte === COMMA) this.#values += 1;
    else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
      this.#depth += 1;
      // Deep nesting is refused as if each level were all that a message may hold.
      this.#values += this.#depth > MESSAGE_DEPTH ? MESSAGE_VALUES : 1;
    } else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) this.#depth -= 1;
  }
}

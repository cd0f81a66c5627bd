/** Bounds what a server may send at once: an event of a stream, or a whole body. */

/** Measures one message as its bytes come. */
export interface Meter {
  /** Returns null, or why the message exceeds a limit. */
  add(bytes: Uint8Array): string | null;
  /** Starts with the next message. */
  reset(): void;
}

const [NEWLINE, RETURN] = [0x0a, 0x0d];

/**
 * Returns the response with a body that fails when `meter` refuses a message. Each event of a stream of events is a
 * message; any other body is one. `onExcess` gets the reason from the meter and returns the error of the body.
 */
export function boundBody(response: Response, meter: Meter, onExcess: (reason: string) => Error): Response {
  if (!response.body) return response;
  const isStream = response.headers.get('content-type')?.includes('text/event-stream') ?? false;
  const count = isStream ? countEvents(meter) : (chunk: Uint8Array) => meter.add(chunk);
  // A `TransformStream` would cost ten times as much for each chunk.
  const reader = response.body.getReader();
  const body = new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        const { value } = (await reader.read()) as { value?: Uint8Array };
        if (!value) return controller.close();
        const reason = count(value);
        if (reason === null) return controller.enqueue(value);
        const error = onExcess(reason);
        controller.error(error);
        await reader.cancel(error).catch(() => undefined);
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
  const { status, statusText, headers, url } = response;
  const copy = new Response(body, { status, statusText, headers });
  // The constructor takes no URL.
  return Object.defineProperty(copy, 'url', { value: url });
}

/** Resets the meter at each blank line, which ends an event. A line ends with LF, CR LF or CR. */
function countEvents(meter: Meter): (chunk: Uint8Array) => string | null {
  let isLineEmpty = true;
  let isAfterReturn = false;
  return (chunk) => {
    let from = 0;
    const nextLineEnd = findLineEnds(chunk);
    for (let at = 0; at < chunk.length;) {
      const end = nextLineEnd(at);
      if (end > at) isLineEmpty = isAfterReturn = false;
      if (end === chunk.length) break;
      const isSecondHalf = isAfterReturn && chunk[end] === NEWLINE;
      if (isLineEmpty && !isSecondHalf) {
        const reason = meter.add(chunk.subarray(from, end));
        if (reason !== null) return reason;
        meter.reset();
        from = end;
      }
      isLineEmpty = true;
      isAfterReturn = chunk[end] === RETURN;
      at = end + 1;
    }
    return meter.add(chunk.subarray(from));
  };
}

/** Returns a function that finds the first LF or CR from an offset on; the length of the chunk if there is none. */
export function findLineEnds(chunk: Uint8Array): (from: number) => number {
  // `indexOf` is many times faster than a loop.
  const find = (byte: number, from: number): number => {
    const index = chunk.indexOf(byte, from);
    return index === -1 ? chunk.length : index;
  };
  let newline = find(NEWLINE, 0);
  let carriageReturn = find(RETURN, 0);
  return (from) => {
    if (newline < from) newline = find(NEWLINE, from);
    if (carriageReturn < from) carriageReturn = find(RETURN, from);
    return Math.min(newline, carriageReturn);
  };
}

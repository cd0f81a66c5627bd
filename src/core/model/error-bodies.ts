/** Bodies of answers that are errors: a server may send them without end, and in any form. */

/** More than any error, in bytes; what comes after it is not read. */
const MAX_BYTES = 64 * 1024;
/** How long the rest of an error may take, in milliseconds. */
const PATIENCE_MS = 5000;

/** The same `fetch`; what the SDKs read of an error ends, and has the form `{error}`. */
export function withErrorBounds(ask: typeof fetch): typeof fetch {
  return async (address, init) => {
    const response = await ask(address, init);
    if (response.ok) return response;
    return Object.defineProperty(response, 'text', { value: async () => inForm(await startOf(response)) });
  };
}

/** The beginning of the body, also where the connection breaks in it. */
async function startOf({ body }: Response): Promise<string> {
  const reader = body?.getReader();
  if (!reader) return '';
  const timer = setTimeout(() => void reader.cancel().catch(() => undefined), PATIENCE_MS);
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    while (size < MAX_BYTES) {
      const { done, value } = (await reader.read()) as { done: boolean; value?: Uint8Array };
      if (done || !value) break;
      chunks.push(value);
      size += value.length;
    }
  } catch {
    // What came is enough for the status that came with it.
  } finally {
    clearTimeout(timer);
    await reader.cancel().catch(() => undefined);
  }
  return Buffer.concat(chunks).subarray(0, MAX_BYTES).toString('utf8');
}

/** Older servers say it without `error` around it, or, with `detail`, in the words of their framework. */
function inForm(text: string): string {
  try {
    const { error, message, detail, ...rest } = Object(JSON.parse(text)) as Record<string, unknown>;
    const said = message ?? detail;
    if (error !== undefined || typeof said !== 'string') return text;
    return JSON.stringify({ error: { ...rest, message: said } });
  } catch {
    return text;
  }
}

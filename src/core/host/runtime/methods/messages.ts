/** The methods of messages: sending one, and what helps to write it (names of files, the text of what is attached). */
import { MAX_FILE_CHARS } from '#contract/messages/sending-limits.ts';
import type { Providers } from '#core/model/providers/providers.ts';
import { canonicalFolder } from '#core/base/disk-lookups.ts';
import { TriadError } from '#core/base/errors.ts';
import { Semaphore } from '#core/base/semaphore.ts';
import { workspaceOf } from '#core/runs/workspace-of.ts';
import { decoded } from '#core/tools/reading/encoding.ts';
import { HEAD_BYTES } from '#core/tools/reading/image.ts';
import { isPdf, pdfTextIn } from '#core/tools/reading/pdf.ts';
import { search, searchFrom } from '#core/tools/search/search.ts';
import { withAttached } from '#core/workflows/attached-files.ts';
import { SentOnce } from '#core/workflows/sent-once.ts';
import { newConversation } from '../new-conversation.ts';
import type { Services } from '../services.ts';
import type { Handlers } from './handlers.ts';
import { callOf } from './permissions.ts';

type Mine = 'message.send' | 'file.find' | 'file.text';

/** PDFs that are read at a time, whoever asks. */
const AT_A_TIME = 2;
const NONE = { paths: [], more: false };

/** `folder`: the default one. */
export function messageMethods(
  { engine, orchestrator }: Services,
  { folder: home, providers }: { folder: string; providers: Pick<Providers, 'speakInDemo'> },
): Pick<Handlers, Mine> {
  const once = new SentOnce(engine.store);
  const searches = new Map<string, AbortController>();
  const threads = new Semaphore(AT_A_TIME);
  return {
    'message.send': ({ conversationId, text, begin, files, approve, images, via, sentAs, language, ...chosen }) => {
      const prompt = withAttached(text, files);
      return once.do({ conversationId, prompt, sentAs }, async () => {
        const stored = await engine.store.conversation(conversationId);
        const made = stored || !begin ? null : (await newConversation(engine, conversationId, begin, home)).row;
        const conversation = stored ?? made;
        if (!conversation) throw new TriadError('not_found', `There is no conversation ${conversationId}`);
        providers.speakInDemo(conversationId, language);
        const store = made ? { begin: () => engine.log.begin(made) } : {};
        return orchestrator.send(conversation, prompt, { approve, images, via, sentAs, chosen, ...store });
      });
    },
    'file.find': async ({ folder, agent, text, limit, asker }) => {
      searches.get(asker)?.abort();
      if (text === null) return NONE;
      const stop = new AbortController();
      searches.set(asker, stop);
      try {
        // A link in the place of a workspace leads elsewhere.
        await engine.workspaces.roots.check(folder ?? home);
        const place = await canonicalFolder(folder ?? home);
        const call = (tool: string) => callOf(engine, { folder: place, agent, tool })('.');
        const hidden = await engine.permissions.hidden(call('glob'), call('read_file'));
        const where = await searchFrom(await workspaceOf(engine, place, false), undefined, []);
        const job = { kind: 'names', text, limit, includeIgnored: false, hidden, ...where } as const;
        const { lines, more } = await search(job, stop.signal, { ripgrep: null });
        return { paths: lines, more };
      } catch (error) {
        if (stop.signal.aborted) return NONE;
        throw error;
      } finally {
        if (searches.get(asker) === stop) searches.delete(asker);
      }
    },
    'file.text': async ({ name, data }) => {
      const bytes = Buffer.from(data, 'base64');
      const pages = isPdf(bytes.subarray(0, HEAD_BYTES));
      const text = pages ? await textOfPdf(bytes, name, threads) : decoded(bytes, null);
      if (text === null)
        throw new TriadError(
          'bad_input',
          `${name} is no text, PDF or picture (png, jpeg, gif, webp), so it cannot be attached`,
        );
      if (text.length > MAX_FILE_CHARS)
        throw new TriadError(
          'bad_input',
          `${name} has ${text.length} characters, and at most ${MAX_FILE_CHARS} can be attached: put it into the folder and name it there, so that the lead reads what it needs`,
        );
      return { text, pages: pages ? pagesIn(text) : null };
    },
  };
}

async function textOfPdf(bytes: Buffer, path: string, threads: Semaphore): Promise<string> {
  const { signal } = new AbortController();
  const release = await threads.acquire(signal);
  try {
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of pdfTextIn(new Uint8Array(bytes), { path, signal })) {
      chunks.push(chunk);
      // Whether it is too long is known by then.
      if ((size += chunk.length) > 4 * MAX_FILE_CHARS) break;
    }
    return Buffer.concat(chunks).toString('utf8');
  } finally {
    release();
  }
}

/** As the line before its first page says. */
const pagesIn = (text: string): number => Number(/^\[Page \d+ of (\d+)/.exec(text)?.[1] ?? 1);

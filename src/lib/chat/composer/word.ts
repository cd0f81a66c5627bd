/** The word at the cursor that asks for a completion: `@` names a file or an agent, `/` at the very beginning a command. */

export interface Word {
  kind: 'mention' | 'command';
  /** Without its mark. */
  query: string;
  /** Of the whole word, up to the cursor. */
  start: number;
  end: number;
}

/** No path that is typed is longer. */
const LOOK_BACK = 300;
/** At the beginning, or behind a space or an opening bracket: the `@` of an address is none. */
const MENTION = /(?:^|[\s([{])@(?:"([^"\n]*)|([^\s"@()[\]{}]*))$/u;
const COMMAND = /^\/([\w:-]*)$/u;
/** Paths that need no quotes. */
const PLAIN = /^[\p{L}\p{M}\p{N}_./\-+#~]+$/u;

/** Null where nothing is asked for. `caret`: where the cursor stands, nothing being selected. */
export function wordAt(text: string, caret: number): Word | null {
  const before = text.slice(0, caret);
  const command = COMMAND.exec(before);
  if (command && !/^\S/.test(text.slice(caret)))
    return { kind: 'command', query: command[1] ?? '', start: 0, end: caret };
  const near = before.slice(-LOOK_BACK);
  const mention = MENTION.exec(near);
  if (!mention) return null;
  const query = mention[1] ?? mention[2] ?? '';
  const mark = mention[1] === undefined ? 1 : 2;
  return { kind: 'mention', query, start: caret - query.length - mark, end: caret };
}

/** As it stands in a message: `@src/a.ts`, or in quotes where the path would not end there. A folder can be gone into. */
export function mentionOf(path: string): string {
  const isFolder = path.endsWith('/');
  if (PLAIN.test(path)) return isFolder ? `@${path}` : `@${path} `;
  const quoted = JSON.stringify(path);
  return isFolder ? `@${quoted.slice(0, -1)}` : `@${quoted} `;
}

/** The text with a path at the cursor, apart from what stands before it, and where the cursor stands then. */
export function withMention(text: string, caret: number, path: string): [text: string, caret: number] {
  const between = /(?:^|[\s([{])$/u.test(text.slice(0, caret)) ? '' : ' ';
  const word: Word = { kind: 'mention', query: '', start: caret, end: caret };
  const put = withWord(text, word, between + mentionOf(path));
  return [put.text, put.caret];
}

/**
 * The text with code behind it that is to go into a file, after words that ask for that, and where the cursor stands to name
 * the file.
 */
export function withCode(
  text: string,
  { code, language, ask }: { code: string; language: string; ask: string },
): [text: string, caret: number] {
  const before = text.trim() === '' ? '' : `${text.trimEnd()}\n\n`;
  const start = `${before}${ask} @`;
  const ticks = [...code.matchAll(/`+/g)].map(([run]) => run.length);
  const fence = '`'.repeat(Math.max(2, ...ticks) + 1);
  return [`${start}\n\n${fence}${language}\n${code.replace(/\n$/, '')}\n${fence}`, start.length];
}

/** The text with `inserted` in the place of the word, and where the cursor stands then. */
export function withWord(text: string, { start, end }: Word, inserted: string): { text: string; caret: number } {
  const after = text.slice(end);
  const tail = inserted.endsWith(' ') && after.startsWith(' ') ? after.slice(1) : after;
  return { text: text.slice(0, start) + inserted + tail, caret: start + inserted.length };
}

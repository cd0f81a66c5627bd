/** A command as people write it in one line, and the words that it consists of. No shell reads it: nothing is expanded. */

const WORD = /(?:[^\s'"\\]|\\[\s'"\\]|\\|'[^']*'|"(?:[^"\\]|\\.)*")+/gsy;
const PART = /\\([\s'"\\])|'([^']*)'|"((?:[^"\\]|\\.)*)"/gs;

/** Null where a quote is not closed. A backslash escapes blanks, quotes and itself; before anything else it stands for itself, as in paths. */
export function commandWords(line: string): string[] | null {
  const words: string[] = [];
  const text = line.trim();
  for (let at = 0; at < text.length;) {
    WORD.lastIndex = at;
    const word = WORD.exec(text)?.[0];
    if (word === undefined) return null;
    words.push(
      word.replaceAll(
        PART,
        (_, escaped?: string, single?: string, double?: string) =>
          escaped ?? single ?? double!.replaceAll(/\\(["\\])/g, '$1'),
      ),
    );
    at += word.length;
    at += /^\s*/.exec(text.slice(at))![0].length;
  }
  return words;
}

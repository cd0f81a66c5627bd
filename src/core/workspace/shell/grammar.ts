/** The grammar of bash, loaded when the first text is parsed and never before. */
import { fileURLToPath } from 'node:url';
import type { Node, Parser, ParseState } from 'web-tree-sitter';
import { untold } from './words.ts';

/** Most rounds of the parser, of a hundred steps each: so it ends in a few hundredths of a second, whatever the text is. */
const MAX_ROUNDS = 200;

export class ShellGrammar {
  #parser: Promise<Parser> | null = null;

  /** What `read` makes of the tree of a text; the tree is gone after it. Throws `Untold` where there is no such tree. */
  async parse<T>(text: string, read: (root: Node) => T): Promise<T> {
    this.#parser ??= load();
    const parser = await this.#parser;
    let rounds = 0;
    const progressCallback = ({ hasError }: ParseState): boolean => hasError || ++rounds > MAX_ROUNDS;
    const tree = parser.parse(text, null, { progressCallback });
    if (tree === null) {
      parser.reset();
      untold('it does not parse, or is too much');
    }
    try {
      return read(tree.rootNode);
    } finally {
      tree.delete();
    }
  }
}

async function load(): Promise<Parser> {
  const { Language, Parser } = await import('web-tree-sitter');
  const runtime = fileURLToPath(import.meta.resolve('web-tree-sitter/web-tree-sitter.wasm'));
  await Parser.init({ locateFile: () => runtime });
  const language = await Language.load(fileURLToPath(import.meta.resolve('tree-sitter-bash/tree-sitter-bash.wasm')));
  return new Parser().setLanguage(language);
}

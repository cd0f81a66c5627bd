/** Front matter: YAML that every reader accepts and that round-trips any value exactly. */
import { Document, Scalar, visit } from 'yaml';

export type Value = string | number | boolean | null | readonly Value[] | { readonly [key: string]: Value };

/** Texts that need no quotes in any version of YAML; all others are quoted. */
const PLAIN = /^[\p{L}\p{N}](?:[\p{L}\p{N} .,:/@+()_-]*[\p{L}\p{N}.)])?$/u;
/** Yes or no in YAML 1.1. */
const OLD_BOOLEAN = /^(?:y|n|yes|no|on|off)$/i;

/** Lines without links of the program: not fields such as `subagent_of`, and not items of lists. */
const NO_LINK = /^(?!\w+_of: | +- ).*$/gm;

export function frontMatter(fields: Readonly<Record<string, Value>>): string {
  const document = new Document(fields);
  visit(document, {
    Scalar: (_, node) => {
      if (typeof node.value !== 'string') return;
      const isPlain = PLAIN.test(node.value) && !OLD_BOOLEAN.test(node.value);
      // Double quotes escape: nothing is folded, and lone surrogates are kept.
      if (!isPlain) node.type = Scalar.QUOTE_DOUBLE;
    },
  });
  const yaml = document.toString({ lineWidth: 0, doubleQuotedMinMultiLineLength: Number.MAX_SAFE_INTEGER });
  // The escape has the same value, but a program that reads lines finds no link.
  return `---\n${yaml.replace(NO_LINK, (line) => line.replaceAll('[[', String.raw`\x5b\x5b`))}---\n`;
}

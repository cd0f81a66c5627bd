/** Front matter: YAML that any reader takes, and that gives back exactly what was put in, whatever it is. */
import { Document, Scalar, visit } from 'yaml';

export type Value = string | number | boolean | null | readonly Value[] | { readonly [key: string]: Value };

/** Texts that mean the same with and without quotes, in every version of YAML; for the rest the library decides. */
const PLAIN = /^[\p{L}\p{N}](?:[\p{L}\p{N} .,:/@+()_-]*[\p{L}\p{N}.)])?$/u;
/** Yes or no in YAML 1.1. */
const OLD_BOOLEAN = /^(?:y|n|yes|no|on|off)$/i;

export function frontMatter(fields: Readonly<Record<string, Value>>): string {
  const document = new Document(fields);
  visit(document, {
    Scalar: (_, node) => {
      if (typeof node.value !== 'string') return;
      const isPlain = PLAIN.test(node.value) && !OLD_BOOLEAN.test(node.value);
      // Quoted it is written with escapes: nothing is folded, and half of a surrogate pair stays what it is.
      if (!isPlain) node.type = Scalar.QUOTE_DOUBLE;
    },
  });
  return `---\n${document.toString({ lineWidth: 0, doubleQuotedMinMultiLineLength: Number.MAX_SAFE_INTEGER })}---\n`;
}

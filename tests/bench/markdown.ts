/** Texts as models write them. */

/** So many bytes of headings, lists, emphasis, links and code. */
export function markdown(bytes: number): string {
  const section = (n: number) =>
    `## Part ${n}\n\nIt **does** what it _should_, as \`part${n}()\` shows:\n\n- one [link](https://example.org/${n})\n- two\n\n` +
    `\`\`\`ts\nexport const part${n} = (x: number) => x + ${n};\n\`\`\`\n\n${'A sentence of this part. '.repeat(8)}\n\n`;
  let whole = '';
  for (let n = 1; whole.length < bytes; n += 1) whole += section(n);
  return whole.slice(0, bytes);
}

/** A report of at least so many words, with lists and code of some length. */
export function report(words: number): string {
  const steps = (n: number) =>
    Array.from(
      { length: 8 },
      (_, m) => `${m + 1}. **Step ${n}.${m + 1}** reads \`part${m}.ts\` and compares it with what the text says.`,
    );
  const code = (n: number) =>
    Array.from({ length: 12 }, (_, m) => `export const value${n}_${m} = (x: number): number => x * ${m} + ${n};`);
  const section = (n: number) =>
    `## Part ${n}\n\n${'The part does _what it should_, as its tests show. '.repeat(6)}\n\n${steps(n).join('\n')}\n\n` +
    `\`\`\`ts\n${code(n).join('\n')}\n\`\`\`\n\n- one [link](https://example.org/${n})\n  - and what it leads to\n- two\n\n`;
  let whole = '# Report\n\n';
  for (let n = 1; wordsIn(whole) < words; n += 1) whole += section(n);
  return whole;
}

export function wordsIn(text: string): number {
  return text.match(/\S+/g)?.length ?? 0;
}

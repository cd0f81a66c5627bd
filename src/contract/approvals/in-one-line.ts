/** Sentences one behind the other: behind a colon one goes on in lower case. */
export function inOneLine(sentences: readonly string[]): string {
  return sentences.reduce((line, next) => {
    const goesOn = /:\s$/.test(line);
    return line + (goesOn ? next.charAt(0).toLowerCase() + next.slice(1) : next);
  }, '');
}

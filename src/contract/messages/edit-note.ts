/** What a model reads behind the result of a call that the person changed before allowing it. Screens say it in words of their own. */

const BEFORE = '\n\n[The person changed this call before allowing it, and the changed one ran:\n';

/** `changes`: one line or block for each field that differs. */
export function withEditNote(output: string, changes: string): string {
  return `${output}${BEFORE}${changes}]`;
}

/** Of a call that is known to have been changed: any other's output may hold such words by itself. */
export function withoutEditNote(output: string): string {
  const at = output.endsWith(']') ? output.indexOf(BEFORE) : -1;
  return at < 0 ? output : output.slice(0, at);
}

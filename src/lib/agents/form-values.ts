/** The keys of a file as its form shows them: what is left empty is not in the file. */
import type { AgentValue } from '#contract/agent.ts';
import { text } from '#lib/words/text.ts';
import type { AgentEditor } from './agent-editor.svelte.ts';

export class FormValues {
  readonly #editor: AgentEditor;

  constructor(editor: AgentEditor) {
    this.#editor = editor;
  }

  /** What is wrong with a key; what belongs to no key is told at the prompt. */
  problemOf(key: string): string {
    const { lint, values } = this.#editor;
    const found = lint?.report.errors.find(
      (error) => error.key === key || (key === 'prompt' && error.key === null && values !== null),
    );
    return found ? text.said.fault(found) : '';
  }

  textOf(key: string): string {
    const value = this.#editor.values?.[key] ?? '';
    return Array.isArray(value) ? value.join('\n') : String(value);
  }

  listOf(key: string): string[] | null {
    const value = this.#editor.values?.[key] ?? null;
    return Array.isArray(value) ? value : null;
  }

  /** An empty field is a key that is not there; a number that is none is told as it was written. */
  write(key: string, written: string, number = false): void {
    const plain = written.trim();
    const value: AgentValue = number && Number.isFinite(Number(plain)) ? Number(plain) : written;
    this.#editor.change(key, plain === '' ? null : value);
  }
}

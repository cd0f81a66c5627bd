/** What is written and not yet sent, kept at each change, so that a restart finds it. */
import { readDraft, writeDraft } from '../message-drafts.ts';

export class Draft {
  text = $state('');
  /** Where it is kept. */
  #key: string;
  /** What was sent and has not arrived: kept before what is written since. */
  #underway = '';

  constructor(key: string) {
    this.#key = key;
    this.text = readDraft(key);
  }

  write(text: string): void {
    this.text = text;
    writeDraft(this.#key, joined(this.#underway, text));
  }

  /** All of it, to be sent: the next key belongs to the next message. */
  take(): string {
    const taken = this.text;
    this.#underway = taken;
    this.write('');
    return taken;
  }

  arrived(): void {
    if (this.#underway === '') return;
    this.#underway = '';
    this.write(this.text);
  }

  /** Gives back what did not arrive, before what was written since. */
  giveBack(): void {
    const underway = this.#underway;
    this.#underway = '';
    if (underway !== '') this.write(joined(underway, this.text));
  }

  /** It arrived, and what is written since belongs to this key. */
  goOn(key: string): void {
    this.#underway = '';
    writeDraft(this.#key, '');
    this.#key = key;
    this.write(this.text);
  }
}

function joined(first: string, then: string): string {
  return first === '' || then === '' ? first + then : `${first}\n\n${then}`;
}

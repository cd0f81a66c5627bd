/** What is written and not yet sent, kept at each change, so that a restart finds it. */
import { newMessageId } from '#lib/app/client/message-id.ts';
import { changeOf, readDraft, readTry, type SentTry, writeDraft, writeTry } from '#lib/app/message-drafts.ts';

export class Draft {
  text = $state('');
  /** Where it is kept. */
  #key: string;
  /** What was sent and has not arrived: kept before what is written since. */
  #underway = '';
  #try: SentTry | null;

  constructor(key: string) {
    this.#key = key;
    this.text = readDraft(key);
    this.#try = readTry(key);
  }

  /** The last try to send, which had no answer; null for none. */
  get unanswered(): SentTry | null {
    return this.#try;
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

  /** The id under which what was taken goes out: that of the last try, here or in another window, of the same message. */
  sendAs(attached: string[], choice: string): string {
    const message = { text: this.#underway, attached, choice };
    const isSame = (last: SentTry | null): last is SentTry =>
      last !== null && JSON.stringify({ ...last, ...message }) === JSON.stringify(last);
    const sent = [this.#try, readTry(this.#key)].find(isSame) ?? { id: newMessageId(), ...message };
    this.#keepTry(sent);
    return sent.id;
  }

  arrived(): void {
    this.#keepTry(null);
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

  /** What was given back had arrived: it goes, where it stands there still, and what was written since stays. */
  arrivedAfterAll(): void {
    const sent = this.#try?.text ?? '';
    this.#keepTry(null);
    if (sent === '' || !this.text.startsWith(sent)) return;
    const rest = this.text.slice(sent.length);
    if (rest === '' || rest.startsWith(BETWEEN)) this.write(rest.slice(BETWEEN.length));
  }

  /** It arrived, and what is written since belongs to this key. */
  goOn(key: string): void {
    this.#underway = '';
    this.#keepTry(null);
    writeDraft(this.#key, '');
    this.#key = key;
    this.write(this.text);
  }

  /** Another window has the same one: what stood here as it stood there is as it is there now. */
  follow({ key, oldValue, newValue }: Pick<StorageEvent, 'key' | 'oldValue' | 'newValue'>): void {
    const change = changeOf(this.#key, key);
    if (this.#underway !== '') return;
    // One of this window's own that had no answer is not another's.
    if (change === 'try' && (this.#try === null || oldValue === JSON.stringify(this.#try)))
      this.#try = readTry(this.#key);
    if (change === 'draft' && this.text === (oldValue ?? '')) this.text = newValue ?? '';
  }

  #keepTry(sent: SentTry | null): void {
    this.#try = sent;
    writeTry(this.#key, sent);
  }
}

const BETWEEN = '\n\n';

function joined(first: string, then: string): string {
  return first === '' || then === '' ? first + then : `${first}${BETWEEN}${then}`;
}

/**
 * Stores what the person must know about damage of the history, until a window hides it: the process that recovered the
 * store may end before a window opens.
 */
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import type { Phrase } from '#contract/approvals/phrase.ts';
import { sentenceOf } from '#contract/approvals/phrases.ts';
import { StoreNotice } from '#contract/history/store-notice.ts';
import { Instant } from '#contract/ids.ts';
import { writeAtomically } from '../../base/atomic-file.ts';
import { SerialQueue } from '../../base/serial-queue.ts';

const DAY_MS = 86_400_000;

const NoticeState = z.object({
  /** Null if the person has hidden it. */
  notice: StoreNotice.nullable(),
  /** Times of the recoveries of the last day. */
  recoveries: z.array(Instant),
});
type NoticeState = z.infer<typeof NoticeState>;

const NONE: NoticeState = { notice: null, recoveries: [] };

/** File of the notices of a store in this folder. */
function getNoticeFile(storeFolder: string): string {
  return `${storeFolder}.notices.json`;
}

/** Reads the notice that no window has hidden; null if there is none. */
export function readNotice(storeFolder: string): StoreNotice | null {
  return readState(getNoticeFile(storeFolder)).notice;
}

function readState(path: string): NoticeState {
  try {
    return NoticeState.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    return NONE;
  }
}

export class StoreNotices {
  readonly #path: string | null;
  readonly #warn: (line: string) => void;
  readonly #queue = new SerialQueue();
  #state: NoticeState;
  #onChange: () => void = () => undefined;

  /** `folder`: of the store; null for one without files. `warn` receives each sentence at once. */
  constructor(folder: string | null, warn: (line: string) => void = () => undefined) {
    this.#path = folder === null ? null : getNoticeFile(folder);
    this.#warn = warn;
    this.#state = this.#path === null ? NONE : readState(this.#path);
  }

  get current(): StoreNotice | null {
    return this.#state.notice;
  }

  /** Sets the function that is called after each change. */
  onChange(listener: () => void): void {
    this.#onChange = listener;
  }

  /** Counts a recovery. Returns the number of recoveries within the last day, this one included. */
  countRecovery(now = Date.now()): number {
    const recent = this.#state.recoveries.filter((at) => now - Date.parse(at) < DAY_MS);
    this.#state = { ...this.#state, recoveries: [...recent, new Date(now).toISOString()] };
    return recent.length + 1;
  }

  /** Adds a sentence to the notice. A sentence of the same kind is replaced. */
  async add(phrase: Phrase): Promise<void> {
    this.#warn(`${sentenceOf(phrase)}.`);
    const others = this.#state.notice?.says.filter(({ key }) => key !== phrase.key) ?? [];
    const says = [...others, phrase];
    const notice = { at: new Date().toISOString(), message: says.map(sentenceOf).join('. '), says };
    await this.#save({ ...this.#state, notice });
  }

  /** Hides the notice of this time. */
  async hide(at: string): Promise<void> {
    if (this.#state.notice?.at === at) await this.#save({ ...this.#state, notice: null });
  }

  /** The notice is not worth a failure: on a full disk it is shown until the process ends. */
  async #save(state: NoticeState): Promise<void> {
    this.#state = state;
    this.#onChange();
    const path = this.#path;
    if (path === null) return;
    await this.#queue
      .add(() => writeAtomically(path, `${JSON.stringify(this.#state)}\n`, { mode: 0o600 }))
      .catch(() => undefined);
  }
}

/** The attachments of one unsent message: added one after the other, kept across reloads, gone once it is sent. */
import { MAX_SENT_FILES, MAX_SENT_IMAGES, MAX_SENT_IMAGES_CHARS } from '#contract/messages/sending-limits.ts';
import { visibleText } from '#contract/visible-text.ts';
import { failureText } from '#lib/words/request-error.ts';
import { text } from '#lib/words/text.ts';
import type { Attachment } from '#lib/app/attachments/attachment.ts';
import type { KeptAttachments } from '#lib/app/attachments/kept-attachments.ts';

const words = text.composer;

export class Attachments {
  all = $state.raw<readonly Attachment[]>([]);
  /** Names of files that are being read. */
  reading = $state.raw<readonly string[]>([]);
  /** Why something was not attached; what was stays. */
  failure = $state('');
  /** The browser keeps them across a reload. */
  kept = $state(true);
  /** Said as it happens. */
  announcement = $state('');
  readonly #read: (file: File) => Promise<Attachment>;
  readonly #store: KeptAttachments;
  readonly #key: string;
  #work: Promise<void> = Promise.resolve();

  constructor(key: string, read: (file: File) => Promise<Attachment>, store: KeptAttachments) {
    this.#key = key;
    this.#read = read;
    this.#store = store;
    this.#work = this.#restore();
  }

  /** Resolves once all that was chosen is read, or was refused. */
  get settled(): Promise<void> {
    return this.#work;
  }

  /** One after the other, in their order. */
  add(files: readonly File[]): Promise<void> {
    if (files.length === 0) return this.#work;
    this.failure = '';
    this.reading = [...this.reading, ...files.map(({ name }) => name)];
    this.#work = this.#work.then(async () => {
      for (const file of files) await this.#addOne(file);
    });
    return this.#work;
  }

  refuse(why: string): void {
    this.failure = why;
  }

  remove(id: string): void {
    const gone = this.all.find((one) => one.id === id);
    this.failure = '';
    this.all = this.all.filter((one) => one.id !== id);
    void this.#keep(this.all);
    if (gone) this.announcement = words.removed(visibleText(gone.name));
  }

  /** Adds attachments of a message that came back, before the others. */
  putBack(attachments: readonly Attachment[]): Promise<void> {
    if (attachments.length === 0) return this.#work;
    this.#work = this.#work.then(async () => {
      this.all = [...attachments, ...this.all];
      await this.#keep(this.all);
    });
    return this.#work;
  }

  /** They went out; what was attached since stays. */
  sent(gone: readonly Attachment[]): void {
    this.failure = '';
    this.announcement = '';
    if (gone.length === 0) return;
    this.all = this.all.filter((one) => !gone.includes(one));
    void this.#keep(this.all);
  }

  async #addOne(file: File): Promise<void> {
    try {
      const read = await this.#read(file);
      const refusal = refusalOf([...this.all, read]);
      if (refusal !== null) throw new Error(refusal);
      const before = this.all;
      // Kept before it is shown: what is seen survives a reload.
      await this.#keep([...before, read]);
      this.all = [...this.all, read];
      if (this.all.length !== before.length + 1) await this.#keep(this.all);
      this.announcement = words.added(visibleText(read.name));
    } catch (error) {
      // The first one: others would be read over.
      if (this.failure === '') this.failure = failureText(error);
    } finally {
      this.reading = this.reading.toSpliced(this.reading.indexOf(file.name), 1);
    }
  }

  async #keep(attachments: readonly Attachment[]): Promise<void> {
    this.kept = await this.#store.write(this.#key, attachments).then(
      () => true,
      () => attachments.length === 0,
    );
  }

  async #restore(): Promise<void> {
    this.all = await this.#store.read(this.#key).catch(() => []);
  }
}

/** Why these cannot be sent together; null where they can. */
function refusalOf(attachments: readonly Attachment[]): string | null {
  const images = attachments.filter((one) => one.kind === 'image');
  if (images.length > MAX_SENT_IMAGES) return words.tooManyImages(MAX_SENT_IMAGES);
  if (attachments.length - images.length > MAX_SENT_FILES) return words.tooManyFiles(MAX_SENT_FILES);
  const chars = images.reduce((sum, { data }) => sum + data.length, 0);
  return chars > MAX_SENT_IMAGES_CHARS ? words.imagesTooLarge : null;
}

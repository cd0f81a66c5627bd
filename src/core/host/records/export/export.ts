/** A whole conversation as one file: Markdown to read, JSON for programs. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Output, Parsed } from '#contract/rpc.ts';
import type { ConversationRow } from '#contract/view.ts';
import { checkConversation } from '#core/store/check.ts';
import { redacted } from '#core/base/redact.ts';
import type { Store } from '#core/store/store.ts';
import { slugOf } from '#core/base/text.ts';
import { jsonOf } from './json.ts';
import { markdownOf } from './markdown.ts';
import { recordsOf } from './record.ts';

export interface ExportOptions {
  format: Parsed<'conversation.export'>['format'];
  /** As it happened, secrets included. */
  unredacted?: boolean;
  /** Of the program. */
  version: string;
}

export async function exportConversation(
  store: Store,
  row: ConversationRow,
  { format, version, unredacted = false }: ExportOptions,
): Promise<Output<'conversation.export'>> {
  const clean = <T>(value: T): T => (unredacted ? value : redacted(value));
  const { missing } = await checkConversation(store, row.id);
  const conversation = clean(row);
  const workflows = mapped(recordsOf(store, row.id), clean);
  const parts =
    format === 'json'
      ? jsonOf(conversation, workflows, { program: version, missing })
      : markdownOf(conversation, workflows, missing);
  // Joined at the end: a long text that grows by each part takes longer to copy.
  const texts: string[] = [];
  for await (const part of parts) texts.push(part.toWellFormed());
  return { fileName: `${fileNameOf(conversation)}.${format}`, text: texts.join('') };
}

async function* mapped<T>(items: AsyncIterable<T>, map: (item: T) => T): AsyncGenerator<T> {
  for await (const item of items) {
    // A batch is read at once. Other work gets a turn before each of its workflows is rendered.
    await nextTurn();
    yield map(item);
  }
}

/** Unique by the date and the end of the id. */
function fileNameOf({ title, createdAt, id }: ConversationRow): string {
  return [createdAt.slice(0, 10), slugOf(title) || 'conversation', id.slice(-6)].join('-');
}

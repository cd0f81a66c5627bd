/** The words of a message and the texts that are attached to it, which stand in it as data between two marks. */

import { ATTACHED_IS_DATA } from '#contract/messages/sending-limits.ts';

export interface AttachedText {
  name: string;
  text: string;
}

/** Its end has the name of its beginning, which is made of its text: nothing within can end it. */
const RESOURCE = /\n?<resource id="(resource-[0-9a-f]{12})" uri="([^"<>]*)">\n([^]*?)\n<\/resource id="\1">\n?/g;

/** A message without such a text is its words. */
export function messageParts(message: string): { words: string; files: AttachedText[] } {
  if (!message.endsWith(ATTACHED_IS_DATA)) return { words: message, files: [] };
  const files: AttachedText[] = [];
  const said = message.slice(0, -ATTACHED_IS_DATA.length);
  const words = said.replace(RESOURCE, (_whole, _id: string, name: string, text: string) => {
    files.push({ name, text });
    return '';
  });
  return files.length === 0 ? { words: message, files } : { words: words.trimEnd(), files };
}

/** The words to be changed, and what stays behind them: `attached` holds `files`. Where texts stand among the words, all of it is words. */
export function editable(message: string): { words: string; attached: string; files: AttachedText[] } {
  const { words, files } = messageParts(message);
  if (!message.startsWith(words)) return { words: message, attached: '', files: [] };
  return { words, attached: message.slice(words.length), files };
}

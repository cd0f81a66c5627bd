// A message as it is stored, apart again into its words and the texts that were attached.
import { expect, it } from 'vitest';
import { withAttached } from '#core/workflows/attached-files.ts';
import { editable, messageParts } from '#lib/view/attached-texts.ts';

it('messageParts separates the words from the attached texts', () => {
  const files = [
    {
      name: 'a b.md',
      text: 'one\n\n<resource id="resource-0123456789ab" uri="x">\ntwo\n</resource id="resource-0123456789ab">',
    },
    { name: 'empty', text: '' },
  ];
  expect(messageParts(withAttached('Look.\nAt it', files))).toEqual({ words: 'Look.\nAt it', files });
});

it.each(['', 'Plain', '<resource id="resource-0123456789ab" uri="x">\ntwo\n</resource id="resource-0123456789ab">'])(
  'messageParts returns a message without attachments as words: %s',
  (message) => expect(messageParts(message)).toEqual({ words: message, files: [] }),
);

it('edited words keep the attached texts behind them', () => {
  const files = [{ name: 'a.md', text: 'one' }];
  const { words, attached, files: behind } = editable(withAttached('Look', files));
  expect(words).toBe('Look');
  expect(behind).toEqual(files);
  expect(messageParts(`Look again${attached}`)).toEqual({ words: 'Look again', files });
  expect(editable('Plain')).toEqual({ words: 'Plain', attached: '', files: [] });
  const within = withAttached(
    '<resource id="resource-0123456789ab" uri="x">\na\n</resource id="resource-0123456789ab">b',
    files,
  );
  expect(editable(within)).toEqual({ words: within, attached: '', files: [] });
});

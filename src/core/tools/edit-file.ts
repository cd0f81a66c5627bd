/** The tool that replaces pieces of a text file in the workspace, after a person saw the difference. */
import { isUtf8 } from 'node:buffer';
import { z } from 'zod';
import { TriadError } from '../base/errors.ts';
import { applyEdits, type Edited } from '../workspace/edit-match.ts';
import { type Replacement, replacingTool } from './replace-file.ts';
import type { Tool } from './tool.ts';

const NAME = 'edit_file';
const MAX_CHARS = 1_000_000;
const MAX_EDITS = 50;

const Input = z.strictObject({
  path: z.string().min(1).max(4096).describe('The file, relative to the workspace folder.'),
  edits: z
    .array(
      z.strictObject({
        old_text: z
          .string()
          .max(MAX_CHARS)
          .describe('The text to replace, exactly as in the file, long enough to be unique.'),
        new_text: z.string().max(MAX_CHARS).describe('The new text; empty removes the old one.'),
        replace_all: z.boolean().optional().describe('Replace every exact occurrence.'),
      }),
    )
    .min(1)
    .max(MAX_EDITS)
    .describe('Applied in order; all or none.'),
});
type Input = z.infer<typeof Input>;

export function editFileTool(): Tool {
  return replacingTool<Input>(
    {
      name: NAME,
      describe: () =>
        'Replaces text in a file of the workspace. The person approves the diff. Read the file first, and give all edits of one file in one call. ' +
        'Small differences in white space are tolerated if only one place fits. Refused: text that is missing or fits several places, binary files, files with keys or passwords, and a file that changed since you read it.',
      input: Input,
      knownAs: ['Edit', 'edit', 'MultiEdit', 'str_replace'],
      single: 'edits',
      like: 'write_file',
      sample: { input: { edits: [{ old_text: 'a', new_text: '' }] }, isMadeUp: true },
    },
    asReplacement,
  );
}

function asReplacement(input: Input): Replacement<Input> {
  const { path, edits } = input;
  return {
    tool: NAME,
    input,
    verb: ['edit', 'Edited'],
    content: (before) => {
      const asked = edits.map(({ old_text: oldText, new_text: newText, replace_all: replaceAll }) => ({
        oldText,
        newText,
        replaceAll,
      }));
      const { text, matches } = applyEdits(textOf(before, path), asked);
      return { text, note: noteOf(matches), metadata: { matches: matches.map(({ kind }) => kind) } };
    },
  };
}

/** Throws where it could not be written back as it is. */
function textOf(before: Buffer | null, path: string): string {
  if (before === null) throw new TriadError('not_found', `${path} does not exist: write_file makes files`);
  if (before.includes(0)) throw new TriadError('bad_input', `${path} is a binary file (${before.length} bytes)`);
  if (!isUtf8(before))
    throw new TriadError(
      'bad_input',
      `${path} is not UTF-8, and an edit would break it: read_file can read it, write_file can replace it whole`,
    );
  return before.toString('utf8');
}

const HOW = {
  whitespace: 'differs in white space from what stands there',
  fuzzy: 'is only like what stands there',
} as const;

/** A sentence for each edit that was not found exactly. */
function noteOf(matches: Edited['matches']): string {
  return matches
    .map(({ kind, line }, index) =>
      kind === 'exact'
        ? ''
        : ` The old_text of edit ${index + 1} ${HOW[kind]} (from line ${line}): look at the result.`,
    )
    .join('');
}

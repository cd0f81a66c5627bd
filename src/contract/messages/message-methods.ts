/** The methods that help to write a message: names of files, and the text of what is attached. */
import { z } from 'zod';
import { AgentName } from '../agent.ts';
import { folder, method } from '../method.ts';
import { MAX_SENT_IMAGES_CHARS } from './sending-limits.ts';
import { AttachedName } from './sending.ts';

export const messageMethods = {
  /**
   * Files and folders (with a `/` at the end) of a folder whose path has these characters in their order, the best first.
   * What agents' `glob` passes over is not among them: what git ignores, what a rule denies to the `agent`, links, files
   * that hold keys, the program's own. `more`: the folder has too many to look at all, or more of them fit. A later search
   * of the same `asker` ends this one, which then finds nothing; null only ends it.
   */
  'file.find': method(
    z.strictObject({
      folder: folder.optional(),
      agent: AgentName.default('lead'),
      text: z.string().max(300).nullable(),
      limit: z.int().min(1).max(50).default(12),
      asker: z.string().min(1).max(64),
    }),
    z.object({ paths: z.array(z.string()), more: z.boolean() }),
  ),
  /**
   * The text in these bytes (base64), of a PDF too; `pages`: of a PDF, else null. Rejects with `bad_input` for what has
   * none, and with `limit_reached` where reading it takes too much. Nothing is kept.
   */
  'file.text': method(
    z.strictObject({
      name: AttachedName,
      data: z.base64('is not base64').max(MAX_SENT_IMAGES_CHARS, 'is too large: a file may have 12 MB'),
    }),
    z.object({ text: z.string(), pages: z.int().nullable() }),
  ),
} as const;

/** Trust: which files of a workspace may have an effect, each bound to the content that a person reviewed. */
import { z } from 'zod';
import { Phrase } from './approvals/phrase.ts';
import { Instant } from './ids.ts';

/** A file of a workspace that needs trust before it may start, allow or widen anything. */
export const TrustItem = z.object({
  /** Relative to the folder, with forward slashes. */
  path: z.string(),
  /** SHA-256 in hex of the text as it is now; null where there is none to read. */
  hash: z.string().nullable(),
  /** Compared with the trusted content; `changed`, `new` and `gone` files have no effect. */
  state: z.enum(['new', 'changed', 'same', 'gone']),
  /** For the person's decision: the agent that it defines, or the fault that prevents it. */
  says: z.string(),
  /** The same as keys with values, one for each server of `.mcp.json`. Left out if there are only words. */
  phrases: z.array(Phrase).optional(),
  /** Only where the texts were asked for, and there is one. */
  text: z.string().optional(),
  /** Likewise: a unified diff against the text that was trusted, where it changed since and that text is known. */
  diff: z.string().optional(),
});
export type TrustItem = z.infer<typeof TrustItem>;

export const TrustLook = z.object({ folder: z.string(), files: z.array(TrustItem) });
export type TrustLook = z.infer<typeof TrustLook>;

export const TrustedFolder = z.object({ folder: z.string(), at: Instant, files: z.array(z.string()) });
export type TrustedFolder = z.infer<typeof TrustedFolder>;

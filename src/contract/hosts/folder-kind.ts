/** The content of a folder, as far as example tasks depend on it. */
import { z } from 'zod';

export const FolderKind = z.object({
  /** `code`: a project with source files; `documents`: other files; `empty`: no visible file or folder. */
  kind: z.enum(['code', 'documents', 'empty']),
  hasReadme: z.boolean(),
  hasTests: z.boolean(),
});
export type FolderKind = z.infer<typeof FolderKind>;

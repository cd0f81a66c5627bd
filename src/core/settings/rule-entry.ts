/** A rule as it stands in a settings file, under `[[permissions.rules]]`. */
import { z } from 'zod';
import { Permission } from '#contract/agent.ts';
import { Effect, MAX_PATTERN_CHARS, type Place } from '#contract/permission.ts';
import { patternFault } from '../base/pattern.ts';

const glob = z.string().min(1).max(200);

/** Most patterns of one list. */
const MAX_PATTERNS = 200;

const PathPattern = z
  .string()
  .min(1)
  .max(MAX_PATTERN_CHARS)
  .superRefine((pattern, context) => {
    const message = patternFault(pattern);
    if (message !== null) context.addIssue({ code: 'custom', message });
  });

export const PathPatterns = z.array(PathPattern).max(MAX_PATTERNS);

/** Such a list of the person's, with where it is written. */
export interface ListedFiles {
  patterns: readonly string[];
  place: Place;
}

export const NO_FILES: ListedFiles = { patterns: [], place: { file: null, line: null } };

/** The setting and where it is written, as rules name their place. */
export function listName(setting: 'always_ask' | 'secret_files', { place }: ListedFiles): string {
  return `permissions.${setting}${place.file === null ? '' : ` (${place.file}:${place.line ?? 1})`}`;
}

/** Strict: what is not understood must not be left out, for the rule would then hold for more than was meant. */
export const RuleEntry = z
  .strictObject({
    effect: Effect,
    agent: glob.optional(),
    tool: glob.optional(),
    permission: Permission.optional(),
    pattern: PathPattern.optional(),
  })
  .superRefine(({ tool, permission }, context) => {
    if ((tool === undefined) === (permission === undefined)) {
      const message = 'needs a tool or a permission, and not both: it would not say what it is about';
      context.addIssue({ code: 'custom', message });
    }
  });
export type RuleEntry = z.infer<typeof RuleEntry>;

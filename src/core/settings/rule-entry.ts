/** A rule as it stands in a settings file, under `[[permissions.rules]]`. */
import { z } from 'zod';
import { Permission } from '#contract/agent.ts';
import { Effect, MAX_PATTERN_CHARS } from '#contract/permission.ts';
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

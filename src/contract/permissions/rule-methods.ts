/** The methods that change rules. Only clients of the person have them: no tool and no agent does. */
import { z } from 'zod';
import { folder, inFolder, method } from '../method.ts';
import { RuleChange, RuleFile, RulePreview, RuleScope, ShadowedRule, TextHash } from './rule-edit.ts';

const ofFolder = z.strictObject({ folder });

export const ruleMethods = {
  /**
   * The files that have rules for a folder, with all of them, also what a project's file does not allow yet.
   * `startsNothing`: ids of those for which a preview would say so.
   */
  'rules.list': method(
    inFolder,
    z.object({
      files: z.array(RuleFile),
      shadowed: z.array(ShadowedRule),
      startsNothing: z.array(z.string()),
    }),
  ),
  /**
   * What the rules decide about the newest 50 calls of the folder, and what they would decide after a change. Nothing is
   * asked, run, counted or written. Rejects as `rules.change` does.
   */
  'rules.preview': method(ofFolder.extend({ change: RuleChange.optional() }), RulePreview),
  /**
   * Changes one rule of a file, and nothing else of it; never the trust in it. `conflict` where the file is not what the
   * person looked at, `bad_input` where rule or file would not fit, `not_allowed` where it is a link or others may write it.
   */
  'rules.change': method(
    ofFolder.extend({ change: RuleChange }),
    z.object({ hash: TextHash, line: z.int().nullable() }),
  ),
  /** Takes the change back that has made this text, to the byte; `conflict` where it is another one now, or too long ago. */
  'rules.undo': method(ofFolder.extend({ scope: RuleScope, base: TextHash }), z.object({ hash: TextHash })),
};

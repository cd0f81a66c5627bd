/** Asks the person once whether a folder that replaced the workspace may be used. */
import { phrase } from '#contract/approvals/phrases.ts';
import { canonicalHash } from '../base/hash.ts';
import type { PinnedFolders } from '../workspace/roots.ts';
import { asked } from '../tools/asked.ts';
import type { ToolContext } from '../tools/tool.ts';

/**
 * Throws `not_allowed` if another folder has the path of the workspace. Asks the person before that if they were not asked
 * about this folder yet. Their yes pins it for the next calls.
 */
export async function refuseReplacedFolder(
  roots: PinnedFolders,
  { call, signal, workspace: { folder } }: Pick<ToolContext, 'call' | 'signal' | 'workspace'>,
): Promise<void> {
  const replaced = await roots.check(folder).then(
    () => null,
    (error: unknown) => ({ error }),
  );
  if (!replaced) return;
  const id = await roots.findReplacement(folder);
  if (id !== null && roots.startAsking(folder, id)) {
    const question = {
      ...asked(phrase('use_replaced_folder', { folder }), [phrase('replaced_folder'), phrase('later_calls')]),
      subject: { kind: 'replaced-folder' as const, folder, hash: canonicalHash({ folder, id }) },
      risk: 'high' as const,
      reversible: true,
    };
    const approval = await call.ask(question, signal).catch((error: unknown) => {
      roots.stopAsking(folder);
      throw error;
    });
    const decision = approval?.decisions[0];
    if (decision?.decidedBy === 'person' && decision.allowed) roots.useReplacement(folder, id);
    else if (decision?.decidedBy === 'timeout' || decision?.decidedBy === 'cancel') roots.stopAsking(folder);
  }
  throw replaced.error;
}

/** Asks the person about control files that commands changed, and reports the result. */
import type { ChangeSet } from '#contract/change.ts';
import { phrase, sentenceOf } from '#contract/approvals/phrases.ts';
import { canonicalHash } from '../base/hash.ts';
import { stopOf } from '../base/stop.ts';
import type { AskAboutChanges, ControlFiles, Settlement } from '../workspace/control/control-files.ts';
import { asked } from './asked.ts';
import type { ToolContext } from './tool.ts';

type SettlementContext = Pick<ToolContext, 'call' | 'signal' | 'workspace'>;

/** Settles all changes of control files in the workspace of a call. A stopped run has no answer, so it puts them back. */
export function settleControlFiles(controlFiles: ControlFiles, context: SettlementContext): Promise<Settlement> {
  const { workspace, signal } = context;
  return controlFiles.settle(workspace, signal.aborted ? null : askAboutChanges(context));
}

/** Anything but a yes of the person puts the files back. A program that is closed asks again when the run is resumed. */
function askAboutChanges({ call, signal, workspace: { folder } }: SettlementContext): AskAboutChanges {
  return async (files) => {
    const question = {
      ...asked(phrase('keep_control_files', { count: files.length }), [
        phrase('control_files'),
        phrase('put_back_control_files'),
      ]),
      subject: {
        kind: 'control-files' as const,
        files: [...files],
        folder,
        hash: canonicalHash({ folder, files }),
      },
      risk: 'high' as const,
      reversible: true,
    };
    const approval = await call.ask(question, signal).catch((error: unknown) => {
      if (signal.aborted && !stopOf(signal).spreads) return null;
      throw error;
    });
    const decision = approval?.decisions[0];
    return decision?.allowed && decision.decidedBy === 'person' ? 'keep' : 'put_back';
  };
}

/** Returns a sentence for the model and the person; null if nothing was put back. */
export function describePutBack({ putBack, movedTo }: Settlement): string | null {
  if (movedTo === null) return null;
  return sentenceOf(phrase('were_put_back', { paths: putBack.map(({ path }) => path).join(', '), folder: movedTo }));
}

/** Returns the changes of a command without the files that were put back. */
export function withoutPutBack(changed: ChangeSet | null, { putBack }: Settlement): ChangeSet | null {
  if (changed === null) return null;
  const restored = new Set(putBack.map(({ path }) => path));
  return { ...changed, files: changed.files.filter(({ path }) => !restored.has(path)) };
}

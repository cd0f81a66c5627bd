/** The methods of runs, approvals, continued work and agents' memory. */
import { Continuation } from '#core/workflows/continuation.ts';
import { sayTo } from '#core/workflows/say.ts';
import type { Services } from '../services.ts';
import { mustExist } from '#core/base/errors.ts';
import { deleteNote } from '#core/runs/memory.ts';
import type { Handlers } from './handlers.ts';

type Mine =
  | ('run.get' | 'run.entries' | 'run.calls' | 'run.stop' | 'approval.decide' | 'approval.ask')
  | ('call.image' | 'agents.cleanup')
  | ('workflow.try-now' | 'workflow.extend' | 'run.extend' | 'run.retry' | 'run.say' | 'memory.list' | 'memory.delete');

export function workMethods({ engine, orchestrator, approvals }: Services): Pick<Handlers, Mine> {
  const { store } = engine;
  const continuation = new Continuation(engine, orchestrator);
  return {
    'run.get': ({ runId }) => mustExist(store.run(runId), `There is no run ${runId}`),
    'run.entries': ({ runId }) => store.entriesOf(runId),
    'run.calls': ({ runId }) => store.callsOf([runId]),
    'run.stop': ({ runId }) => orchestrator.stopRun(runId, approvals),
    'approval.decide': ({ approvalId, item, answer }) => approvals.decide(approvalId, item, answer),
    'approval.ask': async ({ approvalId, question }) => {
      await approvals.explain(approvalId, question);
      return {};
    },
    'workflow.try-now': async ({ workflowId }) => {
      const workflow = orchestrator.active().find(({ id }) => id === workflowId);
      if (workflow) return { requests: workflow.tryNow.notify() };
      await mustExist(store.workflow(workflowId), `There is no workflow ${workflowId}`);
      return { requests: 0 };
    },
    'workflow.extend': async ({ workflowId, ...more }) => {
      await continuation.extendWorkflow(workflowId, more);
      return {};
    },
    'run.extend': async ({ runId, ...more }) => {
      await continuation.extendRun(runId, more);
      const { workflowId } = await mustExist(store.run(runId), `There is no run ${runId}`);
      return { workflowId };
    },
    'run.retry': ({ runId }) => continuation.retry(runId),
    'run.say': async ({ runId, text }) => {
      await sayTo(engine, orchestrator, runId, text);
      return {};
    },
    'call.image': async ({ conversationId, sha256 }) => {
      const bytes = await mustExist(engine.outputs.image(conversationId, sha256), 'This image is not kept any more');
      return { data: bytes.toString('base64') };
    },
    'agents.cleanup': async () => {
      const each = orchestrator.active().map((workflow) => workflow.cleanupTemporary());
      return {
        removed: each.reduce((sum, { removed }) => sum + removed, 0),
        working: each.flatMap(({ working }) => working),
      };
    },
    'memory.list': ({ folder }) => store.notes(folder),
    'memory.delete': async (note) => {
      await deleteNote(engine, note);
      return {};
    },
  };
}

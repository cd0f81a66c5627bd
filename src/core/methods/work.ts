/** Methods for work that goes on, and for what agents remember. */
import { Continuation } from '../continuation.ts';
import type { Engine } from '../engine.ts';
import { mustExist } from '../errors.ts';
import { deleteNote } from '../memory.ts';
import type { Handlers } from './handlers.ts';
import type { Orchestrator } from '../orchestrator.ts';

export function workMethods(
  engine: Engine,
  orchestrator: Orchestrator,
): Pick<Handlers, 'workflow.extend' | 'run.extend' | 'run.retry' | 'memory.list' | 'memory.delete'> {
  const { store } = engine;
  const continuation = new Continuation(engine, orchestrator);
  return {
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
    'memory.list': ({ folder }) => store.notes(folder),
    'memory.delete': async (note) => {
      await deleteNote(engine, note);
      return {};
    },
  };
}

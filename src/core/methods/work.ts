/** Methods for work that goes on, and for what agents remember. */
import { Continuation } from '../continuation.ts';
import type { Engine } from '../engine.ts';
import { mustExist, TriadError } from '../errors.ts';
import type { Handlers } from './handlers.ts';
import type { Orchestrator } from '../orchestrator.ts';
import { memoryKey } from '../store/memory.ts';

export function workMethods(
  engine: Engine,
  orchestrator: Orchestrator,
): Pick<Handlers, 'workflow.extend' | 'run.extend' | 'run.retry' | 'memory.list' | 'memory.delete'> {
  const { store, log } = engine;
  const continuation = new Continuation(engine, orchestrator);
  return {
    'workflow.extend': async ({ workflowId, add }) => {
      await continuation.extendWorkflow(workflowId, add);
      return {};
    },
    'run.extend': async ({ runId, add }) => {
      await continuation.extendRun(runId, add);
      const { workflowId } = await mustExist(store.run(runId), `There is no run ${runId}`);
      return { workflowId };
    },
    'run.retry': ({ runId }) => continuation.retry(runId),
    'memory.list': ({ folder }) => store.notes(folder),
    // The person's own act, in no workflow: there is no event of it.
    'memory.delete': async ({ scope, folder, name }) => {
      const found = await store.notesOf(scope, folder);
      if (!found.some((note) => note.name === name))
        throw new TriadError('not_found', `There is no note "${name}" of ${scope} in ${folder}`);
      await log.save([{ kind: 'delete', table: 'memory', key: memoryKey(scope, folder, name) }]);
      return {};
    },
  };
}

/** The methods of the protocol, each a thin call of the sessions. */
import {
  agent,
  type AgentApp,
  type AgentCapabilities,
  type AuthMethod,
  methods,
  PROTOCOL_VERSION,
  RequestError,
  type ResumeSessionRequest,
  type SetSessionConfigOptionRequest,
} from '@agentclientprotocol/sdk';
import { z } from 'zod';
import { Id } from '#contract/ids.ts';
import type { Door } from './door.ts';
import { asRequestError } from './request-error.ts';
import type { Session } from './session.ts';
import type { Sessions } from './sessions.ts';

const CAPABILITIES: AgentCapabilities = {
  loadSession: true,
  mcpCapabilities: { http: true, sse: false },
  promptCapabilities: { image: true, embeddedContext: true },
  sessionCapabilities: { list: {}, resume: {}, close: {}, delete: {} },
  _meta: {
    triad: {
      subAgentSessions: true,
      methods: ['_triad/run.stop', '_triad/workflow.resume', '_triad/workflow.try-now'],
    },
  },
};

const SETUP: AuthMethod = {
  id: 'setup',
  name: 'Set up a model',
  description:
    'Set ANTHROPIC_API_KEY in the environment of this agent, or start "triad" and give a key or an address in its settings; then try again.',
};

const m = methods.agent;

export function agentApp(door: Door, sessions: Sessions, version: string): AgentApp {
  const isReady = async () => (await door.ask((client) => client.request('app.state', {}))).provider.ready;
  const app = agent({ name: 'triad' })
    .onRequest(m.initialize, async ({ params }) =>
      told(async () => {
        sessions.capabilities = params.clientCapabilities ?? {};
        return {
          protocolVersion: PROTOCOL_VERSION,
          agentCapabilities: CAPABILITIES,
          agentInfo: { name: 'triad', title: 'Triad', version },
          authMethods: (await isReady()) ? [] : [SETUP],
        };
      }),
    )
    .onRequest(m.authenticate, async () =>
      told(async () => {
        if (!(await isReady())) throw RequestError.authRequired({ code: 'no_key' }, SETUP.description ?? '');
        return {};
      }),
    );
  addSessions(app, sessions);
  addTurns(app, sessions);
  addExtensions(app, sessions);
  return app;
}

function addSessions(app: AgentApp, sessions: Sessions): void {
  const { session } = m;
  app
    .onRequest(session.new, ({ params, client }) =>
      told(async () => {
        const opened = await sessions.create(client, params.cwd, params.mcpServers);
        return { sessionId: opened.id, ...stateOf(opened) };
      }),
    )
    .onRequest(session.load, ({ params, client }) =>
      told(async () => stateOf(await sessions.attach(client, placeOf(params), true))),
    )
    .onRequest(session.resume, ({ params, client }) =>
      told(async () => stateOf(await sessions.attach(client, placeOf(params)))),
    )
    .onRequest(session.list, ({ params }) => told(() => sessions.list(params.cwd ?? null, params.cursor ?? null)))
    .onRequest(session.close, ({ params }) => told(async () => nothing(await sessions.close(params.sessionId))))
    .onRequest(session.delete, ({ params }) => told(async () => nothing(await sessions.remove(params.sessionId))));
}

function addTurns(app: AgentApp, sessions: Sessions): void {
  const { session } = m;
  app
    .onRequest(session.prompt, ({ params, signal }) =>
      told(async () => ({ stopReason: await sessions.get(params.sessionId).prompt(params, signal) })),
    )
    .onNotification(session.cancel, ({ params }) => told(() => sessions.get(params.sessionId).cancel('person')))
    .onRequest(session.setMode, ({ params }) =>
      told(() => {
        const found = sessions.get(params.sessionId);
        found.choices.setMode(params.modeId);
        found.tellChoices();
        return {};
      }),
    )
    .onRequest(session.setConfigOption, ({ params }) =>
      told(async () => {
        const found = sessions.get(params.sessionId);
        await setOption(found, params);
        return { configOptions: found.choices.options() };
      }),
    );
}

/** What the protocol has no method for; their names begin with `_`. */
function addExtensions(app: AgentApp, sessions: Sessions): void {
  const ofRun = z.object({ sessionId: Id, runId: Id });
  const ofWorkflow = z.object({ sessionId: Id, workflowId: Id });
  app
    .onRequest('_triad/run.stop', ofRun, ({ params }) =>
      told(() => sessions.get(params.sessionId).stopRun(params.runId)),
    )
    .onRequest('_triad/workflow.try-now', ofWorkflow, ({ params }) =>
      told(() => sessions.get(params.sessionId).tryNow(params.workflowId)),
    )
    .onRequest('_triad/workflow.resume', ofWorkflow, ({ params, signal }) =>
      told(async () => ({ stopReason: await sessions.get(params.sessionId).resume(params.workflowId, signal) })),
    );
}

async function setOption(session: Session, params: SetSessionConfigOptionRequest): Promise<void> {
  const { configId, value } = params;
  if (typeof value !== 'string') throw RequestError.invalidParams({}, `"${configId}" is one of a list`);
  if (configId === 'lead') return session.setLead(value);
  if (configId === 'model') return session.choices.setModel(value);
  if (configId !== 'mode') throw RequestError.invalidParams({}, `There is no option "${configId}": lead, model, mode`);
  session.choices.setMode(value);
  session.tellMode();
}

function stateOf({ choices }: Session) {
  return { modes: choices.modes(), configOptions: choices.options() };
}

const placeOf = ({ sessionId: id, cwd, mcpServers = [] }: ResumeSessionRequest) => ({ id, cwd, mcpServers });

const nothing = (_done: void) => ({});

async function told<T>(work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw asRequestError(error);
  }
}

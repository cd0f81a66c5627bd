/** Before a lead starts: MCP servers that a client passes with its conversation are put to the person, each once, and what they agree to is offered to it. */
import type { Approval, ApprovalRequest } from '#contract/approval.ts';
import { optionsOf } from '../approvals/policy.ts';
import { errorInfo, TriadError } from '../base/errors.ts';
import { canonicalHash } from '../base/hash.ts';
import { newId } from '../base/ids.ts';
import type { Recorder } from '#core/store/log/recorder.ts';
import { type ConfiguredServer, unusable } from '../mcp/configured.ts';
import type { Engine } from '../runs/engine.ts';
import type { Lead } from './lead.ts';
import type { Workflow } from '#core/runs/workflow/workflow.ts';

/** The same lead, or with what those servers offer; never rejects: what goes wrong is told, and the lead goes without. */
export async function withLentServers(
  engine: Engine,
  workflow: Workflow,
  recorder: Recorder,
  lead: Lead,
): Promise<Lead> {
  const { mcp } = engine;
  const { offered } = lead;
  const { folder } = lead.envelope;
  if (!offered) return lead;
  const tell = (text: string) => void recorder.record({ type: 'notice', level: 'warning', text });
  try {
    const agreed: ConfiguredServer[] = [];
    for (const server of await mcp.passedTo(workflow.conversationId, folder)) {
      if (server.state === 'usable' || (await isAgreed(engine, workflow, recorder, { server, folder })))
        agreed.push(server);
      else if (mcp.lent.isNews(server)) tell(`${unusable(server).message}. The lead goes without it`);
    }
    if (agreed.length === 0) return lead;
    const { offers, notices } = await mcp.offersOf(folder, agreed);
    notices.forEach(tell);
    return offers.length === 0 ? lead : { ...lead, ...offered(offers) };
  } catch (error) {
    // Whoever ends the workflow says so.
    if (!workflow.runs.controller.signal.aborted)
      tell(`${errorInfo(error).message}. The lead goes without the MCP servers that the client passes`);
    return lead;
  }
}

interface Passed {
  server: ConfiguredServer;
  folder: string;
}

/** Asks, where the person did not say no to it already. A yes is kept for exactly this. */
async function isAgreed(
  { mcp, gate }: Engine,
  workflow: Workflow,
  recorder: Recorder,
  { server, folder }: Passed,
): Promise<boolean> {
  if (server.state !== 'untrusted' || mcp.lent.isRefused(server)) return false;
  const { signal } = workflow.runs.controller;
  const request = requestOf(recorder, { server, folder }, workflow.limits().approval_seconds * 1000);
  const approval = await gate.ask(request, {
    // A yes to all that agents ask is none to a program that came with a client.
    policy: workflow.approve === 'ask' ? 'ask' : 'none',
    signal: AbortSignal.any([signal, mcp.lent.goneSignal(server)]),
    record: (payload) => recorder.record(payload),
    rulings: [null],
    explain: () => Promise.resolve('No agent asks this: the program that opened this session passes the server'),
    grant: () => {
      throw new TriadError('bad_input', 'A yes to this holds for as long as it stays as it is');
    },
    revalidate: () =>
      Promise.reject(new TriadError('bad_input', 'It is started as its client passes it, or not at all')),
  });
  return answered(mcp, server, approval);
}

async function answered({ lent }: Engine['mcp'], server: ConfiguredServer, approval: Approval): Promise<boolean> {
  const decision = approval.decisions[0];
  const allowed = decision?.allowed === true;
  if (decision?.decidedBy === 'person') await lent.answered(server, allowed);
  return allowed && decision?.decidedBy === 'person';
}

function requestOf(recorder: Recorder, { server, folder }: Passed, remainingMs: number): ApprovalRequest {
  const { name, launch, runs } = server;
  const names = [...Object.keys(launch.env), ...Object.keys(launch.headers)].sort();
  const given = names.length === 0 ? '' : ` It is given values for ${names.join(', ')}.`;
  const reach =
    launch.command === undefined
      ? `Agents of this session could call what is at this address.${given}`
      : `It can do whatever you can do, outside of any sandbox.${given}`;
  const input = { server: name, ...shownLaunch(server), values: names };
  const { conversationId, workflowId, runId, agent } = recorder.ids;
  return {
    id: newId(),
    conversationId,
    workflowId,
    runId,
    toolCallId: `mcp-${name}`,
    agent,
    chain: ['user', agent],
    title: `${launch.command === undefined ? 'Use' : 'Start'} the MCP server ${name}`,
    description: `The client of this session passes it. Your yes holds for exactly this in this folder, whenever a client passes it. ${reach}`,
    subject: {
      kind: 'action',
      action: runs,
      reason: 'The client of this session passes this MCP server',
      impact: reach,
      folder,
      input,
      hash: canonicalHash(input),
    },
    options: optionsOf(undefined),
    risk: 'high',
    reversible: false,
    during: true,
    remainingMs,
    at: new Date().toISOString(),
  };
}

/** Without values, which may be secret. */
function shownLaunch({ launch: { command, args, url } }: ConfiguredServer) {
  return command === undefined ? { url } : { command, args };
}

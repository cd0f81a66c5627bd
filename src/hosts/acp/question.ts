/** One item of an approval as a permission request, and the answer that the client's choice is. */
import { resolve } from 'node:path';
import type { PermissionOption, RequestPermissionRequest, ToolCallContent } from '@agentclientprotocol/sdk';
import { z } from 'zod';
import { TriadError } from '#core/base/errors.ts';
import type { Answer, Approval } from '#contract/approval.ts';
import { irreversibleText } from '#contract/irreversible-text.ts';
import { spawnItems } from '#contract/spawn-items.ts';
import { fence } from '#core/host/records/markdown-parts.ts';
import { questionText } from '../cli/render/question-text.ts';
import { plainStyle } from '../cli/terminal/style.ts';
import { visible } from '../cli/terminal/visible.ts';
import { callIdOf } from './run-updates.ts';
import { runCallId } from './sub-agents.ts';
import { diffsOf, kindOf, locationsOf } from './tool-call.ts';

export interface Item {
  approval: Approval;
  item: number;
}

type Request = Approval['request'];

const Meta = z.record(z.string(), z.unknown()).nullish().catch(null);
const Response = z.object({
  outcome: z.discriminatedUnion('outcome', [
    z.object({ outcome: z.literal('cancelled') }),
    z.object({ outcome: z.literal('selected'), optionId: z.string(), _meta: Meta }),
  ]),
  _meta: Meta,
});

/** What the client may say beside its choice, in `_meta.triad` of its response. */
interface Extra {
  /** With a yes: fields of a sub-agent's settings to replace, or the whole input of a call. */
  edit?: unknown;
  /** With a no: the agent reads it. */
  reason?: unknown;
}

/** For the session of the lead, whichever agent asks, in the words of the terminal. `told`: what was wrong with the answer before. */
export function requestOf({ approval: { request }, item }: Item, told: string | null): RequestPermissionRequest {
  const { id, conversationId, subject, title, risk, reversible, chain, agent, runId } = request;
  const spawn = spawnItems(subject)[item];
  const whose = spawn?.envelope.agent ?? (chain.length > 2 ? agent : null);
  const preview = previewOf(request);
  const words = questionText(request, item, spawn?.envelope ?? null, plainStyle, preview.length === 0);
  const content = [...(told === null ? [] : [wholeText(told)]), wholeText(fence(words)), ...preview];
  const { tool, input } = calledBy(request, item);
  const triad = {
    approvalId: id,
    item,
    runId: spawn?.runId ?? runId,
    agent: spawn?.envelope.agent ?? agent,
    chain,
    risk,
    reversible,
    ...(spawn ? { envelope: spawn.envelope, hash: spawn.hash } : {}),
  };
  return {
    sessionId: conversationId,
    toolCall: {
      toolCallId: toolCallIdOf({ approval: { request, decisions: [] }, item }),
      title: visible(`${whose === null ? '' : `${whose}: `}${spawn?.title ?? title}`),
      kind: kindOf(tool),
      status: 'pending',
      content,
      locations: 'folder' in subject ? locationsOf(subject.folder, input) : [],
      rawInput: input,
    },
    options: optionsOf(request),
    _meta: { triad },
  };
}

/** A sub-agent that would start is a call of its own, so that each of a batch is asked about by itself. */
export function toolCallIdOf({ approval: { request }, item }: Item): string {
  const spawn = spawnItems(request.subject)[item];
  return spawn ? runCallId(spawn.runId) : callIdOf(request.runId, request.toolCallId);
}

function optionsOf({ options, grant }: Request): PermissionOption[] {
  return options.map(({ id, name, kind }) => ({
    optionId: id,
    name: kind === 'allow_always' && grant ? `${name}: ${grant.tool} on ${grant.pattern}` : name,
    kind,
  }));
}

function calledBy({ subject }: Request, item: number): { tool: string; input: unknown } {
  if (subject.kind === 'tool') return { tool: subject.tool, input: subject.input };
  if (subject.kind === 'control-files') return { tool: 'bash', input: { files: subject.files } };
  if (subject.kind === 'replaced-folder') return { tool: 'read_file', input: { folder: subject.folder } };
  if (subject.kind === 'limit') return { tool: 'limit', input: { bound: subject.bound, add: subject.add } };
  if (subject.kind === 'action') return { tool: 'request_approval', input: subject.input };
  return { tool: 'spawn_agent', input: spawnItems(subject)[item]?.envelope };
}

/** What a yes would allow is never cut. */
export function wholeText(text: string): ToolCallContent {
  return { type: 'content', content: { type: 'text', text } };
}

function previewOf({ subject }: Request): ToolCallContent[] {
  if (subject.kind !== 'tool' || !subject.preview) return [];
  return diffsOf(resolve(subject.folder, subject.preview.path), subject.preview.diff);
}

/** The second step of what cannot be undone. */
export function confirmationOf(asked: RequestPermissionRequest, request: Request): RequestPermissionRequest {
  const { toolCallId, title } = asked.toolCall;
  return {
    ...asked,
    toolCall: { toolCallId, title: `${irreversibleText(request.subject)}: ${title ?? ''}`, status: 'pending' },
    options: [
      { optionId: 'confirm', name: 'Do it all the same', kind: 'allow_once' },
      { optionId: 'reject', name: 'Reject', kind: 'reject_once' },
    ],
  };
}

/**
 * The option that was chosen of those that were offered, and what was said beside it; null where the question was closed.
 * Throws `bad_input` for what is no answer: the SDK hands on whatever the client wrote.
 */
export function chosenOf(
  { options }: Pick<RequestPermissionRequest, 'options'>,
  response: unknown,
): (Extra & { optionId: string }) | null {
  const read = Response.safeParse(response);
  if (!read.success) throw new TriadError('bad_input', 'The client answered what cannot be read');
  const { outcome, _meta } = read.data;
  if (outcome.outcome === 'cancelled') return null;
  const { optionId } = outcome;
  if (!options.some((option) => option.optionId === optionId))
    throw new TriadError('bad_input', `The client answered "${optionId.slice(0, 100)}", which was not offered`);
  const { edit, reason } = Object(_meta?.['triad'] ?? outcome._meta?.['triad']) as Extra;
  return { optionId, edit, reason };
}

/** `chosen`: of the options of `requestOf`. Anything but one of the allowing ones is a no. */
export function answerOf({ approval: { request }, item }: Item, chosen: ReturnType<typeof chosenOf>): Answer {
  if (chosen === null) return { kind: 'reject', reason: 'The client closed the question' };
  const { optionId, edit, reason } = chosen;
  const option = request.options.find(({ id }) => id === optionId);
  const isYes = option?.kind === 'allow_once' || option?.kind === 'allow_always';
  if (!isYes) return { kind: 'reject', reason: typeof reason === 'string' ? reason : '' };
  if (edit !== undefined) {
    const envelope = spawnItems(request.subject)[item]?.envelope;
    return { kind: 'edit', value: envelope ? { ...envelope, ...Object(edit) } : edit };
  }
  const { grant } = request;
  const scope = grant?.scopes.find((one) => option.id === `allow_${one}`);
  return { kind: 'allow', ...(grant && scope ? { grant: { scope, pattern: grant.pattern } } : {}) };
}

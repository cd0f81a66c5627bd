/** Questions of an agent to the person: a form where the client has them, else one choice after the other. */
import {
  type AgentContext,
  type CreateElicitationRequest,
  type ElicitationPropertySchema,
  methods,
  type PermissionOption,
  type RequestPermissionRequest,
} from '@agentclientprotocol/sdk';
import type { Answer, Approval, PersonQuestion, Reply } from '#contract/approval.ts';
import { z } from 'zod';
import { TriadError } from '#core/base/errors.ts';
import { chosenOf, toolCallIdOf } from './question.ts';

type Request = Approval['request'];
type Content = Readonly<Record<string, unknown>>;

const Response = z.object({ action: z.enum(['accept', 'decline', 'cancel']), content: z.unknown() });

const DECLINED: Answer = { kind: 'reject', reason: 'The person declined to answer' };

/** As a form, in the session of the lead. */
export async function askForm(
  context: AgentContext,
  request: Request,
  questions: readonly PersonQuestion[],
  cancellationSignal: AbortSignal,
): Promise<Answer> {
  const { conversationId: sessionId, agent } = request;
  const toolCallId = toolCallIdOf({ approval: { request, decisions: [] }, item: 0 });
  const properties = Object.fromEntries(questions.flatMap(fieldsOf));
  const form: CreateElicitationRequest = {
    mode: 'form',
    sessionId,
    toolCallId,
    message: `${agent} asks`,
    requestedSchema: { type: 'object', properties },
  };
  const response: unknown = await context.request(methods.client.elicitation.create, form, {
    cancellationSignal,
    stopWaitingOnCancel: true,
  });
  const read = Response.safeParse(response);
  if (!read.success) throw new TriadError('bad_input', 'The client answered what cannot be read');
  if (read.data.action !== 'accept') return DECLINED;
  const content = Object(read.data.content) as Content;
  return { kind: 'reply', replies: questions.map((question, index) => replyOf(question, content, index)) };
}

/** A choice, and words beside it: the person may always write something else. */
function fieldsOf({ question, kind, choices }: PersonQuestion, index: number): [string, ElicitationPropertySchema][] {
  const words: [string, ElicitationPropertySchema] = [
    `words${index + 1}`,
    { type: 'string', title: choices.length === 0 ? question : `${question} (in your own words)` },
  ];
  if (choices.length === 0) return [words];
  const options = choices.map(({ label, description }) => ({
    const: label,
    title: description === null ? label : `${label}: ${description}`,
  }));
  const choice: ElicitationPropertySchema =
    kind === 'multiple'
      ? { type: 'array', title: question, items: { anyOf: options } }
      : { type: 'string', title: question, oneOf: options };
  return [[`choice${index + 1}`, choice], words];
}

function replyOf({ kind }: PersonQuestion, content: Content, index: number): Reply {
  const choice = content[`choice${index + 1}`];
  const given = content[`words${index + 1}`];
  const chosen = [choice].flat().filter((one) => typeof one === 'string');
  const words = typeof given === 'string' ? given.trim() : '';
  if (chosen.length === 0 && words === '') return null;
  // One answer: what was written wins over what may have stood there.
  return kind === 'single' && words !== '' ? { chosen: [], words } : { chosen, words };
}

/** One permission request for each question; one without choices can only be skipped. */
export async function askChoices(
  context: AgentContext,
  request: Request,
  questions: readonly PersonQuestion[],
  cancellationSignal: AbortSignal,
): Promise<Answer> {
  const replies: Reply[] = [];
  const toolCallId = toolCallIdOf({ approval: { request, decisions: [] }, item: 0 });
  for (const { question, choices } of questions) {
    const options: PermissionOption[] = [
      ...choices.map(({ label }, index) => ({ optionId: `choice-${index}`, name: label, kind: 'allow_once' as const })),
      { optionId: 'skip', name: 'Skip this question', kind: 'allow_once' },
      { optionId: 'decline', name: 'Decline to answer', kind: 'reject_once' },
    ];
    const toolCall = { toolCallId, title: `${request.agent} asks: ${question}`, status: 'pending' as const };
    const asked: RequestPermissionRequest = { sessionId: request.conversationId, toolCall, options };
    const response = await context.request(methods.client.session.requestPermission, asked, {
      cancellationSignal,
      stopWaitingOnCancel: true,
    });
    const optionId = chosenOf(asked, response)?.optionId ?? 'decline';
    if (optionId === 'decline') return DECLINED;
    const chosen = choices[Number(optionId.replace('choice-', ''))];
    replies.push(chosen ? { chosen: [chosen.label], words: '' } : null);
  }
  return { kind: 'reply', replies };
}

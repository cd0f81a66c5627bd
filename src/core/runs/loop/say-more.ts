/** Has an agent say more about a question of its own before the person answers it: one request beside its turns. */
import type { Approval } from '#contract/approval.ts';
import { buildSystemPrompt } from '#core/agents/system-prompt.ts';
import { TriadError } from '#core/base/errors.ts';
import { toldWire } from '#core/store/log/told.ts';
import type { Run } from '../run.ts';
import type { WireMessage } from '#core/model/model.ts';
import type { Emit } from '#core/store/log/recorder.ts';
import { sideRequest } from './side-request.ts';
import { withImages } from './with-images.ts';

/** The agent's words; rejects where it has none. What it says stays between it and the person: its own work goes on as if nobody had asked. */
export async function sayMore(
  run: Run,
  { request, context = [] }: Approval,
  signal: AbortSignal,
  emit: Emit,
): Promise<string> {
  const { text } = await sideRequest(
    run,
    {
      purpose: 'context',
      system: buildSystemPrompt(run.envelope),
      messages: await messagesOf(run, request, context),
      tools: await run.tools.specs(),
      signal,
    },
    emit,
  );
  if (text.trim() === '') throw new TriadError('provider', 'The agent said nothing to it: ask in other words');
  return text.trim();
}

const WAITING = 'Not done yet: the person is looking at this call and has not decided';

/** All that the agent knows, the call in question without its result, then what the person asked, oldest first. */
async function messagesOf(
  run: Run,
  { toolCallId, title }: Approval['request'],
  context: NonNullable<Approval['context']>,
): Promise<WireMessage[]> {
  const told = toldWire({ prior: run.prior, entries: run.history.entries }, WAITING);
  const messages = await withImages(told, run);
  const lead = `The person has a question about your call ${toolCallId} (${title}) before deciding about it. Answer in a few plain sentences: what it does, why it is needed, what else could be done. You have no tools for this answer, and it decides nothing.`;
  context.forEach(({ question, answer, error }, index) => {
    const asked = { type: 'text', text: index === 0 ? `${lead}\n\n${question}` : question } as const;
    const last = messages.at(-1);
    if (last?.role === 'user') last.content.push(asked);
    else messages.push({ role: 'user', content: [asked] });
    const isNewest = index === context.length - 1;
    if (!isNewest)
      messages.push({
        role: 'assistant',
        content: [{ type: 'text', text: answer ?? `(not answered: ${error ?? 'interrupted'})` }],
      });
  });
  return messages;
}

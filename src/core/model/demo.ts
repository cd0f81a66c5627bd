/** The provider `demo`: scripted and offline, at the pace of a real model; it knows only what the request holds. */
import { setTimeout as wait } from 'node:timers/promises';
import { newId } from '../base/ids.ts';
import { agentReply } from './demo-agent.ts';
import { reportReply } from './demo-report.ts';
import { reviewReply } from './demo-review.ts';
import { leadReply } from './demo-lead.ts';
import { type Reply, sceneOf } from './demo-scene.ts';
import type { Language } from '#contract/messages/language.ts';
import { type Model, ModelError, type ModelEvent, type ModelRequest, type ModelUsage } from './model.ts';
import { DEMO } from '#contract/providers/demo.ts';

export interface DemoOptions {
  /** Milliseconds to the first piece. */
  firstMs?: number;
  /** Shortest wait between two pieces; the longest is twice as long. */
  pieceMs?: number;
  /** The language that the person is known to read, for what begins now. Default: English. */
  language?: () => Language;
}

/** Four characters make about a token. */
const tokens = (chars: number): number => Math.ceil(chars / 4);

export function createDemoModel({ firstMs = 300, pieceMs = 15, language = () => 'en' }: DemoOptions = {}): Model {
  return {
    provider: DEMO,
    stream: (request, signal) => perform(request, { firstMs, pieceMs, language }, signal),
  };
}

async function* perform(
  request: ModelRequest,
  { firstMs, pieceMs, language }: Required<DemoOptions>,
  signal: AbortSignal,
): AsyncGenerator<ModelEvent> {
  const { system, messages, tools } = request;
  const usage: ModelUsage = {
    inputTokens: tokens(JSON.stringify({ system, messages, tools }).length),
    cacheReadTokens: 0,
    cacheWrite5mTokens: 0,
    cacheWrite1hTokens: 0,
    outputTokens: 0,
    thinkingTokens: 0,
  };
  await pause(firstMs, signal);
  yield { type: 'start', responseId: `demo_${newId()}` };
  yield { type: 'usage', usage };
  const { text, calls, cut } = within(replyTo(request, language()), request.maxTokens);
  for (const piece of text.match(/\s*(?:\S+\s*){1,2}/g) ?? []) {
    yield { type: 'delta', part: 0, kind: 'text', text: piece };
    await pause(pieceMs + (piece.length % (pieceMs + 1)), signal);
  }
  yield { type: 'part', part: 0, value: { type: 'text', text } };
  let chars = text.length;
  for (const [index, { id, name, input }] of calls.entries()) {
    const part = index + 1;
    const json = JSON.stringify(input);
    for (const piece of json.match(/[^]{1,24}/gu) ?? []) {
      yield { type: 'delta', part, kind: 'tool', text: piece, toolCallId: id, name };
      await pause(pieceMs, signal);
    }
    chars += json.length;
    yield { type: 'part', part, value: { type: 'tool_use', id, name, input } };
  }
  yield { type: 'usage', usage: { ...usage, outputTokens: tokens(chars) } };
  yield { type: 'end', stopReason: cut ? 'max_tokens' : calls.length > 0 ? 'tool_use' : 'end_turn' };
}

/** Only a lead is offered the tools that start agents; where nobody could say yes to one, its prompt tells it. */
function replyTo(request: ModelRequest, asked: Language): Reply {
  const scene = sceneOf(request, asked);
  if (scene.askedBack) return { text: scene.words.askedBack, calls: [] };
  const isLead = request.system.startsWith('You are the lead agent of Triad');
  const leads = isLead || request.tools.some(({ name }) => name === 'spawn_agent' || name === 'delegate_task');
  return leads ? leadReply(scene) : (reviewReply(scene) ?? reportReply(scene) ?? agentReply(scene));
}

/** An answer ends where the request bounds it, like that of any model. */
function within({ text, calls }: Reply, maxTokens: number): Reply & { cut: boolean } {
  if (tokens(text.length) <= maxTokens) return { text, calls, cut: false };
  return { text: [...text].slice(0, maxTokens * 4).join(''), calls: [], cut: true };
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  try {
    signal.throwIfAborted();
    if (ms > 0) await wait(ms, undefined, { signal });
  } catch {
    throw new ModelError('cancelled', 'The request was stopped', { retryable: false, cause: signal.reason });
  }
}

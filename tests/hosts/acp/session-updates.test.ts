/** What is told in the session of the lead: the cost of all, room that was made, calls of sub-agents, nothing late. */
import { expect, test } from 'vitest';
import type { AgentEvent } from '#contract/event.ts';
import type { CompactionEntry } from '#contract/message.ts';
import { ZERO_TALLY } from '#domain/tally.ts';
import { SessionUpdates } from '#hosts/acp/session-updates.ts';
import {
  childId,
  conversationRow,
  envelope,
  leadId,
  ofChild,
  ofLead,
  requestUsage,
  workflowEnd,
} from '../support/events.ts';

const at = '2026-03-01T12:00:00.000Z';
const entry: CompactionEntry = {
  kind: 'compaction',
  n: 4,
  at,
  text: 'What was said.',
  upTo: 3,
  prior: [],
  priorRuns: [],
  kept: '',
  tokensBefore: 900,
  tokensAfter: 90,
  auto: true,
};

function session({
  used = { nanoUsd: 0, unpriced: 0 },
  compactions = false,
  past = false,
  look = () => Promise.resolve(),
} = {}) {
  const abilities = { notices: true, compactions, subAgentSessions: false };
  const windows = { of: () => 1000, look };
  const conversation = { ...conversationRow(), usage: { ...ZERO_TALLY, ...used } };
  const updates = new SessionUpdates({ ...abilities, conversation, isOwn: () => false, windows });
  updates.isPast = past;
  const tell = (...events: AgentEvent[]) => events.flatMap((event) => updates.of(event)).map(({ update }) => update);
  return Object.assign(tell, { asked: updates.asked.bind(updates) });
}

const spent = (nanoUsd: number | null) => ({ request: requestUsage({ nanoUsd }) });

test('the cost of a session includes all agents and the cost before it was resumed', () => {
  const costs = (tell: ReturnType<typeof session>, ...events: AgentEvent[]) =>
    tell(...events).flatMap((update) => (update.sessionUpdate === 'usage_update' ? [update.cost?.amount ?? null] : []));
  const child = ofChild('usage', spent(2e9));
  expect(costs(session(), child, ofLead('usage', spent(1e9)))).toEqual([3]);
  expect(costs(session({ used: { nanoUsd: 4e9, unpriced: 0 } }), ofLead('usage', spent(1e9)))).toEqual([5]);
  expect(costs(session({ used: { nanoUsd: 4e9, unpriced: 1 } }), ofLead('usage', spent(1e9)))).toEqual([null]);
  expect(costs(session(), ofChild('usage', spent(null)), ofLead('usage', spent(1e9)))).toEqual([null]);
});

test('reports a compaction and its undo in the form that the client supports', () => {
  const made = ofLead('compaction', { entry });
  expect(session()(made)).toMatchObject([{ sessionUpdate: 'notice', description: '900 → 90 tokens' }]);
  expect(session({ compactions: true })(made)).toEqual([
    {
      sessionUpdate: 'compaction_update',
      compactionId: `${leadId}:4`,
      status: 'completed',
      summary: [{ type: 'text', text: 'What was said.' }],
    },
  ]);
  expect(session({ past: true })(made)).toMatchObject([{ sessionUpdate: 'agent_thought_chunk' }]);
  const undone = (is: boolean) => session()(ofLead('compaction-undo', { entry: { ...entry, undone: is } }));
  expect(undone(true)).toMatchObject([{ title: 'The compaction was taken back' }]);
  expect(undone(false)).toMatchObject([{ title: 'The compaction holds again' }]);
});

test('replays a past message with a note on each picture, and looks up no context window', () => {
  const image = { mediaType: 'image/png' as const, bytes: 9, width: 2, height: 1, sha256: 'a'.repeat(64) };
  const started = ofLead('workflow-start', { prompt: 'Look', approve: 'ask', attempt: 1, images: [image] });
  const text = 'Look\n\n[Sent with a picture: image/png, 2 × 1 pixels]';
  expect(session({ past: true })(started)).toContainEqual(
    expect.objectContaining({ sessionUpdate: 'user_message_chunk', content: { type: 'text', text } }),
  );
  const run = ofLead('run-start', { attempt: 1, envelope, envelopeHash: 'h', queuedMs: 0, queueDepth: 0 });
  const looks: boolean[] = [];
  for (const past of [true, false]) session({ past, look: async () => void looks.push(past) })(run);
  expect(looks).toEqual([false]);
});

test('a call of a sub-agent appears in the session of the lead only after a question about it', () => {
  const about = { toolCallId: 'call-1', name: 'write_file' };
  const entry = {
    kind: 'tool' as const,
    n: 2,
    at,
    ...about,
    status: 'completed' as const,
    output: 'Made',
    durationMs: 1,
    metadata: {},
  };
  const calls = [ofChild('tool-start', { ...about, input: {} }), ofChild('tool-end', { entry })];
  const [quiet, asked] = [session(), session()];
  asked.asked(childId, 'call-1');
  expect(quiet(...calls)).toEqual([]);
  expect(asked(...calls)).toMatchObject([
    { toolCallId: `${childId}:call-1`, status: 'in_progress' },
    { toolCallId: `${childId}:call-1`, status: 'completed' },
  ]);
});

test('ignores a delta that comes after the end, until the workflow starts again', () => {
  const tell = session();
  const hint = ofLead('message-delta', { messageId: leadId, part: 0, offset: 0, text: 'Late' });
  tell(workflowEnd());
  expect(tell(hint)).toEqual([]);
  tell(ofLead('workflow-start', { prompt: 'Look', approve: 'ask', attempt: 2 }));
  expect(tell(hint)).toMatchObject([{ content: { text: 'Late' } }]);
});

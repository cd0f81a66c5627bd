/** The page of a failed sub-agent contains all that is needed to find the cause. */
import { expect, test } from 'vitest';
import { agentPage } from '#core/host/records/sessions/agent-page.ts';
import { runRow } from '../../../../hosts/support/events.ts';
import { fieldsOf } from '../../../../support/session-files.ts';

test('lists type, message and stack of the error, the agent, its attempt and its trace', () => {
  const detail = 'TypeError: x is not a function\n    at work (src/work.ts:3:5)';
  const run = runRow({
    kind: 'spawn',
    depth: 1,
    agent: 'broken',
    title: 'try it out',
    status: 'error',
    outcome: 'error',
    parentChain: ['user', 'lead', 'broken'],
    error: { code: 'internal', message: 'x is not a function', detail },
  });
  const page = agentPage(run, { runs: [run], approvals: [], calls: [], entries: new Map() }, 'session');
  expect(fieldsOf(page)).toMatchObject({
    status: 'error',
    outcome: 'error',
    error_type: 'internal',
    error_message: 'x is not a function',
    error_detail: detail,
    trace_id: run.traceId,
  });
  expect(page).toContain('## Error\n\n`internal`: x is not a function\n\n- Agent: `broken`, below `user → lead`\n');
  expect(page).toContain(`- Attempted: spawn “try it out”\n- Trace: \`${run.traceId}\`\n`);
  expect(page).toContain(`\n${detail}\n`);
});

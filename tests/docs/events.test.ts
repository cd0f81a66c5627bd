/** The page on events says what the contract says: every type and object with its very fields, and examples that parse. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { Envelope } from '#contract/agent.ts';
import { ApprovalRequest, Context, Decision } from '#contract/approval.ts';
import { ErrorCode, ErrorInfo } from '#contract/error.ts';
import { DurableEvent, HintEvent, RequestUsage, SubAgentSummary } from '#contract/event.ts';
import {
  AssistantEntry,
  CompactionEntry,
  HandoffEntry,
  StopReason,
  SystemEntry,
  ToolEntry,
  UserEntry,
} from '#contract/message.ts';
import { Outcome, Usage } from '#contract/outcome.ts';
import { Grant } from '#contract/permission.ts';
import { STATUS_OF } from '#domain/status-of.ts';

const page = readFileSync(path.resolve(import.meta.dirname, '../../docs/events.md'), 'utf8');
/** What stands below each heading, up to the next one. */
const sections = new Map(
  page
    .split(/^#{1,3} /m)
    .slice(1)
    .map((section): [string, string] => {
      const end = section.indexOf('\n');
      return [section.slice(0, end).trim(), section.slice(end)];
    }),
);
const events = [...DurableEvent.options, ...HintEvent.options];
const everyLine = [
  'type',
  'seq',
  'at',
  'conversationId',
  'workflowId',
  'runId',
  'parentRunId',
  'agent',
  'traceId',
  'parentChain',
];

/** The cells of the rows of a table, without its head. */
function rows(heading: string): string[][] {
  const section = sections.get(heading);
  if (section === undefined) throw new Error(`There is no section "${heading}"`);
  return [...section.matchAll(/^\| (`.*) \|$/gm)].map(([, row = '']) => row.split(' | ').map((cell) => cell.trim()));
}
const words = (heading: string) => rows(heading).map(([cell = '']) => cell.replaceAll('`', ''));

test('every line has the documented fields', () => {
  expect(words('Every line')).toEqual(everyLine);
});

describe.for(events.map((schema) => [schema.shape.type.value, schema] as const))('%s', ([type, schema]) => {
  const heading = `\`${type}\``;

  test('has a table with exactly its own fields', () => {
    const own = Object.keys(schema.shape).filter((field) => !everyLine.includes(field));
    expect(words(heading)).toEqual(own);
  });

  test('has one example on one line that its schema accepts unchanged', () => {
    const examples = [...(sections.get(heading) ?? '').matchAll(/^```ndjson\n(.*)\n```$/gm)];
    expect(examples).toHaveLength(1);
    const example: unknown = JSON.parse(examples[0]?.[1] ?? '');
    expect(schema.parse(example)).toEqual(example);
  });
});

test('has no example outside of the event types', () => {
  expect(page.match(/^```(nd)?json/gm)).toHaveLength(events.length);
});

test.for([
  ['total usage', Usage],
  ['sub-agent', SubAgentSummary],
  ['error', ErrorInfo],
  ['envelope', Envelope],
  ['user entry', UserEntry],
  ['assistant entry', AssistantEntry],
  ['tool entry', ToolEntry],
  ['system entry', SystemEntry],
  ['handoff entry', HandoffEntry],
  ['compaction entry', CompactionEntry],
  ['approval', ApprovalRequest],
  ['context', Context],
  ['grant', Grant],
  ['decision', Decision],
  ['request', RequestUsage],
] as const)('the object "%s" has a table of its fields', ([heading, schema]) => {
  expect(new Set(words(heading))).toEqual(new Set(Object.keys(schema.shape)));
});

test('lists the outcomes with their status and all error codes', () => {
  expect(rows('Outcomes').map((row) => row.slice(0, 2))).toEqual(
    Outcome.options.map((outcome) => [`\`${outcome}\``, `\`${STATUS_OF[outcome]}\``]),
  );
  expect(words('Error codes')).toEqual(ErrorCode.options);
});

test.for([
  ['`turn-end`', 'stopReason', StopReason.options],
  ['system entry', 'code', SystemEntry.shape.code.options],
] as const)('the section on %s lists all values of %s', ([heading, field, options]) => {
  const meaning = rows(heading).find(([name]) => name === `\`${field}\``)?.[2];
  expect([...(meaning ?? '').matchAll(/`(\w+)`/g)].map(([, word]) => word)).toEqual(options);
});

test('each internal link leads to a heading of the page', () => {
  const anchors = [...sections.keys()].map((heading) => heading.toLowerCase().replaceAll('`', '').replaceAll(' ', '-'));
  const links = [...page.matchAll(/\]\(#([\w-]+)\)/g)].map(([, anchor]) => anchor);
  expect(links.length).toBeGreaterThan(0);
  for (const link of links) expect(anchors.filter((anchor) => anchor === link)).toEqual([link]);
});

/** An approval as text: all that a yes would allow, nothing cut, nothing that could hide. Pure. */
import { isDeepStrictEqual } from 'node:util';
import type { Coagent, Envelope, Stage } from '#contract/agent.ts';
import type { ApprovalRequest, SpawnItem, Subject } from '#contract/approval.ts';
import { type Summary, summaryOf } from '#contract/approvals/summary.ts';
import { cutLine } from '#contract/cut-limits-text.ts';
import { allServing, flowText, servingText, formatRequestBound } from '#contract/flows/serving-text.ts';
import { ownActionsText } from '#contract/own-actions-text.ts';
import { lengthOf, lengthWords } from '#contract/visible-text.ts';
import type { Style } from '../terminal/style.ts';
import { visible } from '../terminal/visible.ts';
import { diffText } from './diff-text.ts';
import { atMostText, mayText, withText } from './summary-lines.ts';

/** The question about one item; `envelope` is what would run, with the person's edits. Without its diff where that stands beside it. */
export function questionText(
  request: ApprovalRequest,
  item: number,
  envelope: Envelope | null,
  style: Style,
  withDiff = true,
): string {
  const head = [
    style('bold', indented(`── Approval: ${visible(request.title)}`)),
    field('asked by', request.chain.slice(1).map(visible).join(' → ')),
    field('risk', `${request.risk}${undoWords(request, style)}`),
    ...(request.description === '' ? [] : [field('what', passage(request.description))]),
  ];
  const { subject } = request;
  if (subject.kind === 'limit') return limitLines(request, style).join('\n');
  if (subject.kind === 'questions') return questionLines(request, subject, style).join('\n');
  if (subject.kind === 'action') return [...head, ...actionLines(subject)].join('\n');
  if (subject.kind === 'replaced-folder') return head.join('\n');
  if (subject.kind === 'control-files') return [...head, ...controlFileLines(subject, style)].join('\n');
  if (subject.kind === 'tool') return [...head, ...toolLines(subject, style, withDiff)].join('\n');
  const asked = subject.items[item];
  if (asked === undefined || envelope === null) return head.join('\n');
  const count = subject.items.length;
  return [
    ...head,
    ...(count > 1 ? [field('item', `${item + 1} of ${count}`)] : []),
    ...envelopeLines(asked, envelope, style),
  ].join('\n');
}

/** Nothing of what changes nothing; what an agent says of its own plan is said to be its word. */
function undoWords({ subject, reversible }: ApprovalRequest, style: Style): string {
  if (subject.kind === 'action') return `; its agent says that it ${reversible ? 'can' : 'cannot'} be undone`;
  if (!reversible) return `, ${style('red', 'cannot be undone')}`;
  return subject.kind === 'tool' && subject.preview !== null ? ', can be undone' : '';
}

function envelopeLines(item: SpawnItem, envelope: Envelope, style: Style): string[] {
  const { title, envelope: asked, worst } = item;
  const edited = isDeepStrictEqual(asked.prompt, envelope.prompt) ? '' : ' (edited)';
  const served = servingText(envelope);
  return [
    field('agent', item.again ? `${nameOf(envelope)} again` : `${nameOf(envelope)} wants to start`),
    field('task', passage(title)),
    ...summaryLines(summaryOf(envelope, item.ownActions)),
    ...(item.modelWarnings ?? []).map(({ message }) => field('warning', visible(message))),
    ...(served === '' ? [] : [field('who works', visible(served))]),
    ...(worst ? [field('in all', formatRequestBound(worst))] : []),
    ...settingLines(envelope, ownActionsText(item, envelope)),
    ...toldLines(envelope, style),
    ...block(`prompt${edited}`, envelope.prompt, style),
    ...coagentLines(envelope, item, envelope, style),
    ...envelope.stages.flatMap((stage, index) => [
      style('bold', `  ── Stage ${index + 1} of ${envelope.stages.length}: ${nameOf(stage)}`),
      ...servedLines(stage, item, envelope, style),
      ...coagentLines(stage, item, envelope, style),
    ]),
  ];
}

/** What decides it, before all that it comes from. */
function summaryLines(summary: Summary): string[] {
  return [
    field('may', visible(mayText(summary))),
    field('with', visible(withText(summary))),
    field('at most', visible(atMostText(summary))),
  ];
}

/** The coagent of the run, or of a stage, and what it is told. */
function coagentLines(stage: Stage, item: SpawnItem, envelope: Envelope, style: Style): string[] {
  const { flow } = stage;
  if (!flow || flow.type === 'hitl') return [];
  const { type, text } = flow.handoff;
  const told = type === 'generated' ? 'a model writes the handoff by' : `handoff (${type})`;
  const handoff = block(told, text, style);
  if (!flow.coagent) return [field('goes on', flowText(flow)), ...handoff];
  return [
    style('bold', `  ── Coagent of ${visible(stage.agent)}: ${nameOf(flow.coagent)}`),
    field('takes turns', visible(flowText(flow))),
    ...servedLines(flow.coagent, item, envelope, style),
    ...handoff,
  ];
}

function servedLines(part: Coagent, { served = [] }: SpawnItem, envelope: Envelope, style: Style): string[] {
  const { ownActions } = served[allServing(envelope).indexOf(part)] ?? {};
  return [
    ...summaryLines(summaryOf(part, ownActions)),
    ...settingLines(part, ownActionsText(ownActions ? { ownActions } : {}, part)),
    ...toldLines(part, style),
  ];
}

/** Before its prompt. */
function toldLines({ systemPrompt, instructions = [] }: Coagent, style: Style): string[] {
  return [
    ...block('system prompt', systemPrompt, style),
    ...instructions.flatMap(({ path, text, cut }) =>
      block(`told from ${visible(path)}${cut ? ' (its beginning)' : ''}`, text, style),
    ),
  ];
}

const nameOf = ({ agent, definitionHash }: Coagent) =>
  `${visible(agent)}${definitionHash === null ? ' (made for this task)' : ''}`;

/** What one agent gets, but its prompts. */
function settingLines(agent: Coagent, own: string): string[] {
  const cut = cutLine(agent);
  const { maxIterations, inactivityMs } = agent.limits;
  const effort = agent.effort === null ? '' : `, effort ${agent.effort}`;
  const heat = agent.temperature === undefined ? '' : `, temperature ${agent.temperature}`;
  return [
    field(
      'model',
      `${visible(agent.model)} (${visible(agent.provider)}), at most ${agent.maxTokens} tokens a turn${effort}${heat}`,
    ),
    field('tools', list(agent.tools)),
    field('MCP servers', list(agent.mcpServers)),
    field('permissions', list(agent.permissions)),
    field('folder', visible(agent.folder)),
    field('limits', `${maxIterations} turns, ${Math.round(inactivityMs / 1000)} s without a sign of life`),
    ...(cut === '' ? [] : [field('cut', visible(cut))]),
    ...boundLines(agent),
    ...(agent.seesReports ? [field('may search', 'what others of this workflow have reported')] : []),
    ...(agent.output ? [field('must end as', outputWords(agent.output))] : []),
    ...(own === '' ? [] : [field('its actions', visible(own))]),
  ];
}

/** What its last message must be. */
function outputWords({ format, schema, next }: NonNullable<Coagent['output']>): string {
  const form = schema === null ? '' : ` by the schema ${visible(JSON.stringify(schema))}`;
  return `${format}${form}${next === undefined ? '' : `, for ${visible(next)}`}`;
}

/** What bounds it beyond its turns, what it always asks about, and its reviews of itself, where there are any. */
function boundLines({ limits, requiresApproval = [], approvalTimeoutMs, reflection }: Coagent): string[] {
  const { tokens, costUsd, minutes } = limits.budget ?? {};
  const { doomLoopThreshold: repeats } = limits;
  const budget = [
    ...(tokens === undefined ? [] : [`${tokens} tokens`]),
    ...(costUsd === undefined ? [] : [`$${costUsd}`]),
    ...(minutes === undefined ? [] : [`${minutes} min`]),
  ];
  const reviews =
    reflection && `up to ${reflection.maxRetries} more tries, against ${passage(reflection.criteria ?? 'its task')}`;
  return [
    ...(budget.length === 0 ? [] : [field('budget', budget.join(', '))]),
    ...(repeats === undefined
      ? []
      : [field('repeats', `told after ${repeats} identical calls, ended after ${2 * repeats}`)]),
    ...(requiresApproval.length === 0 ? [] : [field('always asks', list(requiresApproval))]),
    ...(approvalTimeoutMs === undefined ? [] : [field('waits', `${approvalTimeoutMs / 1000} s for an answer`)]),
    ...(reviews === undefined ? [] : [field('reviews', reviews)]),
  ];
}

function toolLines(subject: Extract<Subject, { kind: 'tool' }>, style: Style, withDiff: boolean): string[] {
  const { tool, folder, startsIn, preview } = subject;
  const place = startsIn === undefined ? folder : `${folder}/${startsIn}`;
  const where = [field('tool', visible(tool)), field('folder', visible(place))];
  if (preview === null) return [...where, ...inputLines(subject, style)];
  const change = `${visible(preview.path)} (${preview.created ? 'new file, ' : ''}+${preview.added} −${preview.removed})`;
  const file = [...where, field('file', change)];
  if (!withDiff) return file;
  const changes = diffText(preview.diff).map((line) => diffLine(line, style));
  return [...file, style('dim', `  changes · ${lengthWords(preview.diff)}`), ...changes];
}

/** A command stands as it is written, what else there is as JSON. */
function inputLines({ input, mcp }: Extract<Subject, { kind: 'tool' }>, style: Style): string[] {
  const { command, ...others } = Object(input) as Record<string, unknown>;
  if (typeof command !== 'string' || mcp) return block('input', JSON.stringify(input, null, 2) ?? 'none', style);
  const rest = Object.keys(others).length > 0 ? block('other input', JSON.stringify(others, null, 2), style) : [];
  return [...block('command', command, style), ...rest];
}

function actionLines({ action, reason, impact }: Extract<Subject, { kind: 'action' }>): string[] {
  return [
    field('it wants to', passage(action)),
    field('why', passage(reason)),
    ...(impact === null ? [] : [field('it changes', passage(impact))]),
  ];
}

function controlFileLines({ files }: Extract<Subject, { kind: 'control-files' }>, style: Style): string[] {
  return files.flatMap(({ path, change, content }) =>
    content === null
      ? [field(change, visible(path))]
      : [field(change, visible(path)), ...block('content', content, style)],
  );
}

/** The limit that was reached, without a risk: nothing is allowed or forbidden by the answer. */
function limitLines({ title, description }: ApprovalRequest, style: Style): string[] {
  return [style('bold', indented(`── ${visible(title)}`)), field('what', passage(description))];
}

/** Nothing is allowed or forbidden by the answers: no risk, no yes and no. */
function questionLines(
  { chain }: ApprovalRequest,
  { questions }: Extract<Subject, { kind: 'questions' }>,
  style: Style,
): string[] {
  const numbered = questions.length > 1;
  return [
    style('bold', `── ${visible(chain.at(-1) ?? '')} asks you`),
    ...questions.flatMap(({ question, choices }, index) => [
      indented(`  ${numbered ? `${index + 1}. ` : ''}${visible(question)}`),
      ...choices.map(({ label, description }, place) => {
        const more = description === null ? '' : style('dim', ` — ${visible(description)}`);
        return indented(`     ${place + 1}  ${visible(label)}${more}`);
      }),
    ]),
  ];
}

function diffLine(line: string, style: Style): string {
  if (line.startsWith('+')) return style('green', `  ${line}`);
  return line.startsWith('-') ? style('red', `  ${line}`) : `  ${line}`;
}

/** No line of a text looks like one of the question's own. */
const indented = (text: string) => text.replaceAll('\n', `\n${' '.repeat(15)}`);
const field = (name: string, value: string) => indented(`  ${name.padEnd(12)} ${value}`);
const list = (names: readonly string[]) => (names.length === 0 ? 'none' : names.map(visible).join(', '));
/** Of more than one line: how long it is, since its beginning may have left the screen when it is read. */
const passage = (text: string) => `${lengthOf(text).lines > 1 ? `(${lengthWords(text)}) ` : ''}${visible(text)}`;
const block = (name: string, text: string, style: Style) => [
  style('dim', `  ${name} · ${lengthWords(text)}`),
  ...visible(text)
    .split('\n')
    .map((line) => `  │ ${line}`),
];

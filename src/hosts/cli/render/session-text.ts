/** One conversation as lines for the terminal. Pure. */
import { formatState } from '#domain/status-of.ts';
import type { Missing } from '#contract/missing.ts';
import { andMore } from '#domain/call-row.ts';
import { MARK_SIGNS, markOfSubAgent } from '#contract/flows/agent-mark.ts';
import { isSubAgent } from '#contract/flows/serving.ts';
import {
  COPIED_TEXT,
  forkedFromText,
  forksText,
  TAKEN_TEXT,
  titleText,
  wentOnText,
} from '#contract/messages/fork-text.ts';
import { picturesText } from '#contract/messages/pictures-text.ts';
import { missingText } from '#contract/missing-text.ts';
import { usageOf } from '#core/base/usage.ts';
import type { Style } from '../terminal/style.ts';
import { truncate } from '../terminal/truncate.ts';
import { oneLine, visible } from '../terminal/visible.ts';
import { wrap } from '../terminal/wrap.ts';
import { cost, localTime, timesIn, timesText, tokens } from './format.ts';
import { type Session, shownSession } from './session-json.ts';

/** Prompts, answers and errors are shown whole; what stands around them fits the width. */
export function sessionText(session: Session, width: number, style: Style): string[] {
  const { conversation } = session;
  const { id, folder, agent, createdAt, deletedAt } = conversation;
  const shown = shownSession(session);
  const used = usageOf(conversation.usage);
  const head = [folder, agent, localTime(createdAt)].map((fact) => oneLine(visible(fact))).join(' · ');
  const trash = `In the trash since ${localTime(deletedAt ?? createdAt)}; to get it back: triad sessions restore ${id}`;
  return [
    style('bold', truncate(`Session ${id}: ${oneLine(visible(titleText(conversation)))}`, width)),
    truncate(`  ${head}`, width),
    truncate(`  ${tokens(used)} · ${cost(used.costUsd)}`, width),
    ...(deletedAt ? wrap(`  ${trash}`, width) : []),
    ...forkedFromText(conversation).flatMap((line) => wrap(`  ${line}`, width)),
    ...missingLines(session.missing, width, style),
    ...notesLine([['linking here', shown.linkingNotes]], width),
    ...shown.workflows.flatMap((workflow) => workflowLines(workflow, width, style)),
  ];
}

/** Empty if nothing is missing. */
export function missingLines(missing: readonly Missing[] | undefined, width: number, style: Style): string[] {
  const notice = missingText(missing);
  return notice === null ? [] : wrap(`  ${notice}`, width).map((line) => style('red', line));
}

type Shown = ReturnType<typeof shownSession>['workflows'][number];

function workflowLines(workflow: Shown, width: number, style: Style): string[] {
  const { id, usage, error, prompt, images, answer, subAgents, writes, notes } = workflow;
  const facts = [formatState(workflow), timesText(timesIn(workflow)), tokens(usage), cost(usage.costUsd)];
  const pictures = picturesText(images);
  const marked = subAgents.filter(isSubAgent);
  const children = subAgents.map((child) => {
    // A stage follows the one that it is below.
    const sign = isSubAgent(child) ? `${MARK_SIGNS[markOfSubAgent(marked.indexOf(child))]} ` : '  ';
    const mark = child.outcome === null ? '…' : child.outcome === 'completed' ? '✓' : '✗';
    const did = child.copiedFrom ? [COPIED_TEXT] : [timesText(timesIn(child)), tokens(child.usage)];
    const own = [child.outcome ?? child.status, ...did];
    return truncate(`  ${sign}${mark} ${visible(child.agent)} (${child.kind}) · ${own.join(' · ')}`, width);
  });
  return [
    '',
    ...wrap(`Workflow ${id} · ${facts.join(' · ')}`, width).map((line) => style('cyan', line)),
    ...(workflow.copiedFrom ? wrap(`  ${TAKEN_TEXT}`, width) : []),
    ...[...wentOnText(workflow), ...forksText(workflow)].flatMap((line) => wrap(`  ${line}`, width)),
    style('bold', '> ') + visible(prompt).replaceAll('\n', '\n> '),
    ...(pictures === null ? [] : wrap(`  ${pictures}`, width)),
    ...children,
    ...writes.map((write) => truncate(`  ${writeLine(write)}`, width)),
    ...notesLine(
      [
        ['read', notes.read],
        ['written', notes.written],
      ],
      width,
    ),
    ...(answer === '' ? [] : ['', visible(answer).trimEnd()]),
    ...(error === null ? [] : [style('red', `${error.code}: ${oneLine(visible(error.message))}`)]),
  ];
}

/** Empty where there are none. */
function notesLine(groups: readonly (readonly [name: string, paths: readonly string[]])[], width: number): string[] {
  const parts = groups.flatMap(([name, paths]) =>
    paths.length === 0 ? [] : [`${name}: ${paths.map((path) => oneLine(visible(path))).join(', ')}`],
  );
  return parts.length === 0 ? [] : [truncate(`  notes ${parts.join(' · ')}`, width)];
}

function writeLine({ agent, path, also, undos }: Shown['writes'][number]): string {
  const last = undos.at(-1);
  const state = last ? ` · ${last.undone ? 'undone' : 'written again'} ${localTime(last.at)} by you` : '';
  return `${oneLine(visible(agent))} wrote ${oneLine(visible(path))}${andMore(also)}${state}`;
}

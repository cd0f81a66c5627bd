/** The words of a workflow that is played again from its log: its controls, and each step in a sentence. */
import { MARK_SIGNS } from '#contract/flows/agent-mark.ts';
import type { ApprovalRequest, Decision } from '#contract/approval.ts';
import type { SystemEntry } from '#contract/message.ts';
import { callTitle } from '#lib/view/call-title.ts';
import { clockTime, count, duration } from '#lib/view/format.ts';
import type { Phase } from '#lib/view/phase.ts';
import type { Mark, Step } from '#lib/view/replay/steps.ts';
import { flowWords } from './flow-words.ts';
import { plural } from './sentences.ts';
import { stageWords } from './stage-words.ts';

/** Words that other screens have too. */
interface Shared {
  phases: Readonly<Record<Phase, string>>;
  remarks: Readonly<Record<SystemEntry['code'], string>>;
}

type What<K extends Step['what']['kind']> = Extract<Step['what'], { kind: K }>;

/** A message that is only begun and one that has come are two steps. */
function said(agent: string, { text, calls }: What<'said'>): string {
  const asks = calls === 0 ? '' : `asks for ${plural(calls, 'call', 'calls')}`;
  if (text === '') return `${agent} ${asks === '' ? 'has answered' : asks}`;
  return `${agent}: ${text}${asks === '' ? '' : ` (${asks})`}`;
}

const DECIDED = {
  person: { yes: 'You said yes', no: 'You said no' },
  rule: { yes: 'A rule said yes', no: 'A rule said no' },
  timeout: { yes: 'No answer in time, which counts as yes', no: 'No answer in time' },
  cancel: { yes: 'Withdrawn', no: 'Withdrawn' },
} as const;

/** Who answered what, and how long after it was asked. */
function answered(request: ApprovalRequest, decision: Decision): string {
  const { decidedBy, allowed, outcome } = decision;
  const replied = request.subject.kind === 'questions' && decidedBy === 'person' && allowed;
  const says = replied ? 'You answered' : DECIDED[decidedBy][allowed ? 'yes' : 'no'];
  const waited = Date.parse(decision.at) - Date.parse(request.at);
  return `${says}${outcome === 'edited' ? ', with changes' : ''}${waited < 1000 ? '' : ` after ${clockTime(waited)}`}`;
}

const RESULTS = { completed: 'is done', error: 'failed', cancelled: 'was stopped' } as const;

/** Everything that an agent does, or has done; its name is part of it. */
function step({ agent, what }: Step, { phases, remarks }: Shared): string {
  switch (what.kind) {
    case 'sent':
      return 'You sent the message';
    case 'resumed':
      return `The workflow goes on (attempt ${what.attempt})`;
    case 'done':
      return `The workflow has ended: ${phases[what.outcome]}`;
    case 'started':
      return what.attempt > 1 ? `${agent} starts again (attempt ${what.attempt})` : `${agent} starts`;
    case 'ended':
      return `${agent} has ended: ${phases[what.outcome]}`;
    case 'asks':
      return `${agent} asks you: ${what.request.title}`;
    case 'decided':
      return `${answered(what.request, what.decision)}: ${what.request.title}`;
    case 'askedBack':
      return `You asked back: ${what.text}`;
    case 'explains':
      return `${agent} has explained it`;
    case 'writes':
      return `${agent} answers`;
    case 'said':
      return said(agent, what);
    case 'remark':
      return `${agent}: ${remarks[what.entry.code]}`;
    case 'call':
      return `${agent}: ${stageWords.now(agent, what)}`;
    case 'result':
      return `${agent}: ${callTitle(what.name)} ${RESULTS[what.status]}`;
    case 'handoff':
      return `${agent}: ${flowWords.handoff(what.entry)}`;
    case 'compacts':
      return `${agent} has made room in its context`;
    case 'retries':
      return `${agent} waits for the provider`;
    case 'plans':
      return `${agent} has changed its plan`;
    case 'limits':
      return `You raised the limits of ${agent}`;
    case 'word':
      return `You to ${agent}: ${what.text}`;
    case 'notice':
      return what.text;
    case 'undone':
      return `You undid a change of ${agent}`;
    case 'redone':
      return `You had a change of ${agent} made again`;
  }
}

const marks: Readonly<Record<Mark['kind'], string>> = {
  start: 'starts',
  ask: 'asks you',
  end: 'has ended',
  done: 'The end',
};

export const replayWords = {
  open: 'Replay',
  openLast: 'Replay the last workflow',
  openHint: 'Shows how it went, step by step. It costs nothing: all of it is read from the log.',
  title: 'Replay',
  heading: (prompt: string) => `Replay: ${prompt}`,
  back: 'Back to the workflow',
  log: 'The conversation at this moment',
  free: 'From the log: nothing is sent, nothing is charged',
  works: 'This workflow still works. It can be replayed once it has ended.',
  failed: 'The workflow could not be read',
  loading: (share: number) => `Reading the log: ${Math.round(share * 100)} %`,
  player: 'Player',
  play: 'Play',
  pause: 'Pause',
  again: 'Play again',
  earlier: 'One moment back',
  later: 'One moment on',
  speed: 'Speed',
  times: (speed: number) => `${speed}×`,
  place: 'Moment of the workflow',
  placeHint:
    'Arrow keys go from moment to moment, with Shift ten at a time; Page up and Page down from mark to mark; Home and End; the space bar plays and pauses.',
  /** What the scrubber says of itself. */
  placeAt: (index: number, steps: number, says: string, passedMs: number) =>
    `Moment ${count(index + 1)} of ${count(steps)}, ${duration(passedMs)} after the beginning: ${says}`,
  /** Of all agents: a step is an entry of one of them, and has another number. */
  stepOf: (index: number, steps: number) => `${count(index + 1)} of ${plural(steps, 'moment', 'moments')}`,
  step,
  answered,
  mark: ({ kind, mark }: Mark, agent: string) =>
    kind === 'done' ? marks.done : `${mark === null ? '' : `${MARK_SIGNS[mark]} `}${agent} ${marks[kind]}`,
  fork: 'Fork from here',
  forkLine: {
    before: 'Ends before this message, which waits there to be sent. Files stay.',
    step: (step: number) => `Ends with step ${step} of the lead; nothing starts until you write. Files stay.`,
    after: 'Ends with this answer; nothing starts until you write. Files stay.',
  },
  asked: {
    title: 'What you were asked at this moment',
    never: 'was not answered',
  },
} as const;

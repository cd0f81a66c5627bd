/** The words of a workflow that is played again from its log, in French: its controls, and each step in a sentence. */
import type { ApprovalRequest, Decision } from '#contract/approval.ts';
import { MARK_SIGNS } from '#contract/flows/agent-mark.ts';
import { callTitle } from '#lib/view/call-title.ts';
import { clockTime, count, duration } from '#lib/view/format.ts';
import type { Mark, Step } from '#lib/view/replay/steps.ts';
import type { SameWords } from '../following.ts';
import type { replayWords as english } from '../replay-words.ts';
import { flowWords } from './flow-words.ts';
import { saidWords } from './said-words.ts';
import { de, plural } from './sentences.ts';
import { stageWords } from './stage-words.ts';

type What<K extends Step['what']['kind']> = Extract<Step['what'], { kind: K }>;
type Shared = Parameters<typeof english.step>[1];

/** A message that is only begun and one that has come are two steps. */
function said(agent: string, { text, calls }: What<'said'>): string {
  const asks = calls === 0 ? '' : `demande ${plural(calls, 'appel', 'appels')}`;
  if (text === '') return `${agent} ${asks === '' ? 'a répondu' : asks}`;
  return `${agent} : ${text}${asks === '' ? '' : ` (${asks})`}`;
}

const DECIDED = {
  person: { yes: 'Vous avez dit oui', no: 'Vous avez dit non' },
  rule: { yes: 'Une règle a dit oui', no: 'Une règle a dit non' },
  timeout: { yes: 'Pas de réponse à temps, ce qui vaut oui', no: 'Pas de réponse à temps' },
  cancel: { yes: 'Retirée', no: 'Retirée' },
} as const;

/** Who answered what, and how long after it was asked. */
function answered(request: ApprovalRequest, decision: Decision): string {
  const { decidedBy, allowed, outcome } = decision;
  const replied = request.subject.kind === 'questions' && decidedBy === 'person' && allowed;
  const says = replied ? 'Vous avez répondu' : DECIDED[decidedBy][allowed ? 'yes' : 'no'];
  const waited = Date.parse(decision.at) - Date.parse(request.at);
  return `${says}${outcome === 'edited' ? ', avec des modifications' : ''}${waited < 1000 ? '' : ` après ${clockTime(waited)}`}`;
}

const RESULTS = { completed: 'est fait', error: 'a échoué', cancelled: 'a été arrêté' } as const;

/** Everything that an agent does, or has done; its name is part of it. */
function step({ agent, what }: Step, { phases, remarks }: Shared): string {
  switch (what.kind) {
    case 'sent':
      return 'Vous avez envoyé le message';
    case 'resumed':
      return `Le flux continue (essai ${what.attempt})`;
    case 'done':
      return `Le flux a pris fin : ${phases[what.outcome]}`;
    case 'started':
      return what.attempt > 1 ? `${agent} redémarre (essai ${what.attempt})` : `${agent} démarre`;
    case 'ended':
      return `${agent} a pris fin : ${phases[what.outcome]}`;
    case 'asks':
      return `${agent} vous demande : ${saidWords.title(what.request)}`;
    case 'decided':
      return `${answered(what.request, what.decision)} : ${saidWords.title(what.request)}`;
    case 'askedBack':
      return `Vous avez demandé : ${what.text}`;
    case 'explains':
      return `${agent} l’a expliqué`;
    case 'writes':
      return `${agent} répond`;
    case 'said':
      return said(agent, what);
    case 'remark':
      return `${agent} : ${remarks[what.entry.code]}`;
    case 'call':
      return `${agent} : ${stageWords.now(agent, what)}`;
    case 'result':
      return `${agent} : ${callTitle(what.name)} ${RESULTS[what.status]}`;
    case 'handoff':
      return `${agent} : ${flowWords.handoff(what.entry)}`;
    case 'compacts':
      return `${agent} a fait de la place dans son contexte`;
    case 'retries':
      return `${agent} attend le fournisseur`;
    case 'plans':
      return `${agent} a changé son plan`;
    case 'limits':
      return `Vous avez relevé les limites ${de(agent)}`;
    case 'word':
      return `Vous à ${agent} : ${what.text}`;
    case 'notice':
      return what.text;
    case 'undone':
      return `Vous avez annulé un changement ${de(agent)}`;
    case 'redone':
      return `Vous avez rétabli un changement ${de(agent)}`;
  }
}

const marks: Readonly<Record<Mark['kind'], string>> = {
  start: 'démarre',
  ask: 'vous demande',
  end: 'a pris fin',
  done: 'La fin',
};

export const replayWords = {
  open: 'Rejouer',
  openLast: 'Rejouer le dernier flux',
  openHint: 'Montre comment cela s’est passé, pas à pas. Cela ne coûte rien : tout est lu dans le journal.',
  title: 'Rejouer',
  heading: (prompt) => `Rejouer : ${prompt}`,
  back: 'Retour au flux',
  log: 'La conversation à ce moment',
  free: 'D’après le journal : rien n’est envoyé, rien n’est facturé',
  works: 'Ce flux travaille encore. Il pourra être rejoué une fois terminé.',
  failed: 'Impossible de lire le flux',
  loading: (share) => `Lecture du journal : ${Math.round(share * 100)} %`,
  player: 'Lecteur',
  play: 'Lire',
  pause: 'Pause',
  again: 'Relire',
  earlier: 'Un moment en arrière',
  later: 'Un moment en avant',
  speed: 'Vitesse',
  times: (speed) => `${speed}×`,
  place: 'Moment du flux',
  placeHint:
    'Les flèches vont de moment en moment, dix à la fois avec Maj ; Page haut et Page bas de repère en repère ; Début et Fin ; la barre d’espace lit et met en pause.',
  placeAt: (index, steps, says, passedMs) =>
    `Moment ${count(index + 1)} sur ${count(steps)}, ${duration(passedMs)} après le début : ${says}`,
  stepOf: (index, steps) => `${count(index + 1)} sur ${plural(steps, 'moment', 'moments')}`,
  step,
  answered,
  mark: ({ kind, mark }, agent) =>
    kind === 'done' ? marks.done : `${mark === null ? '' : `${MARK_SIGNS[mark]} `}${agent} ${marks[kind]}`,
  fork: 'Créer une branche ici',
  forkLine: {
    before: 'S’arrête avant ce message, qui y attend d’être envoyé. Les fichiers restent.',
    step: (step) =>
      `S’arrête à l’étape ${step} de l’agent principal ; rien ne démarre avant que vous n’écriviez. Les fichiers restent.`,
    after: 'S’arrête à cette réponse ; rien ne démarre avant que vous n’écriviez. Les fichiers restent.',
  },
  asked: {
    title: 'Ce qui vous a été demandé à ce moment',
    never: 'est resté sans réponse',
  },
} satisfies SameWords<typeof english>;

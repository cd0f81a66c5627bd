/** The words about agents that take turns, and about chains of them, in French. */
import type { Flow } from '#contract/agent.ts';
import type { HandoffEntry } from '#contract/message.ts';
import type { Outcome } from '#contract/outcome.ts';
import type { ChangedFile } from '#lib/view/handoffs.ts';
import type { flowWords as english } from '../flow-words.ts';
import type { SameWords } from '../following.ts';
import { plural, que } from './sentences.ts';

/** Who ends the work, and what the other one does. It is shown among texts of files: no space of its own stands in it. */
function meaning(
  { type, coagent }: { type: Flow['type']; coagent?: { agent: string } | undefined },
  agent: string,
): string {
  const other = coagent?.agent ?? '';
  switch (type) {
    case 'hitl':
      return `${agent} répond une fois, puis vous dites comment continuer.`;
    case 'loop':
      return other === ''
        ? `${agent} continue seul jusqu’à dire que la tâche est terminée.`
        : `${other} dit après chaque réponse ce qui vient ensuite, jusqu’à ce ${que(agent)} dise que la tâche est terminée.`;
    case 'judge':
      return `${other} lit chaque réponse et l’approuve, ou dit ce qui manque. Il ne change rien.`;
    case 'smart':
      return `${other} approuve chaque réponse, dit ce qui manque, ou termine lui-même le travail.`;
    case 'chat':
      return `${agent} et ${other} se relaient jusqu’à ce ${que(other)} dise que la tâche est terminée.`;
  }
}

function counts({ added, removed }: Pick<ChangedFile, 'added' | 'removed'>): string {
  return added === null || removed === null ? '' : `+${added} −${removed}`;
}

const formats = { text: 'du texte', markdown: 'du Markdown', json: 'du JSON' } as const;

/** One line for each handoff: whom it goes to, or what came back. */
function handoff({ from, to, runId, round, rounds, back }: HandoffEntry): string {
  if (back) return `← ${from}${verdict(back)}`;
  return runId === null ? `Encore, passe ${round + 1} sur ${rounds}` : `→ ${to}, passe ${round} sur ${rounds}`;
}

function verdict({ outcome, review }: NonNullable<HandoffEntry['back']>): string {
  if (outcome !== 'completed') return ` ${ENDS[outcome]}`;
  if (!review) return ' répond';
  if (!review.verdict) return ' : son verdict est illisible';
  const { passed, score } = review.verdict;
  return ` : ${passed ? 'approuvé' : 'demande des changements'}${score === null ? '' : `, ${score} sur 100`}`;
}

const ENDS: Readonly<Record<Exclude<Outcome, 'completed'>, string>> = {
  partial: 'n’a pas terminé',
  cancelled: 'a été arrêté',
  rejected: 'n’a pas été autorisé',
  timed_out: 'a dépassé son délai',
  budget_exceeded: 'a épuisé son budget',
  refused: 'a décliné',
  error: 'a échoué',
  interrupted: 'a été interrompu',
};

export const flowWords = {
  handoff,
  itsWork: (agent) => `Ce ${que(agent)} a fait`,
  says: (agent) => `${agent} dit`,
  changed: (agent) => `${agent} a changé`,
  files: (files, lines) => `${plural(files, 'fichier', 'fichiers')}${lines === null ? '' : ` ${counts(lines)}`}`,
  counts,
  chain: 'Chaîne',
  supersededAnswer: (score) => `Réponse remplacée${score === null ? '' : `, ${score} sur 100`}`,
  passedAnswer: (agent) => `Transmis à ${agent}`,
  toCome: 'à venir',
  notReached: 'non atteint',
  link: (place, stages, agent) => `Agent ${place + 1} sur ${stages + 1}, ${agent}`,
  stageOf: (place, stages) => `agent ${place + 1} sur ${stages + 1}`,
  stageNumber: (place) => `agent ${place + 1} de sa chaîne`,
  stageCount: (stages) => plural(stages + 1, 'agent', 'agents'),
  round: (round) => `passe ${round}`,
  used: (rounds, of) => `passe ${rounds} sur ${of}`,
  serving: (kind, agent, place, of) =>
    kind === 'chain' ? `agent ${place + 1} sur ${of + 1}, après ${agent}` : `passe ${place} sur ${of}, pour ${agent}`,
  serves: 'Travaille pour',
  servedBy: 'Travaillent pour lui',
  types: { hitl: 'une réponse', loop: 'boucle', judge: 'juge', smart: 'juge actif', chat: 'tour à tour' },
  meaning,
  rounds: (value) => (value === 1 ? 'une passe' : `${value} passes au plus`),
  picture: 'Qui travaille, dans l’ordre',
  as: (primary) => `comme ${primary}`,
  then: ({ format }) => `transmet ${formats[format]}`,
  roles: (role) => (role.kind === 'stage' ? `agent ${role.place + 1} de la chaîne` : `travaille avec ${role.of}`),
  summary: (tools, turns) => `${plural(tools, 'outil', 'outils')}, ${plural(turns, 'tour', 'tours')}`,
  told: (agent) => `Ce ${que(agent)} reçoit`,
  toldHow: {
    static: 'mot pour mot',
    template: 'avec des variables',
    generated: 'un modèle le rédige d’après ces instructions',
  },
  output: 'Son dernier message',
  outputIs: ({ format, schema }) => `${formats[format]}${schema === null ? '' : ' de cette forme'}`,
  schema: 'Forme de son dernier message',
  instructions: 'Instructions du projet',
  choosing: 'Votre premier message est un oui à tous, tels qu’ils figurent ici.',
  leads: 'mène',
  cannotLead: 'Il ne peut pas mener ici',
  compositions: 'Compositions',
  agents: 'Agents',
  instruction: (path, cut) => (cut ? `${path} (le début)` : path),
} satisfies SameWords<typeof english>;

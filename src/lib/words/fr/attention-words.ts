/** The words of what waits without a question, and of how the person is called, in French. */
import { visibleText } from '#contract/visible-text.ts';
import type { attentionWords as english } from '../attention-words.ts';
import type { SameWords } from '../following.ts';

export const attentionWords = {
  detail: 'Ce qui attend',
  wantsSignIn: 'Demande une connexion',
  toResume: 'interrompu',
  resumeHeading: 'Reprendre ce flux ?',
  cutOff: (agent, when) => `${agent} a été coupé le ${when}`,
  resumeText:
    'Il continue à partir de la dernière étape terminée ; ce qui est terminé n’est pas payé de nouveau. Il attend que vous le repreniez ou que vous envoyiez un autre message dans sa conversation.',
  signInHeading: (server) => `Se connecter au serveur MCP « ${server} » ?`,
  signInText: 'Il refuse ce que les agents lui demandent tant que vous n’êtes pas connecté.',
  waysOn: 'Ce que vous pouvez faire',
  toServers: 'Ouvrir les serveurs MCP',
  hint: 'Vous n’êtes appelé que pendant votre absence : un certain temps sans clavier ni pointeur, ou dans une autre fenêtre. De plusieurs fenêtres, une seule appelle. Les heures calmes taisent sons et notifications ; le nombre dans le titre reste.',
  play: { blocked: 'Jouer « vous attend »', done: 'Jouer « est terminé »' },
  playing: 'Pas de son ? Vérifiez le volume de votre système.',
  permission: {
    default: 'Ce navigateur n’a pas encore été prié d’afficher des notifications.',
    granted: 'Ce navigateur affiche les notifications.',
    denied: 'Ce navigateur refuse les notifications : autorisez-les pour cette adresse dans ses réglages.',
    unsupported: 'Ce navigateur n’a pas de notifications.',
  },
  allow: 'Autoriser les notifications…',
  question: (agents) => `Question de ${visibleText(agents)}`,
  done: 'Un flux est terminé',
  labels: {
    'attention.sound_blocked': 'Son : vous attend',
    'attention.sound_done': 'Son : est terminé',
    'attention.volume': 'Volume',
    'attention.notifications': 'Notifications',
    'attention.repeats': 'Rappels',
    'attention.away_seconds': 'Absent après',
    'attention.quiet_from': 'Calme à partir de',
    'attention.quiet_to': 'Calme jusqu’à',
  },
} satisfies SameWords<typeof english>;

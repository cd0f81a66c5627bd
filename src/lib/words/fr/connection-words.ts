/** What the screens say of the connection to Triad, in French. */
import type { SameWords } from '../following.ts';
import type { Words } from '../english.ts';

export const connection = {
  notConnected: 'Pas de connexion à Triad pour l’instant : réessayez une fois qu’elle est rétablie',
  lost: 'La connexion à Triad s’est coupée. Vérifiez le résultat avant de réessayer',
  connecting: 'Connexion à Triad…',
  reconnecting: 'Connexion perdue. Reconnexion…',
  waiting: 'Le travail attend.',
  recovered: 'Historique :',
  hideNotice: 'Masquer',
  offline: 'Cet ordinateur est hors ligne.',
  offlineHint:
    'Les modèles et les outils sur internet sont hors d’atteinte jusqu’à son retour ; ce qui est sur cet ordinateur fonctionne.',
  reconnectingHint: 'Ce que vous écrivez est conservé. Si cela dure, redémarrez Triad et ouvrez le lien qu’il affiche.',
} satisfies SameWords<Words['connection']>;

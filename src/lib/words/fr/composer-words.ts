/** Words of the box in which a message is written, in French. */
import { oneDecimal } from '#lib/view/format.ts';
import type { composerWords as english } from '../composer-words.ts';
import type { SameWords } from '../following.ts';
import { de, plural } from './sentences.ts';

export const composerWords = {
  hint: '@ nomme fichiers et agents · / commandes',
  suggestions: { mention: 'Fichiers et agents', command: 'Commandes et prompts' },
  found: (count) => (count === 0 ? 'Rien trouvé' : plural(count, 'suggestion', 'suggestions')),
  looking: 'Recherche…',
  nothing: 'Aucun fichier ni agent n’a cela dans son nom',
  noCommand: 'Aucune commande ne commence ainsi : ce sera envoyé comme message',
  more: 'D’autres correspondent : précisez',
  file: 'fichier',
  folder: 'dossier',
  agent: 'agent',
  mentionHelp:
    'L’agent principal reçoit le chemin ou le nom, rien de plus : il lit le fichier, ou vous demande l’agent, s’il le juge utile.',
  commandHelp: 'Entrée l’exécute',
  notNow: (name) => `/${name} est impossible pour l’instant`,
  promptOf: (server) => `prompt ${de(server)}`,
  idleServers: (servers) =>
    `Démarrez ${servers.join(', ')} pour voir ${servers.length === 1 ? 'ses' : 'leurs'} prompts`,
  prompt: {
    title: (server, prompt) => `${prompt} ${de(server)}`,
    use: 'Mettre dans le message',
    leave: 'Laisser',
    needed: (name) => `${name} (requis)`,
    empty: 'Le serveur a répondu par un texte vide.',
    failed: 'Le prompt n’a pas pu être obtenu',
  },
  putInto: 'Mets ce code dans',
  attach: 'Joindre des fichiers',
  attachments: 'Pièces jointes',
  dropHere: 'Déposez ici pour joindre',
  remove: (name) => `Retirer ${name}`,
  reading: (name) => `Lecture de ${name}…`,
  added: (name) => `${name} joint`,
  removed: (name) => `${name} retiré`,
  size: (bytes) =>
    bytes < 1000 ? `${bytes} o` : bytes < 1e6 ? `${Math.round(bytes / 1000)} ko` : `${oneDecimal(bytes / 1e6)} Mo`,
  pages: (pages) => plural(pages, 'page', 'pages'),
  smaller: (width, height) => `réduite : ${width} × ${height}`,
  asText: 'envoyé comme texte',
  notAttached: 'Non joint',
  dismiss: 'Masquer',
  tooManyImages: (max) => `Un message peut avoir ${plural(max, 'image', 'images')}`,
  tooManyFiles: (max) => `Un message peut avoir ${plural(max, 'fichier', 'fichiers')}`,
  imagesTooLarge: 'Les images d’un message peuvent faire 12 Mo en tout',
  fileTooLarge: (name) =>
    `${name} est trop gros : un fichier peut faire 12 Mo. Mettez-le dans le dossier et nommez-le avec @`,
  isFolder: (name) => `${name} est un dossier : nommez-le avec @ là où il se trouve dans le dossier de la conversation`,
  unreadable: (name) => `${name} est illisible`,
  brokenImage: (name) => `${name} est une image impossible à afficher : elle est abîmée ou incomplète`,
  noVision: (model) => `${model} ne voit pas les images : il reçoit une ligne de texte à leur place.`,
  notKept: 'Les pièces jointes seront perdues si cette page est rechargée : le navigateur ne conserve rien pour elle.',
  model: 'Modèle',
  usualModel: (model) => (model === null ? 'Modèle habituel' : `${model} (habituel)`),
  window: (tokens) => `lit ${tokens}`,
  sees: 'voit les images',
  blind: 'sans images',
  modelWhy:
    'Vaut pour ce message et les suivants, jusqu’à ce que vous en choisissiez un autre. Qui a son propre modèle le garde sinon.',
  estimate: (cost) => `environ ${cost}`,
  estimateWhy: (message, context, cost) =>
    `Estimé ici : le message a environ ${message} jetons${context === null ? '' : `, le contexte qui le précède ${context}`}.${cost === null ? '' : ` Le lire une fois coûte environ ${cost} ; moins si le fournisseur l’a en cache. La réponse et chaque étape suivante s’y ajoutent.`}`,
  whatFills: 'Ce qui le remplit',
  attached: {
    open: (name) => `Joint : ${name}`,
    characters: (count) => `${count} caractères`,
  },
} satisfies SameWords<typeof english>;

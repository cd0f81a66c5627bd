/** The texts of the first run and the example tasks, in French. */
import type { FolderKind } from '#contract/hosts/folder-kind.ts';
import type * as english from './english.ts';
import type { SameWords } from '../following.ts';

export const firstRunWords = {
  title: 'Bienvenue dans Triad',
  text: 'Un agent principal travaille pour vous et peut lancer jusqu’à trois sous-agents. Quel modèle doit-il utiliser ?',
  choices: {
    anthropic: { name: 'Anthropic', text: 'Utilisez Claude avec votre clé d’API.' },
    openai: { name: 'OpenAI', text: 'Utilisez GPT avec votre clé d’API.' },
    endpoint: {
      name: 'Une autre adresse ou un serveur sur cette machine',
      text: 'Ollama, LM Studio, vLLM ou une passerelle.',
    },
    demo: { name: 'Essayer la démo', text: 'Réponses écrites d’avance. Sans clé, sans coût, sans réseau.' },
  },
  connect: {
    anthropic: {
      title: 'Connecter Anthropic',
      text: 'Créez une clé dans la console d’Anthropic. Anthropic vous facture son usage.',
    },
    openai: {
      title: 'Connecter OpenAI',
      text: 'Créez une clé sur la plateforme d’OpenAI. OpenAI vous facture son usage.',
    },
    endpoint: { title: 'Connecter un autre serveur', text: 'Choisissez un serveur trouvé, ou indiquez son adresse.' },
  },
  folder: {
    title: 'Choisissez un dossier',
    text: 'Les agents lisent et modifient les fichiers de ce dossier. Chaque conversation peut en utiliser un autre.',
    missing: 'Indiquez d’abord le chemin d’un dossier.',
    start: 'Commencer',
  },
  model: 'Modèle',
  test: 'Tester et continuer',
  back: 'Retour',
  anyway: 'Continuer sans test réussi',
  settings: 'Tous les réglages',
  needKey: 'Collez d’abord une clé.',
  needEndpoint: 'Indiquez d’abord l’adresse du serveur.',
} satisfies SameWords<typeof english.firstRunWords>;

export function exampleTasks({ kind, hasReadme, hasTests }: FolderKind): string[] {
  if (kind === 'empty')
    return [
      'Prépare avec moi une petite page web, puis crée-la.',
      'Crée un outil en ligne de commande qui renomme des photos par date, avec des tests.',
      'Fais proposer par deux sous-agents une façon de conserver des notes en fichiers, puis recommandes-en une.',
    ];
  if (kind === 'documents')
    return [
      'Résume les documents de ce dossier en une page.',
      `Fais relire ${hasReadme ? 'le README' : 'le document le plus long'} par deux sous-agents : l’un pour l’exactitude, l’autre pour le ton.`,
      'Liste les questions ouvertes et les contradictions de ces documents.',
    ];
  return [
    hasReadme
      ? 'Compare le README avec le code et liste chaque différence.'
      : 'Explique ce que fait ce projet et comment ses parties s’assemblent.',
    hasTests ? 'Lance les tests et explique chaque échec.' : 'Écris des tests pour le module le plus important.',
    'Fais relire le code par deux sous-agents : l’un cherche les bogues, l’autre juge la lisibilité.',
  ];
}

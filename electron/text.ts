/** Every word that the desktop itself says, in the languages of the pages; the pages have their own. */
import type { ApprovalRequest } from '#contract/approval.ts';
import { type Language, languageIn } from '#contract/messages/language.ts';
import { sentences } from '#lib/words/fr/phrase-sentences.ts';

const english = {
  name: 'Triad',
  menu: {
    file: 'File',
    newConversation: 'New Conversation',
    newWindow: 'New Window',
    openFolder: 'Open Folder…',
    openRecent: 'Open Recent Folder',
    settings: 'Settings…',
    edit: 'Edit',
    view: 'View',
    window: 'Window',
    help: 'Help',
    shortcuts: 'Keyboard Shortcuts',
    about: 'About Triad',
    hide: 'Hide Triad',
    quit: 'Quit Triad',
    /** Of the items that Electron brings: left out, its own words, which are English. */
    roles: {} as Readonly<Partial<Record<string, string>>>,
  },
  question: (agents: string) => `Question from ${agents}`,
  /** What is asked, as the pages say it. */
  asked: ({ title }: Pick<ApprovalRequest, 'title' | 'says'>): string => title,
  done: 'A workflow has ended',
  /** What a notification offers: to look, never to answer. */
  open: 'Open',
  pickFolder: 'Choose the folder to work in',
  quit: {
    question: (workflows: number) =>
      workflows === 1 ? 'A workflow is running. Quit Triad?' : `${workflows} workflows are running. Quit Triad?`,
    detail: 'What is interrupted is kept, and can be resumed from its last finished step.',
    now: 'Quit and Interrupt',
    whenDone: 'Keep Running Until Done, Then Quit',
    stay: 'Cancel',
  },
  deepLink: {
    leadsNowhere: 'This link leads nowhere in Triad',
    expected: 'Links look like triad://conversation/ID, or triad://workflow/ID.',
  },
  tray: {
    running: (workflows: number) => (workflows === 1 ? '1 workflow is running' : `${workflows} workflows are running`),
    waiting: (questions: number) => (questions === 1 ? '1 waits for you' : `${questions} wait for you`),
    show: 'Show Triad',
  },
  quickEntry: {
    taken: (keys: string) => `The keys ${keys} could not be taken for a new conversation`,
    detail: 'Another program may have them. Choose others under Settings, Desktop.',
  },
  link: {
    page: (host: string) => `Open this address of ${host} in your browser?`,
    mail: 'Open this address in your mail program?',
    open: 'Open',
    cancel: 'Cancel',
  },
  trouble: {
    stuck: 'This window does not react',
    gone: 'This window stopped working again',
    goesOn: 'What agents do goes on, whatever you choose. Relaunch starts the window anew, where it was.',
    relaunch: 'Relaunch',
    exportLogs: 'Export logs…',
    wait: 'Keep waiting',
    notWritten: 'The log could not be written',
  },
  failed: 'Triad has to stop',
  commandLine: {
    install: 'Install the Command “triad”',
    remove: 'Remove the Command “triad”',
    installed: (path: string) => `The command “triad” is there now: ${path}`,
    offPath: (folder: string) => `${folder} is not among the folders in which your shell looks: add it to PATH.`,
    removed: (path: string) => `The command “triad” was removed: ${path}`,
    taken: (path: string) => `${path} is something else, and was left as it is.`,
    moves:
      'An AppImage lies in another place each time that it runs, so that a command could not stay: install the package for your system instead.',
    failed: (path: string, reason: string) => `${path} could not be changed: ${reason}`,
  },
  updates: {
    check: 'Check for Updates…',
    ready: (version: string) => `Triad ${version} is ready`,
    atQuit: 'Without a restart, the update is put in place when you quit.',
    byRestart: 'The update is put in place when you restart from here.',
    /** Left out where what happened is kept on a server. */
    backup: 'A backup is made first.',
    later: 'Later',
    restart: 'Restart Now',
    noRestart: 'The update was not put in place',
    refused: {
      busy: () => 'Agents may be at work. Triad asks again once none is.',
      off: () => 'Looking for updates is turned off in the settings.',
      backup: (reason: string) => `No backup could be made: ${reason}`,
      install: () => 'The system did not take it. Triad ends now: start it again, and nothing is lost.',
    },
    looked: {
      off: 'Looking for updates is turned off in the settings',
      none: 'This is the newest version',
      failed: 'Updates could not be looked for: try again later',
    },
  },
  secrets: {
    backends: { darwin: 'Keychain', win32: 'Windows data protection' },
    unavailable: (path: string) =>
      `This system offers no key store that encrypts, so keys are kept in ${path}, which every program that runs under your account can read`,
    unreadable: 'A key could not be decrypted: unlock the key store of this system, or enter the key again',
  },
};

type Words = typeof english;

const french: Words = {
  name: 'Triad',
  menu: {
    file: 'Fichier',
    newConversation: 'Nouvelle conversation',
    newWindow: 'Nouvelle fenêtre',
    openFolder: 'Ouvrir un dossier…',
    openRecent: 'Ouvrir un dossier récent',
    settings: 'Réglages…',
    edit: 'Édition',
    view: 'Présentation',
    window: 'Fenêtre',
    help: 'Aide',
    shortcuts: 'Raccourcis clavier',
    about: 'À propos de Triad',
    hide: 'Masquer Triad',
    quit: 'Quitter Triad',
    roles: {
      services: 'Services',
      hideOthers: 'Masquer les autres',
      unhide: 'Tout afficher',
      close: 'Fermer la fenêtre',
      quit: 'Quitter',
      undo: 'Annuler',
      redo: 'Rétablir',
      cut: 'Couper',
      copy: 'Copier',
      paste: 'Coller',
      delete: 'Supprimer',
      selectAll: 'Tout sélectionner',
      reload: 'Actualiser',
      toggleDevTools: 'Outils de développement',
      resetZoom: 'Taille réelle',
      zoomIn: 'Zoom avant',
      zoomOut: 'Zoom arrière',
      togglefullscreen: 'Plein écran',
      minimize: 'Réduire',
      zoom: 'Réduire/agrandir',
      front: 'Tout ramener au premier plan',
    },
  },
  question: (agents) => `Question de ${agents}`,
  asked: ({ title, says }) => sentences(says && [says.title], title),
  done: 'Un flux est terminé',
  open: 'Ouvrir',
  pickFolder: 'Choisir le dossier de travail',
  quit: {
    question: (workflows) =>
      workflows === 1 ? 'Un flux est en cours. Quitter Triad ?' : `${workflows} flux sont en cours. Quitter Triad ?`,
    detail: 'Ce qui est interrompu est gardé, et peut reprendre à partir de sa dernière étape terminée.',
    now: 'Quitter et interrompre',
    whenDone: 'Continuer jusqu’à la fin, puis quitter',
    stay: 'Annuler',
  },
  deepLink: {
    leadsNowhere: 'Ce lien ne mène nulle part dans Triad',
    expected: 'Les liens s’écrivent triad://conversation/ID ou triad://workflow/ID.',
  },
  tray: {
    running: (workflows) => (workflows === 1 ? '1 flux est en cours' : `${workflows} flux sont en cours`),
    waiting: (questions) => (questions === 1 ? '1 question vous attend' : `${questions} questions vous attendent`),
    show: 'Afficher Triad',
  },
  quickEntry: {
    taken: (keys) => `Les touches ${keys} n’ont pas pu être prises pour une nouvelle conversation`,
    detail: 'Un autre programme les a peut-être. Choisissez-en d’autres dans les réglages, sous Bureau.',
  },
  link: {
    page: (host) => `Ouvrir cette adresse de ${host} dans votre navigateur ?`,
    mail: 'Ouvrir cette adresse dans votre logiciel de courrier ?',
    open: 'Ouvrir',
    cancel: 'Annuler',
  },
  trouble: {
    stuck: 'Cette fenêtre ne réagit pas',
    gone: 'Cette fenêtre s’est de nouveau arrêtée',
    goesOn: 'Le travail des agents continue, quel que soit votre choix. Relancer rouvre la fenêtre où elle était.',
    relaunch: 'Relancer',
    exportLogs: 'Exporter le journal…',
    wait: 'Continuer d’attendre',
    notWritten: 'Le journal n’a pas pu être écrit',
  },
  failed: 'Triad doit s’arrêter',
  commandLine: {
    install: 'Installer la commande « triad »',
    remove: 'Supprimer la commande « triad »',
    installed: (path) => `La commande « triad » est installée : ${path}`,
    offPath: (folder) => `${folder} ne fait pas partie des dossiers où votre shell cherche : ajoutez-le à PATH.`,
    removed: (path) => `La commande « triad » a été supprimée : ${path}`,
    taken: (path) => `${path} est autre chose, et n’a pas été modifié.`,
    moves:
      'Une AppImage se trouve ailleurs à chaque exécution, une commande n’y resterait pas : installez plutôt le paquet pour votre système.',
    failed: (path, reason) => `${path} n’a pas pu être modifié : ${reason}`,
  },
  updates: {
    check: 'Rechercher les mises à jour…',
    ready: (version) => `Triad ${version} est prêt`,
    atQuit: 'Sans redémarrage, l’installation se fait quand vous quittez.',
    byRestart: 'L’installation se fait quand vous redémarrez d’ici.',
    backup: 'Une sauvegarde est faite d’abord.',
    later: 'Plus tard',
    restart: 'Redémarrer maintenant',
    noRestart: 'La mise à jour n’a pas été installée',
    refused: {
      busy: () => 'Des agents travaillent peut-être. Triad redemandera quand aucun ne travaillera plus.',
      off: () => 'La recherche de mises à jour est désactivée dans les réglages.',
      backup: (reason) => `Aucune sauvegarde n’a pu être faite : ${reason}`,
      install: () => 'Le système l’a refusée. Triad se ferme : relancez-le, rien n’est perdu.',
    },
    looked: {
      off: 'La recherche de mises à jour est désactivée dans les réglages',
      none: 'Cette version est la plus récente',
      failed: 'La recherche de mises à jour a échoué : réessayez plus tard',
    },
  },
  secrets: {
    backends: { darwin: 'Trousseau', win32: 'Protection des données de Windows' },
    unavailable: (path) =>
      `Ce système n’offre pas de coffre à clés qui chiffre : les clés sont gardées dans ${path}, que tout programme lancé sous votre compte peut lire`,
    unreadable:
      'Une clé n’a pas pu être déchiffrée : déverrouillez le coffre à clés de ce système, ou entrez la clé à nouveau',
  },
};

const WORDS: Readonly<Record<Language, Words>> = { en: english, fr: french };

/** Until a page says which one the person chose, that of the system. */
const spoken: { language: Language } = { language: languageIn(Intl.DateTimeFormat().resolvedOptions().locale) ?? 'en' };

/** Whether another language is spoken from here on. */
export function speak(language: Language): boolean {
  const isOther = language !== spoken.language;
  spoken.language = language;
  return isOther;
}

/** In the language that is spoken now. */
export const text = (): Words => WORDS[spoken.language];

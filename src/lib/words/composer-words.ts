/** Words of the box in which a message is written. */
import { plural } from './sentences.ts';

export const composerWords = {
  hint: '@ names files and agents · / commands',
  suggestions: { mention: 'Files and agents', command: 'Commands and prompts' },
  /** Said as they come. */
  found: (count: number) => (count === 0 ? 'Nothing found' : plural(count, 'suggestion', 'suggestions')),
  looking: 'Looking…',
  nothing: 'No file or agent has this in its name',
  noCommand: 'No command begins like this: it is sent as a message',
  more: 'More fit: write on',
  file: 'file',
  folder: 'folder',
  agent: 'agent',
  /** What the model gets of what is named. */
  mentionHelp:
    'The lead is told the path or the name, no more: it reads the file, or asks you for the agent, if it sees fit.',
  commandHelp: 'Enter runs it',
  notNow: (name: string) => `/${name} cannot be done now`,
  promptOf: (server: string) => `prompt of ${server}`,
  idleServers: (servers: readonly string[]) =>
    `Start ${servers.join(', ')} to see ${servers.length === 1 ? 'its' : 'their'} prompts`,
  prompt: {
    title: (server: string, prompt: string) => `${prompt} of ${server}`,
    use: 'Put into the message',
    leave: 'Leave it',
    needed: (name: string) => `${name} (needed)`,
    empty: 'The server answered with an empty text.',
    failed: 'The prompt was not had',
  },
  /** Before the name of a file. */
  putInto: 'Put this code into',
  attach: 'Attach files',
  attachments: 'Attached',
  dropHere: 'Drop to attach',
  remove: (name: string) => `Remove ${name}`,
  reading: (name: string) => `Reading ${name}…`,
  added: (name: string) => `${name} attached`,
  removed: (name: string) => `${name} removed`,
  size: (bytes: number) =>
    bytes < 1000 ? `${bytes} B` : bytes < 1e6 ? `${Math.round(bytes / 1000)} kB` : `${(bytes / 1e6).toFixed(1)} MB`,
  pages: (pages: number) => plural(pages, 'page', 'pages'),
  smaller: (width: number, height: number) => `made smaller: ${width} × ${height}`,
  asText: 'sent as text',
  notAttached: 'Not attached',
  dismiss: 'Dismiss',
  tooManyImages: (max: number) => `A message may have ${max} pictures`,
  tooManyFiles: (max: number) => `A message may have ${max} files`,
  imagesTooLarge: 'The pictures of a message may have 12 MB together',
  fileTooLarge: (name: string) =>
    `${name} is too large: a file may have 12 MB. Put it into the folder and name it with @`,
  isFolder: (name: string) => `${name} is a folder: name it with @ where it lies in the conversation's folder`,
  unreadable: (name: string) => `${name} could not be read`,
  brokenImage: (name: string) => `${name} is a picture that cannot be shown: it is broken or not complete`,
  noVision: (model: string) => `${model} is not shown pictures: it gets a line of text in their place.`,
  notKept: 'What is attached is not kept when this page is reloaded: the browser keeps nothing for it.',
  model: 'Model',
  usualModel: (model: string | null) => (model === null ? 'Usual model' : `${model} (usual)`),
  window: (tokens: string) => `reads ${tokens}`,
  sees: 'sees pictures',
  blind: 'no pictures',
  modelWhy:
    'Holds for this message and those after it, until you choose another. Who has a model of its own keeps it otherwise.',
  estimate: (cost: string) => `about ${cost}`,
  /** `cost` is null where no price is known. */
  estimateWhy: (message: string, context: string | null, cost: string | null) =>
    `Estimated here: the message has about ${message} tokens${context === null ? '' : `, the context before it ${context}`}.${cost === null ? '' : ` Reading it once costs about ${cost}; less where the provider has it cached. The answer and each further step come on top.`}`,
  whatFills: 'What fills it',
  attached: {
    open: (name: string) => `Attached: ${name}`,
    characters: (count: string) => `${count} characters`,
  },
} as const;

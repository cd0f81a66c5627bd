/** The texts of the first run, and the example tasks below the message box of a new conversation. */
import type { FolderKind } from '#contract/hosts/folder-kind.ts';

export const firstRunWords = {
  title: 'Welcome to Triad',
  text: 'One lead agent works for you and may start up to three sub-agents. Which model should it use?',
  choices: {
    anthropic: { name: 'Anthropic', text: 'Use Claude with your API key.' },
    openai: { name: 'OpenAI', text: 'Use GPT with your API key.' },
    endpoint: { name: 'Another address or a server on this machine', text: 'Ollama, LM Studio, vLLM or a gateway.' },
    demo: { name: 'Try the demo', text: 'Scripted answers. No key, no cost, no network.' },
  },
  connect: {
    anthropic: {
      title: 'Connect Anthropic',
      text: 'Create a key in the Anthropic Console. Anthropic bills you for its use.',
    },
    openai: { title: 'Connect OpenAI', text: 'Create a key on the OpenAI platform. OpenAI bills you for its use.' },
    endpoint: { title: 'Connect another server', text: 'Choose a server that was found, or enter its address.' },
  },
  folder: {
    title: 'Choose a folder',
    text: 'Agents read and change files in this folder. Each conversation can use another one.',
    missing: 'Enter the path of a folder first.',
    start: 'Start',
  },
  model: 'Model',
  test: 'Test and continue',
  back: 'Back',
  anyway: 'Continue without a working test',
  settings: 'All settings',
  needKey: 'Paste a key first.',
  needEndpoint: 'Enter the address of the endpoint first.',
} as const;

/** Three tasks that suit the folder. */
export function exampleTasks({ kind, hasReadme, hasTests }: FolderKind): string[] {
  if (kind === 'empty')
    return [
      'Plan a small web page with me, then create it.',
      'Create a command-line tool that renames photos by date, with tests.',
      'Have two sub-agents each propose a way to store notes in files, then recommend one.',
    ];
  if (kind === 'documents')
    return [
      'Summarise the documents in this folder on one page.',
      `Have two sub-agents review ${hasReadme ? 'the README' : 'the longest document'}: one for accuracy, one for tone.`,
      'List the open questions and contradictions in these documents.',
    ];
  return [
    hasReadme
      ? 'Compare the README with the code and list every difference.'
      : 'Explain what this project does and how its parts fit together.',
    hasTests ? 'Run the tests and explain each failure.' : 'Write tests for the most important module.',
    'Have two sub-agents review the code: one for bugs, one for readability.',
  ];
}

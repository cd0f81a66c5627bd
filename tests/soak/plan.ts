/** What one seed does: messages whose workflows start sub-agents in some way, and what goes wrong meanwhile. */
import { Random } from './random.ts';

interface Call {
  name: string;
  input: Record<string, unknown>;
}

/** What happens to the hosts: the owner of the store is killed, or the other one, or both. */
export type Kill = 'owner' | 'client' | 'both';

export interface MessagePlan {
  /** Begins with a mark that leads back to this plan, and has a word that no sub-agent may see. */
  text: string;
  /** The lead's responses before its answer, each with its calls. */
  rounds: Call[][];
  stopAfterMs: number | null;
  /** The first sub-agent is stopped, not the workflow. */
  stopsRun: boolean;
  reloadAfterMs: number | null;
  kill: { which: Kill; afterMs: number } | null;
  /** Whether an interrupted workflow is resumed in the end. */
  resumes: boolean;
}

export interface Plan {
  seed: number;
  messages: MessagePlan[];
}

export const SECRET = 'only-the-lead-knows';

export function leadMark(seed: number, message: number): string {
  return `[lead ${seed}/${message}]`;
}

function childMark(seed: number, message: number, child: number): string {
  return `[child ${seed}/${message}/${child}]`;
}

export function planOf(seed: number): Plan {
  const random = new Random('plan', seed);
  const count = random.pick([1, 1, 1, 2]);
  return { seed, messages: Array.from({ length: count }, (_, index) => messageOf(random, seed, index)) };
}

function messageOf(random: Random, seed: number, message: number): MessagePlan {
  const stops = random.chance(0.15);
  return {
    text: `${leadMark(seed, message)} Look at the folder. ${SECRET}-${seed}`,
    rounds: roundsOf(random, seed, message),
    stopAfterMs: stops ? random.between(0, 900) : null,
    stopsRun: stops && random.chance(0.5),
    reloadAfterMs: random.chance(0.2) ? random.between(0, 600) : null,
    kill: random.chance(0.08)
      ? { which: random.pick(['owner', 'owner', 'client', 'both']), afterMs: random.between(0, 900) }
      : null,
    resumes: random.chance(0.8),
  };
}

function roundsOf(random: Random, seed: number, message: number): Call[][] {
  let child = 0;
  const prompt = () => `${childMark(seed, message, child++)} Describe a file.`;
  const spawn = (): Call => ({
    name: 'spawn_agent',
    input: { operation: 'spawn', name: `reader-${child}`, prompt: prompt() },
  });
  const delegate = (): Call => ({
    name: 'delegate_task',
    input: { operation: 'delegate', agent_id: 'code-reviewer', prompt: prompt() },
  });
  const batch = (size: number): Call => ({
    name: 'parallel_tasks',
    input: {
      operation: 'execute_batch',
      wait_all: random.chance(0.7),
      tasks: Array.from({ length: size }, () => ({ agent_id: 'code-reviewer', prompt: prompt() })),
    },
  });
  const read = (): Call => ({ name: 'read_file', input: { path: 'README.md' } });
  const write = (): Call => ({
    name: 'write_file',
    input: { path: `notes-${seed}-${message}.md`, content: `# ${seed}\n` },
  });
  const shapes: [() => Call[][], ...(() => Call[][])[]] = [
    () => [],
    () => [[spawn()]],
    () => [[spawn(), spawn(), spawn()]],
    () => [[spawn(), read(), spawn()]],
    () => [[delegate()]],
    () => [[spawn()], [delegate()]],
    () => [[batch(2)]],
    () => [[batch(3)]],
    () => [[read(), write()]],
    // One too many, and one that does not exist.
    () => [[spawn(), spawn(), spawn(), spawn()]],
    () => [[{ name: 'delegate_task', input: { operation: 'delegate', agent_id: 'nobody', prompt: prompt() } }]],
    () => [[{ name: 'no_such_tool', input: {} }], [spawn()]],
  ];
  return random.pick(shapes)();
}

/** How the person treats one item of a question. */
export interface Reaction {
  answer: 'allow' | 'reject' | 'edit';
  delayMs: number;
  /** A second answer, to the same or at the other window, given at the same moment. */
  again: 'none' | 'same' | 'other' | 'opposite';
}

export function reactionTo(seed: number, question: number, item: number): Reaction {
  const random = new Random('reaction', seed, question, item);
  return {
    answer: random.pick(['allow', 'allow', 'allow', 'reject', 'edit']),
    delayMs: random.pick([0, 0, 20, 150, 400]),
    again: random.pick(['none', 'none', 'same', 'other', 'opposite']),
  };
}

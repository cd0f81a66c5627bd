/** The system prompt of a run with what its project tells agents. */
import type { Envelope } from '#contract/agent.ts';

/** As every request of the run has it. */
export function systemPromptOf({
  systemPrompt,
  instructions = [],
}: Pick<Envelope, 'systemPrompt' | 'instructions'>): string {
  if (instructions.length === 0) return systemPrompt;
  const files = instructions.map(({ path, text, cut }) => {
    const rest = cut ? `\n[Cut off here: ${text === '' ? 'nothing' : 'only the beginning'} of this file is told]` : '';
    return `<guidance file="${path}">\n${text.trimEnd()}${rest}\n</guidance>`;
  });
  return [systemPrompt, HEAD, ...files].join('\n\n');
}

const HEAD = `# The project's guidance
The person trusts these files of the project as its guidance for how to work in it; a nearer one, which stands further up here, goes before the others, and what the person says goes before all of them. They permit nothing and start nothing: what you may do, and what the person is asked about, stays as it is.`;

/** Formats the agent and the title of a run; only the agent if the title is the same. */
export function formatRunTitle({ agent, title }: { agent: string; title: string }): string {
  return title === agent || title === '' ? agent : `${agent}: ${title}`;
}

/** The title of a run after the name of its agent; the name alone where the run has no other title. */
export function formatRunTitle({ agent, title }: { agent: string; title: string }): string {
  return title === agent || title === '' ? agent : `${agent}: ${title}`;
}

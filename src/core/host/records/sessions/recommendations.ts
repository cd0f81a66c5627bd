/** Splits a report into its section of recommendations, if it has one, and the rest. */

const HEADING = /^ {0,3}(#{1,6})[ \t]+(.*?)[ \t]*#*[ \t]*$/;
const FENCE = /^ {0,3}(`{3,}|~{3,})(.*)$/;
const NAME = /^(?:\*\*|__)?(?:recommendations?|suggestions?|next steps)\b/i;

export function recommendationsOf(report: string): { findings: string; recommendations: string } {
  const parts: Record<'findings' | 'recommendations', string[]> = { findings: [], recommendations: [] };
  /** Heading level of the section of recommendations, which ends at the next heading of that level; null outside. */
  let within: number | null = null;
  let open: string | null = null;
  for (const line of report.split('\n')) {
    const [, ticks, after = ''] = FENCE.exec(line) ?? [];
    if (ticks !== undefined) {
      if (open === null) open = ticks;
      else if (ticks.startsWith(open) && after.trim() === '') open = null;
    }
    const [, marks, title = ''] = (open === null && ticks === undefined && HEADING.exec(line)) || [];
    if (marks !== undefined) {
      if (within !== null && marks.length <= within) within = null;
      if (within === null && NAME.test(title)) {
        within = marks.length;
        continue;
      }
    }
    parts[within === null ? 'findings' : 'recommendations'].push(line);
  }
  return {
    findings: parts.findings.join('\n').trim(),
    recommendations: parts.recommendations.join('\n').trim(),
  };
}

/** A report in two: what it recommends, where it has a section for that, and the rest. */

const HEADING = /^ {0,3}(#{1,6})[ \t]+(.*?)[ \t]*#*[ \t]*$/;
const FENCE = /^ {0,3}(`{3,}|~{3,})(.*)$/;
const NAME = /^(?:\*\*|__)?(?:recommendations?|suggestions?|next steps)\b/i;

export function recommendationsOf(report: string): { findings: string; recommendations: string } {
  const parts: Record<'findings' | 'recommendations', string[]> = { findings: [], recommendations: [] };
  /** Level of the heading that a section of recommendations began with; it ends with the next one of its level. */
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

/** The agent picture names the coagent of an agent, and the agents that always follow it. */
import { render } from 'svelte/server';
import { expect, test } from 'vitest';
import AgentPicture from '#lib/agents/agent-picture.svelte';

/** Returns the text of the whole picture, without its elements. */
function drawText(file: { name: string; chain: string[] }): string {
  const { body } = render(AgentPicture, { props: { file, whole: true } });
  return body.replaceAll(/<[^>]*>/g, '').replaceAll(/\s+/g, ' ');
}

test('reports that an agent cannot run without its chain', () => {
  expect(drawText({ name: 'finder', chain: ['writer', 'checker'] })).toContain(
    'finder → writer → checker : always runs with writer and checker; cannot run without them.',
  );
  expect(drawText({ name: 'finder', chain: [] })).not.toContain('always runs');
});

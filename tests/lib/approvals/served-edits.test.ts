// The details of a sub-agent have a form for each agent that works with it; an edit there is part of the answer.
import { expect, it, vi } from 'vitest';
import { EnvelopeDraft } from '#lib/app/approval-draft.svelte.ts';
import { SeenTexts } from '#lib/app/seen-texts.svelte.ts';
import EnvelopeForm from '#lib/approvals/envelope/envelope-form.svelte';
import ServedForm from '#lib/approvals/envelope/served-form.svelte';
import { mountInApp, useDocument } from '../support/dom.ts';
import { envelopeOf } from '../../support/envelope.ts';

class NoObserver {
  observe = vi.fn();
  disconnect = vi.fn();
}
useDocument(() => ({ ResizeObserver: NoObserver, MutationObserver: NoObserver }));

const tools = ['read_file', 'write_file'].map((name) => ({
  name,
  description: '',
  baseline: false,
  primaryOnly: false,
}));
const app = { settings: { tools, providers: [], provider: { name: 'anthropic' } } };

function createDraft(): EnvelopeDraft {
  const { prompt: _, stages: __, ...part } = envelopeOf('writer', 'Look.', { tools: ['read_file', 'write_file'] });
  const handoff = { type: 'static', text: 'Look.' } as const;
  const flow = { type: 'smart', rounds: 3, primary: 'a', coagent: { ...part, agent: 'reviewer' }, handoff } as const;
  return new EnvelopeDraft({ ...envelopeOf('a', 'Look.'), flow, stages: [part] });
}

it('names each coagent and stage below the settings of the sub-agent', async () => {
  const page = await mountInApp(EnvelopeForm, { draft: createDraft(), seen: new SeenTexts(), error: '' }, app);
  expect(page.text).toMatch(/reviewer works with a.*writer agent 2 of the chain/);
});

it('lists the baseline tools of a stage as always granted', async () => {
  const draft = createDraft();
  const baseline = { settings: { ...app.settings, tools: tools.map((tool) => ({ ...tool, baseline: true })) } };
  const page = await mountInApp(ServedForm, { draft: draft.served[1]!, seen: new SeenTexts() }, baseline);
  page.find<HTMLDetailsElement>('details').open = true;
  await page.fire(page.find('details'), 'toggle');
  expect(page.text).toMatch(/Tools Always granted: read_file write_file/);
});

it('sends an edit of a stage with the answer, and marks the stage as edited', async () => {
  const draft = createDraft();
  const page = await mountInApp(ServedForm, { draft: draft.served[1]!, seen: new SeenTexts() }, app);
  expect(page.text).not.toContain('edited');
  page.find<HTMLDetailsElement>('details').open = true;
  await page.fire(page.find('details'), 'toggle');
  await page.write('textarea', 'You write.');
  const box = page.find<HTMLInputElement>('input[type=checkbox]');
  box.checked = false;
  await page.fire(box, 'change');
  expect(page.text).toContain('edited');
  expect(draft.answer()).toMatchObject({
    kind: 'edit',
    value: { stages: [{ agent: 'writer', systemPrompt: 'You write.', tools: ['write_file'] }] },
  });
});

/** Where the model of a run comes from, as its envelope says. */
import { expect, test } from 'vitest';
import type { ChildRequest } from '#core/tools/children.ts';
import { definitionOf } from '../../support/envelope.ts';
import { agentsWith, built, delegating, leadOf, spawning } from './envelope-support.ts';

test('an envelope names the origin of its model: the call, the person, the definition, the lead or the default', () => {
  const lead = leadOf();
  expect(lead.modelOrigin).toBe('default');
  expect(leadOf({ model: 'haiku' }).modelOrigin).toBe('definition');
  const definition = definitionOf({ name: 'lead', role: 'primary', model: 'haiku' });
  const chosen = built().lead(definition, 'Do it', '/work', undefined, [], undefined, { model: 'opus' });
  expect(chosen).toMatchObject({ model: expect.stringMatching(/opus/) as string, modelOrigin: 'person' });
  const agents = agentsWith({ name: 'worker' }, { name: 'small', model: 'haiku' });
  const child = (request: ChildRequest) => built().child(request, lead, agents);
  expect(child(delegating('worker')).modelOrigin).toBe('lead');
  expect(child(delegating('small')).modelOrigin).toBe('definition');
  expect(child(spawning({ agent: 'small', model: 'opus' })).modelOrigin).toBe('override');
  const local = '[providers.local]\ntype = "openai-chat"\nbase_url = "http://127.0.0.1:9/v1"\ndefaults.model = "m"\n';
  expect(built(local).child(spawning({ provider: 'local' }), lead, agents)).toMatchObject({
    model: 'm',
    modelOrigin: 'default',
  });
});

test('a model edit in an approval sets the origin to the person, and other edits keep the origin', () => {
  const lead = leadOf();
  const asked = built().child(spawning({ model: 'opus' }), lead, agentsWith());
  const edit = (parts: object) => built().edited({ ...asked, ...parts }, asked, lead).value.modelOrigin;
  expect(edit({ model: 'haiku' })).toBe('person');
  expect(edit({ prompt: 'Other.', modelOrigin: 'default' })).toBe('override');
});

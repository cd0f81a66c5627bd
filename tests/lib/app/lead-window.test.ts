/** Of several windows one leads; it is handed on when that closes, and goes to the one in which the person begins. */
import { expect, test } from 'vitest';
import { LeadWindow } from '#lib/app/lead-window.ts';
import { eventually } from '../../support/eventually.ts';

// Of Node itself, as browsers have them.
const { locks } = navigator;

test('one window leads, the next takes over when it closes, and the first input in a window makes it the lead', async () => {
  const [first, second, third] = [new LeadWindow(locks), new LeadWindow(locks), new LeadWindow(locks)];
  const leads = (...expected: boolean[]) =>
    eventually(() => expect([first, second, third].map((window) => window.leads)).toEqual(expected));
  await leads(true, false, false);
  third.take();
  await leads(false, false, true);
  first.take();
  await leads(true, false, false);
  third.take();
  second.close();
  await leads(true, false, false);
  first.close();
  await leads(false, false, true);
  third.close();
  await leads(false, false, false);
});

test('every window leads without locks or if locks are refused', async () => {
  const alone = new LeadWindow(undefined);
  alone.take();
  const refused = new LeadWindow({ request: () => Promise.reject(new Error('not in this page')) });
  await eventually(() => expect([alone.leads, refused.leads]).toEqual([true, true]));
});

/** What names the scripted provider, which needs nothing and is always there. */

export const DEMO = 'demo';
/** What a workflow that it plays tells; screens say it in their header instead. */
export const DEMO_NOTICE = 'Demo: the answers are scripted, no model is asked';

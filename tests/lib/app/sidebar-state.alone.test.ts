// The sidebar: folds for lanes in a window below 1,180 px, and follows the person's choice.
import { beforeEach, expect, it, vi } from 'vitest';
import { SidebarState } from '#lib/app/sidebar-state.svelte.ts';
import { storage } from '../support/storage.ts';

beforeEach(() => {
  vi.stubGlobal('localStorage', storage());
  return () => void vi.unstubAllGlobals();
});

function createSidebar(width: number) {
  vi.stubGlobal('innerWidth', width);
  const sidebar = new SidebarState();
  const resize = (to: number): void => {
    vi.stubGlobal('innerWidth', to);
    sidebar.handleResize();
  };
  return { sidebar, resize };
}

it('folds below 1,180 px for lanes and unfolds after them', () => {
  const { sidebar, resize } = createSidebar(1180);
  const release = sidebar.foldForLanes();
  expect(sidebar.open).toBe(true);
  resize(1179);
  expect(sidebar.open).toBe(false);
  resize(1180);
  expect(sidebar.open).toBe(true);
  resize(1100);
  release();
  expect(sidebar.open).toBe(true);
});

it('stays folded until the last of two stages releases it', () => {
  const { sidebar } = createSidebar(1100);
  const [first, second] = [sidebar.foldForLanes(), sidebar.foldForLanes()];
  first();
  expect(sidebar.open).toBe(false);
  second();
  expect(sidebar.open).toBe(true);
});

it('stays open for later lanes after the person opened it, until the person folds it', () => {
  const { sidebar } = createSidebar(1100);
  sidebar.foldForLanes();
  sidebar.toggle();
  expect(sidebar.open).toBe(true);
  sidebar.foldForLanes();
  expect(sidebar.open).toBe(true);
  sidebar.toggle();
  expect(sidebar.open).toBe(false);
});

it('stays folded after lanes when the person had folded it', () => {
  const { sidebar } = createSidebar(1100);
  sidebar.toggle();
  sidebar.foldForLanes()();
  expect(sidebar.open).toBe(false);
});

it('stores only the choice of the person', () => {
  const { sidebar } = createSidebar(1100);
  sidebar.foldForLanes();
  expect(createSidebar(1100).sidebar.open).toBe(true);
  sidebar.toggle();
  sidebar.toggle();
  expect(createSidebar(1100).sidebar.open).toBe(false);
});

it('does not fold while the person types in it', () => {
  const { sidebar } = createSidebar(1100);
  sidebar.isTypedIn = true;
  sidebar.foldForLanes();
  expect(sidebar.open).toBe(true);
  sidebar.isTypedIn = false;
  expect(sidebar.open).toBe(false);
});

it('is closed in a narrow window where it would overlay the page, and open again in a wider one', () => {
  const { sidebar, resize } = createSidebar(1280);
  resize(800);
  expect([sidebar.narrow, sidebar.open]).toEqual([true, false]);
  sidebar.toggle();
  expect(sidebar.open).toBe(true);
  sidebar.closeOverlay();
  expect(sidebar.open).toBe(false);
  resize(1280);
  expect([sidebar.narrow, sidebar.open]).toEqual([false, true]);
});

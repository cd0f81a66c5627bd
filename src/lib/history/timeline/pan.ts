/** Moving and zooming what is in sight by pointer: dragging moves, Ctrl and the wheel zoom, the wheel sideways moves. */
import { moved, type Sight, zoomed } from './zoom.ts';

/** Pixels after which a press is a drag, and no click. */
const DRAG_PX = 4;
/** How much nearer one notch of a wheel comes. */
const PER_PIXEL = 1.002;

interface Hold {
  sight: () => Sight;
  onsight: (sight: Sight) => void;
}

/** For an element that is as wide as what is in sight; returns what ends it. */
export function panAndZoom(element: HTMLElement, { sight, onsight }: Hold): () => void {
  let drag: { x: number; from: Sight; isDrag: boolean } | null = null;

  function onpointerdown({ button, clientX }: PointerEvent): void {
    if (button === 0) drag = { x: clientX, from: sight(), isDrag: false };
  }

  function onpointermove(event: PointerEvent): void {
    if (!drag || event.buttons === 0) return;
    const by = event.clientX - drag.x;
    if (!drag.isDrag && Math.abs(by) < DRAG_PX) return;
    if (!drag.isDrag) element.setPointerCapture(event.pointerId);
    drag.isDrag = true;
    onsight(moved(drag.from, -by / element.clientWidth));
  }

  /** The end of a drag is no press on what is below it. */
  function onclick(event: MouseEvent): void {
    if (drag?.isDrag) event.stopPropagation();
    drag = null;
  }

  function onwheel(event: WheelEvent): void {
    if (event.ctrlKey || event.metaKey) {
      event.preventDefault();
      const { left, width } = element.getBoundingClientRect();
      onsight(zoomed(sight(), PER_PIXEL ** -event.deltaY, (event.clientX - left) / width));
    } else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      event.preventDefault();
      onsight(moved(sight(), (event.shiftKey ? event.deltaY || event.deltaX : event.deltaX) / element.clientWidth));
    }
  }

  const ends = [
    on('pointerdown', onpointerdown),
    on('pointermove', onpointermove),
    on('click', onclick, { capture: true }),
    on('wheel', onwheel, { passive: false }),
  ];
  return () => ends.forEach((end) => end());

  function on<K extends keyof HTMLElementEventMap>(
    type: K,
    listener: (event: HTMLElementEventMap[K]) => void,
    options: AddEventListenerOptions = {},
  ): () => void {
    element.addEventListener(type, listener, options);
    return () => element.removeEventListener(type, listener, options);
  }
}

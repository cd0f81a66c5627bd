/** What runs in the page: text, because the benchmark itself knows no document. */

/** Goes up through the log, some lines with each frame; resolves with the times between them, in milliseconds. */
export function scrollProbe(label: string, frames: number): string {
  return `new Promise((resolve) => {
    const log = document.querySelector('[aria-label=${JSON.stringify(label)}]');
    const times = [];
    let last = null;
    const step = (now) => {
      if (last !== null) times.push(now - last);
      last = now;
      if (times.length >= ${frames}) return resolve(times);
      log.scrollTop -= 200;
      requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
  })`;
}

/** What an element shows now, with all styles, as a document without a program. */
export function standingCopy(selector: string): string {
  return `(() => {
    const styles = [...document.styleSheets].flatMap((sheet) => [...sheet.cssRules].map(({ cssText }) => cssText));
    const shown = document.querySelector(${JSON.stringify(selector)}).outerHTML;
    return '<style>' + styles.join('\\n') + '</style><body style="margin: 0">' + shown;
  })()`;
}

/** Makes the log of such a copy as high as the window, with the messages that it shows one below the other, so many times. */
export function repeatProbe(label: string, times: number): string {
  return `(() => {
    const log = document.querySelector('[aria-label=${JSON.stringify(label)}]');
    log.style.height = '100vh';
    const messages = [...log.querySelectorAll('[data-index]')];
    // As they are while they pass by.
    for (const tools of log.querySelectorAll('[role=toolbar]')) tools.remove();
    // Where the list has put them, there is room for those that it does not show.
    for (const { style } of messages) style.position = 'static';
    const shown = messages.map(({ outerHTML }) => outerHTML).join('');
    const list = messages[0].parentElement;
    Object.assign(list.style, { height: 'auto', contain: 'none' });
    list.innerHTML = shown.repeat(${times});
  })()`;
}

/** Goes to the end of the log. */
export function endOfLogProbe(label: string): string {
  return `(() => {
    const log = document.querySelector('[aria-label=${JSON.stringify(label)}]');
    log.scrollTop = log.scrollHeight;
  })()`;
}

/**
 * Empties these lanes of such a copy, and writes so many words into each at their pace, in paragraphs, always at the end.
 * Resolves with the times between frames, in milliseconds.
 */
export function growProbe(names: readonly string[], words: number, perSecond: number): string {
  return `new Promise((resolve) => {
    const lanes = ${JSON.stringify(names)}.map((name) => document.querySelector('article[aria-label="' + name + '"] .prose'));
    const boxOf = (element) => (getComputedStyle(element).overflowY === 'auto' ? element : boxOf(element.parentElement));
    const boxes = lanes.map(boxOf);
    for (const lane of lanes) lane.replaceChildren();
    const times = [];
    let start = null;
    let last = null;
    let written = 0;
    const step = (now) => {
      start ??= now;
      if (last !== null) times.push(now - last);
      last = now;
      for (; written < Math.min(${words}, ((now - start) / 1000) * ${perSecond}); written += 1) {
        for (const lane of lanes) {
          if (written % 60 === 0) lane.append(document.createElement('p'));
          if (written % 60 === 0) lane.lastElementChild.append('');
          lane.lastElementChild.firstChild.appendData('something ');
        }
      }
      for (const box of boxes) box.scrollTop = box.scrollHeight;
      if (written >= ${words}) return resolve(times);
      requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
  })`;
}

/**
 * Watches the stamps of \`stamps.ts\` come into the last workflow of the log. Leaves in \`window.triadPainted\` how long each
 * took from the server to the frame in which it was painted, and counts the frames.
 */
export function stampProbe(label: string): string {
  return `(() => {
    const log = document.querySelector('[aria-label=${JSON.stringify(label)}]');
    const painted = (window.triadPainted = { delays: [], frames: 0, stopped: false });
    let seen = 0;
    // Comes after a frame was painted, with all that the page did for it.
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      const now = performance.timeOrigin + performance.now();
      const text = log.lastElementChild?.textContent ?? '';
      for (const match of text.slice(-20000).matchAll(/(\\d+):(\\d+\\.\\d+);/g)) {
        if (Number(match[1]) < seen) continue;
        seen = Number(match[1]) + 1;
        painted.delays.push(now - Number(match[2]));
      }
    };
    const frame = () => {
      if (painted.stopped) return;
      painted.frames += 1;
      port2.postMessage(null);
      requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  })()`;
}

/** Leaves in `window.triadFrames` the times between frames and the lengths of tasks over 50 ms, in milliseconds. */
export const PACE_PROBE = `(() => {
  const pace = (window.triadFrames = { times: [], tasks: [] });
  const observer = new PerformanceObserver((list) => pace.tasks.push(...list.getEntries().map(({ duration }) => duration)));
  observer.observe({ type: 'longtask' });
  let last = null;
  const frame = (now) => {
    if (last !== null) pace.times.push(now - last);
    last = now;
    pace.next = requestAnimationFrame(frame);
  };
  pace.next = requestAnimationFrame(frame);
  pace.stop = () => {
    cancelAnimationFrame(pace.next);
    observer.disconnect();
  };
})()`;

export const STOP_PACE = `(() => {
  window.triadFrames.stop();
  return { times: window.triadFrames.times, tasks: window.triadFrames.tasks };
})()`;

/** Counts frames alone, in the same place. */
export const FRAME_PROBE = `(() => {
  const painted = (window.triadPainted = { delays: [], frames: 0, stopped: false });
  const frame = () => {
    if (painted.stopped) return;
    painted.frames += 1;
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
})()`;

export const STOP_STAMPS = `(() => {
  window.triadPainted.stopped = true;
  return { delays: window.triadPainted.delays, frames: window.triadPainted.frames };
})()`;

/** Resolves once the workflow of a message is shown as completed. Looks rarely: what is measured is the page, not this. */
export function endProbe(label: string, message: string, patienceMs: number): string {
  return `new Promise((resolve, reject) => {
    const end = performance.now() + ${patienceMs};
    const look = () => {
      const last = document.querySelector('[aria-label=${JSON.stringify(label)}]')?.lastElementChild;
      const article = last?.matches('article') ? last : last?.querySelector('article:last-of-type');
      const isIt = article?.getAttribute('aria-label')?.includes(${JSON.stringify(message)});
      const footer = isIt && [...article.children].find(({ localName }) => localName === 'footer');
      if (footer && footer.textContent.includes('completed')) return resolve();
      if (performance.now() > end) return reject(new Error('The workflow did not end in time'));
      setTimeout(look, 100);
    };
    look();
  })`;
}

/** Resolves once the first of these cards says the state. Looks rarely, for the same reason. */
export function cardProbe(names: readonly string[], state: string, patienceMs: number): string {
  const heads = names.map((name) => `article[aria-label=${JSON.stringify(name)}] header`).join(', ');
  return `new Promise((resolve, reject) => {
    const end = performance.now() + ${patienceMs};
    const look = () => {
      const heads = [...document.querySelectorAll(${JSON.stringify(heads)})];
      if (heads.some((head) => head.textContent.includes(${JSON.stringify(state)}))) return resolve();
      if (performance.now() > end) return reject(new Error('No card says so in time'));
      setTimeout(look, 100);
    };
    look();
  })`;
}

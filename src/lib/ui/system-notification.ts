/** Notifications of the system, as a page can show them. */
import { visibleText } from '#contract/visible-text.ts';

export type NotificationLeave = NotificationPermission | 'unsupported';

export function notificationLeave(): NotificationLeave {
  return 'Notification' in globalThis ? Notification.permission : 'unsupported';
}

/** Only in answer to a press: browsers refuse it otherwise, and people are right to. */
export async function askForNotifications(): Promise<NotificationLeave> {
  if (notificationLeave() === 'unsupported') return 'unsupported';
  return Notification.requestPermission();
}

export interface Note {
  /** One with the same key takes its place. */
  key: string;
  title: string;
  body: string;
  /** What is not there to be read is made visible. A press leads there and answers nothing. */
  onPress: () => void;
}

/** Returns how it is taken away; null where none may be shown. */
export function notify({ key, title, body, onPress }: Note): (() => void) | null {
  if (notificationLeave() !== 'granted') return null;
  try {
    const options = { tag: key, body: visibleText(body), renotify: true };
    const shown = new Notification(visibleText(title), options);
    shown.onclick = () => {
      window.focus();
      shown.close();
      onPress();
    };
    return () => shown.close();
  } catch {
    // Some systems show them only through a service worker.
    return null;
  }
}

/** Tells whether the person is typing: a dialog that opens by itself must not take the focus then. */

const NO_TEXT = new Set(['button', 'checkbox', 'color', 'file', 'image', 'radio', 'range', 'reset', 'submit']);

type TextField = HTMLInputElement | HTMLTextAreaElement;

/** The focused text field; null where none has the focus or the focused one is read-only. */
export function focusedTextField(): TextField | null {
  const element = document.activeElement;
  return takesText(element) && !element.readOnly ? element : null;
}

/** An empty field does not count, such as the message box after sending. */
export function isTyping(): boolean {
  return (focusedTextField()?.value ?? '') !== '';
}

/** Whether keys that are pressed there may be meant for a text. */
export function isTextField(target: EventTarget | null): boolean {
  return takesText(target) || (target instanceof HTMLElement && target.isContentEditable);
}

function takesText(element: EventTarget | null): element is TextField {
  return element instanceof HTMLTextAreaElement || (element instanceof HTMLInputElement && !NO_TEXT.has(element.type));
}

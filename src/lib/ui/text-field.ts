/** Whether someone is in the middle of writing: what opens by itself must not take the keyboard then. */

const NO_TEXT = new Set(['button', 'checkbox', 'color', 'file', 'image', 'radio', 'range', 'reset', 'submit']);

type TextField = HTMLInputElement | HTMLTextAreaElement;

/** The text field that has the focus; one that takes no text at the moment is none. */
export function focusedTextField(): TextField | null {
  const element = document.activeElement;
  const takesText =
    element instanceof HTMLTextAreaElement || (element instanceof HTMLInputElement && !NO_TEXT.has(element.type));
  return takesText && !element.readOnly ? element : null;
}

/** An empty field was left for now, such as the message box after sending. */
export function isTyping(): boolean {
  return (focusedTextField()?.value ?? '') !== '';
}

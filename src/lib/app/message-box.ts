/** The box for messages that is on the screen, as other parts write into it. */
export interface MessageBox {
  /** Where its files are found; undefined: in the folder for new conversations. */
  folder: string | undefined;
  /** Who reads what is written there: what is hidden from it is not found. */
  agent: string;
  /** Puts the path of a file or folder in at the cursor, and the focus behind it. */
  mention: (path: string) => void;
  /** Puts code behind what is written, and the cursor where the file is named into which it is to go. */
  insert: (code: string, language: string) => void;
  focus: () => void;
}

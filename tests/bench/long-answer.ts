/** The answer to each message of a long conversation, as long as answers usually are. */
export const ANSWER = 'This part of the program does what it should. '.repeat(18).slice(0, 800);

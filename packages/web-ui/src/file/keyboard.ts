import { msg } from '@lingui/core/macro';
import { translateOnRead } from '../lib/language.ts';

export type Command =
  | { readonly name: 'toggle' }
  | { readonly name: 'skip'; readonly seconds: number }
  | { readonly name: 'step' | 'uncertain'; readonly by: 1 | -1 }
  | {
      readonly name:
        | 'faster'
        | 'slower'
        | 'loop'
        | 'follow'
        | 'mute'
        | 'edit'
        | 'find'
        | 'help'
        | 'undo'
        | 'redo'
        | 'replace'
        | 'comment'
        | 'highlight'
        | 'code';
    };

type Pressed = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey'>;

const byKey: Record<string, Command> = {
  ' ': { name: 'toggle' },
  k: { name: 'toggle' },
  j: { name: 'skip', seconds: -10 },
  l: { name: 'skip', seconds: 10 },
  ArrowLeft: { name: 'skip', seconds: -5 },
  ArrowRight: { name: 'skip', seconds: 5 },
  ArrowUp: { name: 'step', by: -1 },
  ArrowDown: { name: 'step', by: 1 },
  '>': { name: 'faster' },
  '<': { name: 'slower' },
  m: { name: 'mute' },
  r: { name: 'loop' },
  f: { name: 'follow' },
  e: { name: 'edit' },
  u: { name: 'uncertain', by: 1 },
  c: { name: 'comment' },
  h: { name: 'highlight' },
  g: { name: 'code' },
  '/': { name: 'find' },
  '?': { name: 'help' },
};

/** In the text a letter needs Alt. The same key works outside of it, so that one key can be named for both. */
const keysOfText: Record<string, Command> = {
  c: { name: 'comment' },
  h: { name: 'highlight' },
  g: { name: 'code' },
};

/** The command of a key on the file page; null where the browser or a field uses the key. */
export function commandOf(
  pressed: Pressed,
  focus: { readonly typing: boolean; readonly onControl: boolean },
): Command | null {
  const global = commandWhileTyping(pressed);
  if (global) return global;
  // In a field these keys are the browser's.
  if ((pressed.ctrlKey || pressed.metaKey) && !pressed.altKey && !focus.typing) return historyCommandOf(pressed);
  if (pressed.ctrlKey || pressed.metaKey || focus.typing) return null;
  if (pressed.altKey) return pressed.shiftKey ? null : (keysOfText[pressed.key.toLowerCase()] ?? null);
  // The focused control uses Space and the arrow keys.
  if (focus.onControl && (pressed.key === ' ' || pressed.key.startsWith('Arrow'))) return null;
  const command = byKey[pressed.key.length === 1 ? pressed.key.toLowerCase() : pressed.key] ?? null;
  return command?.name === 'uncertain' && pressed.shiftKey ? { name: 'uncertain', by: -1 } : command;
}

function historyCommandOf({ key, shiftKey }: Pressed): Command | null {
  const letter = key.toLowerCase();
  if (letter === 'z') return { name: shiftKey ? 'redo' : 'undo' };
  return letter === 'y' && !shiftKey ? { name: 'redo' } : null;
}

const controlKeys: Record<string, Command> = {
  ' ': { name: 'toggle' },
  f: { name: 'find' },
  h: { name: 'replace' },
};
const functionKeys: Record<string, Command> = {
  F7: { name: 'skip', seconds: -5 },
  F8: { name: 'toggle' },
  F9: { name: 'skip', seconds: 5 },
};
const shiftedFunctionKeys: Record<string, Command> = {
  F7: { name: 'slower' },
  F8: { name: 'loop' },
  F9: { name: 'faster' },
};
/** Keys that also work in a text field, because they enter no text. */
function commandWhileTyping({ key, ctrlKey, metaKey, altKey, shiftKey }: Pressed): Command | null {
  if (metaKey || altKey) return null;
  if (shiftKey && !ctrlKey) return shiftedFunctionKeys[key] ?? null;
  return (ctrlKey ? controlKeys[key] : functionKeys[key]) ?? null;
}

export const shortcuts: readonly (readonly [keys: readonly string[], effect: string])[] = translateOnRead([
  [['Space', 'K'], msg`Play or pause`],
  [['F8'], msg`Play or pause, also while typing`],
  [['Ctrl', 'Space'], msg`Play or pause, also while typing`],
  [['F7', 'F9'], msg`5 seconds back or forward, also while typing`],
  [['J', 'L'], msg`10 seconds back or forward`],
  [['←', '→'], msg`5 seconds back or forward`],
  [['↑', '↓'], msg`Previous or next passage`],
  [['<', '>'], msg`Playback speed`],
  [['Shift', 'F7', 'F9'], msg`Playback speed, also while typing`],
  [['R'], msg`Repeat the passage, or stop repeating`],
  [['Shift', 'F8'], msg`Repeat the passage, or stop repeating, also while typing`],
  [['F'], msg`Follow the recording in the text, or not`],
  [['M'], msg`Mute or unmute`],
  [['E'], msg`Edit at the word that is playing`],
  [['Alt', 'E'], msg`Put the caret to the word that is playing, in the text`],
  [['Alt', 'P'], msg`Play from the caret`],
  [['U'], msg`Next word that may be wrong; with Shift the previous one`],
  [['Alt', 'U'], msg`The same, in the text`],
  [['Alt', 'A'], msg`The word is right: go to the next one that may be wrong`],
  [['C', 'H'], msg`Comment on the selected words or on this moment; highlight the words`],
  [['G'], msg`Give a code to the selected words`],
  [['Alt', 'C', 'H', 'G'], msg`The same, also in the text`],
  [['Tab'], msg`Play or pause, in the text`],
  [['Esc'], msg`Leave the text`],
  [['Enter'], msg`Split the passage`],
  [['Backspace'], msg`At the start of a passage: merge it with the one before`],
  [['Alt', '1 … 9'], msg`Give the passage, or the selected words, to a speaker`],
  [['Alt', 'S'], msg`Choose or add a speaker`],
  [['Alt', '↑ ↓'], msg`Start the passage a tenth of a second earlier or later`],
  [['Alt', 'PgUp PgDn'], msg`Start it a second earlier or later`],
  [['Alt', 'Shift', '↑ ↓ PgUp PgDn'], msg`End it earlier or later`],
  [['Ctrl', 'Shift', 'Backspace'], msg`Delete the passage`],
  [['Ctrl', 'Z'], msg`Undo, also after a reload`],
  [['Ctrl', 'Shift', 'Z'], msg`Redo`],
  [['/'], msg`Find in the transcript`],
  [['Ctrl', 'F'], msg`The same, also while typing; Esc then goes to the found words`],
  [['Ctrl', 'H'], msg`Find and replace`],
  [['?'], msg`Show shortcuts`],
]);

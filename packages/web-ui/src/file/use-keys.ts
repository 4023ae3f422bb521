import { useEffect, useRef } from 'react';
import { commandOf, type Command } from './keyboard.ts';
import { nextRate, type Player } from './player.ts';
import { positionAt, type Position } from './transcript.ts';
import type { Transcript } from './use-transcript.ts';

type Deps = {
  readonly player: Player;
  readonly transcript: Transcript;
  readonly onEdit: (position: Position) => void;
  readonly onUncertain: (by: 1 | -1) => void;
  /** Null while there is no text: the key is the browser's. */
  readonly onFind: (() => void) | null;
  readonly onReplace: () => void;
  readonly onComment: () => void;
  readonly onHighlight: () => void;
  readonly onCode: () => void;
  readonly onHelp: () => void;
  readonly onHistory: (step: 'undo' | 'redo') => void;
};

/** The keyboard shortcuts of the file page. */
export function useKeys(deps: Deps): void {
  const latest = useRef(deps);
  latest.current = deps;
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || document.querySelector('[role="dialog"]')) return;
      const command = commandOf(event, focusOf(event.target));
      if (!command || (command.name === 'find' && !latest.current.onFind)) return;
      event.preventDefault();
      run(command, latest.current);
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
}

function focusOf(target: EventTarget | null): { typing: boolean; onControl: boolean } {
  if (!(target instanceof HTMLElement)) return { typing: false, onControl: false };
  return {
    typing: target.isContentEditable || target.matches('input:not([type=checkbox], [type=radio]), textarea, select'),
    onControl: target.closest('button, a, summary, [role="slider"], [role="menu"], [role="option"]') !== null,
  };
}

function run(command: Command, deps: Deps): void {
  const { player, transcript, onEdit, onUncertain, onFind, onReplace, onHelp, onHistory } = deps;
  const position = positionAt(transcript.loaded, player.now());
  switch (command.name) {
    case 'toggle':
      return player.toggle();
    case 'skip':
      return player.skip(command.seconds);
    case 'step': {
      const next = transcript.segments[(position?.index ?? -1) + command.by];
      if (next) player.seek(next.start_time);
      return;
    }
    case 'faster':
      return player.setRate(nextRate(player.state.get().rate, 1));
    case 'slower':
      return player.setRate(nextRate(player.state.get().rate, -1));
    case 'loop': {
      const segment = transcript.segments[position?.index ?? -1];
      const isLooping = player.state.get().loop !== null;
      return player.setLoop(segment && !isLooping ? { start: segment.start_time, end: segment.end_time } : null);
    }
    case 'follow':
      return player.setPreferences({ follow: !player.state.get().follow });
    case 'mute':
      return player.toggleMuted();
    case 'undo':
    case 'redo':
      return onHistory(command.name);
    case 'edit':
      return onEdit(position ?? { index: 0, word: 0 });
    case 'uncertain':
      return onUncertain(command.by);
    case 'find':
      return onFind?.();
    case 'replace':
      return onReplace();
    case 'comment':
      return deps.onComment();
    case 'highlight':
      return deps.onHighlight();
    case 'code':
      return deps.onCode();
    case 'help':
      return onHelp();
  }
}

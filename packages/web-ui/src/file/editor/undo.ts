import type { EditorView } from 'prosemirror-view';
import type { Autosave } from './autosave.ts';
import { local } from './plugins.ts';

type Which = 'undo' | 'redo';

/**
 * Undo and redo of a document. What was typed and is not saved is undone here; a saved correction on the server, which has
 * the times and the masked parts of passages that were deleted.
 */
export function createUndo({ view, autosave }: { view: EditorView; autosave: Autosave }) {
  /** Where the last steps were undone: they are redone at the same place. */
  let places: readonly ('local' | 'server')[] = [];
  const isLocal = (which: Which): boolean => {
    if (which === 'undo') return autosave.canUndoHere();
    return places.at(-1) === 'local' && autosave.canRedoHere();
  };
  return {
    /** Nothing is redone after a new change. */
    changed: (): void => void (places = []),
    /** @returns the ids of the passages that the server has changed; null: what would be redone has lost its place */
    revert: async (which: Which): Promise<readonly string[] | null> => {
      if (autosave.isSending()) await autosave.flush();
      // The page was left while the save was waited for.
      if (view.isDestroyed) return [];
      const before = places;
      const keep = (place: 'local' | 'server'): void =>
        void (places = which === 'undo' ? [...before, place] : before.slice(0, -1));
      if (isLocal(which)) {
        local[which](view.state, view.dispatch);
        keep('local');
        return [];
      }
      if (which === 'redo' && before.at(-1) === 'local') {
        // The server would redo another correction.
        places = before.slice(0, -1);
        return null;
      }
      const changed = await autosave.revert(which);
      keep('server');
      return changed;
    },
  };
}

export type Undo = ReturnType<typeof createUndo>;

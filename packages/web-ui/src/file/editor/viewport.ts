import type { Node } from 'prosemirror-model';
import { TextSelection } from 'prosemirror-state';
import type { EditorView } from 'prosemirror-view';
import { useCallback, useEffect, useRef, useState } from 'react';
import { lastAtOrBefore } from '../../lib/find-index.ts';
import { useFile } from '../file-context.ts';
import { tokensOf, type IndexedSegment } from '../transcript.ts';
import { readCaret } from './caret.ts';
import { changeMarks, marksOf } from './marks.ts';
import { attrsOf, indexesOf, startsOf } from './schema.ts';

/** Header, find bar and player must not cover a passage that was scrolled to. */
const covered = { top: 120, bottom: 140 };

/** The heights of the passages whose text is not in the DOM: as they were last seen, otherwise estimated. */
export type Heights = { width: number; readonly known: Map<string, number> };

export function heightOf({ width, known }: Heights, passage: Node): number {
  const { uuid, turn } = attrsOf(passage);
  const lettersPerLine = Math.max(20, Math.min(width - 80, 736) / 8.2);
  const lines = Math.max(1, Math.ceil(passage.content.size / lettersPerLine));
  return known.get(uuid) ?? 8 + lines * 28 + (turn ? 40 : 0);
}

/** Keeps the text of the passages in and near the window in the DOM, one window above and below. */
export function useVisiblePassages(view: EditorView | null, heights: Heights): void {
  useEffect(() => {
    if (!view) return undefined;
    let frame = 0;
    let timer = 0;
    const schedule = (): void => {
      frame ||= requestAnimationFrame(update);
    };
    const measure = ({ from, to }: { from: number; to: number }): void => {
      if (heights.width !== view.dom.clientWidth) heights.known.clear();
      heights.width = view.dom.clientWidth;
      for (let i = Math.max(0, from); i < Math.min(to, view.state.doc.childCount); i += 1) {
        const row = view.dom.children[i];
        if (row instanceof HTMLElement) heights.known.set(attrsOf(view.state.doc.child(i)).uuid, row.offsetHeight);
      }
    };
    const update = (): void => {
      frame = 0;
      const shown = marksOf(view.state);
      const isCovered = firstBelow(view, 0) >= shown.from + 3 || shown.from <= 0;
      const last = firstBelow(view, innerHeight);
      if (isCovered && (last <= shown.to - 3 || shown.to >= view.state.doc.childCount)) return;
      if (!readCaret(view)) {
        clearTimeout(timer);
        timer = window.setTimeout(schedule, 100);
        return;
      }
      measure(shown);
      const range = { from: firstBelow(view, -innerHeight), to: firstBelow(view, 2 * innerHeight) + 1 };
      view.dispatch(changeMarks(view.state, range));
      // What is drawn has another height than estimated.
      schedule();
    };
    schedule();
    const observer = new ResizeObserver(schedule);
    observer.observe(view.dom);
    addEventListener('scroll', schedule, { passive: true });
    addEventListener('resize', schedule);
    return () => {
      cancelAnimationFrame(frame);
      clearTimeout(timer);
      observer.disconnect();
      removeEventListener('scroll', schedule);
      removeEventListener('resize', schedule);
    };
  }, [view, heights]);
}

/** The first passage that ends below a line of the window. */
function firstBelow(view: EditorView, line: number): number {
  const { children } = view.dom;
  let [low, high] = [0, children.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((children[middle]?.getBoundingClientRect().bottom ?? 0) < line) low = middle + 1;
    else high = middle;
  }
  return low;
}

export function scrollToPassage(view: EditorView, index: number | undefined, block: ScrollLogicalPosition): void {
  if (index === undefined) return;
  // The passages around it get their text, and their final height, when they are scrolled to.
  let rounds = 6;
  const scroll = (): void => {
    if (view.isDestroyed) return;
    passageElement(view, index)?.scrollIntoView({ block });
    rounds -= 1;
    if (rounds > 0) requestAnimationFrame(scroll);
  };
  scroll();
}

function passageElement(view: EditorView, index: number): HTMLElement | null {
  const at = startsOf(view.state.doc)[index];
  const element = at === undefined ? null : view.nodeDOM(at);
  return element instanceof HTMLElement ? element : null;
}

/** Shows the selection of a text that cannot be edited: the editor only shows that of a focused one. */
export function showSelection(view: EditorView): void {
  const { anchor, head } = view.state.selection;
  const [from, to] = [view.domAtPos(anchor), view.domAtPos(head)];
  getSelection()?.setBaseAndExtent(from.node, from.offset, to.node, to.offset);
}

/** Puts the caret to a word. */
export function focusAt(view: EditorView, index: number, word: number): void {
  const element = passageElement(view, index);
  if (!element) return;
  const at = (startsOf(view.state.doc)[index] ?? 0) + 1;
  const node = view.state.doc.child(index);
  const starts = [...node.textContent.matchAll(/\S+/gu)].map((match) => match.index);
  const offset = Math.min(starts[word] ?? 0, node.content.size);
  view.dispatch(view.state.tr.setSelection(TextSelection.create(view.state.doc, at + offset)));
  view.focus();
  element.scrollIntoView({ block: 'nearest' });
}

export type Followed = {
  loaded: readonly IndexedSegment[];
  /** The person has typed since playback was last started from the text: the page must not scroll away. */
  typed: boolean;
};

/** Marks the spoken word, and follows the playback until the person scrolls away or types. */
export function useFollowPlayback(view: EditorView | null, latest: Followed, loaded: Followed['loaded']) {
  const { player } = useFile();
  const [isPaused, setPaused] = useState(false);
  const [isOutOfView, setOutOfView] = useState(false);
  const state = useRef({ following: true, uuid: '' });

  useEffect(() => {
    if (!view) return undefined;
    return player.onTick((seconds) => {
      const spoken = spokenAt(latest.loaded, seconds);
      const uuid = spoken?.uuid ?? '';
      const { now } = marksOf(view.state);
      if (spoken && (now?.uuid !== uuid || now.word !== spoken.word) && readCaret(view))
        view.dispatch(changeMarks(view.state, { now: spoken }));
      const index = indexesOf(view.state.doc).get(uuid);
      const element = index === undefined ? null : passageElement(view, index);
      if (!element) return;
      setOutOfView(!isCompletelyVisible(element));
      if (uuid === state.current.uuid) return;
      state.current.uuid = uuid;
      if (!state.current.following || !player.state.get().follow || seconds === 0) return;
      if (latest.typed && view.hasFocus()) setPaused(true);
      else if (!isCompletelyVisible(element)) scrollToPassage(view, index, 'center');
    });
    // Also when a part of the transcript arrives.
  }, [view, player, latest, loaded]);

  useEffect(() => {
    const stopFollowing = (): void => {
      if (!player.state.get().playing) return;
      state.current.following = false;
      setPaused(true);
    };
    addEventListener('wheel', stopFollowing, { passive: true });
    addEventListener('touchmove', stopFollowing, { passive: true });
    return () => {
      removeEventListener('wheel', stopFollowing);
      removeEventListener('touchmove', stopFollowing);
    };
  }, [player]);

  const resume = useCallback(() => {
    state.current.following = true;
    latest.typed = false;
    setPaused(false);
    const uuid = spokenAt(latest.loaded, player.now())?.uuid;
    if (view && uuid !== undefined) {
      const index = indexesOf(view.state.doc).get(uuid);
      const element = index === undefined ? null : passageElement(view, index);
      if (element && !isCompletelyVisible(element)) scrollToPassage(view, index, 'center');
    }
  }, [view, player, latest]);
  return { isPaused: isPaused && isOutOfView, resume };
}

/** The passage and the word that are spoken; a pause keeps the word before it. */
function spokenAt(
  loaded: Followed['loaded'],
  seconds: number,
): { readonly uuid: string; readonly word: number } | null {
  const found = loaded[lastAtOrBefore(loaded, seconds, ({ segment }) => segment.start_time)];
  if (!found) return null;
  const word = lastAtOrBefore(tokensOf(found.segment), seconds, ({ start }) => start);
  return { uuid: found.segment.uuid, word };
}

/** Also true for a passage that is higher than the window and fills it. */
function isCompletelyVisible(row: Element): boolean {
  const { top, bottom } = row.getBoundingClientRect();
  const [from, to] = [covered.top, innerHeight - covered.bottom];
  return (top >= from && bottom <= to) || (top <= from && bottom >= to);
}

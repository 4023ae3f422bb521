import type { Node } from 'prosemirror-model';
import { TextSelection } from 'prosemirror-state';
import type { EditorView } from 'prosemirror-view';
import { useCallback, useEffect, useRef, useState } from 'react';
import { lastAtOrBefore } from '../../lib/find-index.ts';
import { useFile } from '../file-context.ts';
import { tokensOf, type IndexedSegment, type Match } from '../transcript.ts';
import { readCaret } from './caret.ts';
import { changeMarks, marksOf, shownIndexes, wordsOf } from './marks.ts';
import { attrsOf, indexesOf, passagesOf, startsOf } from './schema.ts';

/** Header, find bar and player must not cover a passage that was scrolled to. */
const covered = { top: 120, bottom: 140 };
/** Passages that are shown before and after one that is scrolled to, until those in the window are known. */
const shownAround = 15;

/** The heights of the passages whose text is not in the DOM: as they were last seen, otherwise estimated. */
export type Heights = {
  width: number;
  readonly known: Map<string, number>;
  /** The passages for which `keepSpace` has made room. */
  placed: { readonly shown: readonly number[]; readonly rows: readonly unknown[]; readonly count: number } | null;
};

export function createHeights(): Heights {
  return { width: innerWidth, known: new Map(), placed: null };
}

function heightOf({ width, known }: Heights, passage: Node): number {
  const { uuid, turn } = attrsOf(passage);
  const lettersPerLine = Math.max(20, Math.min(width - 80, 736) / 8.2);
  const lines = Math.max(1, Math.ceil(passage.content.size / lettersPerLine));
  return known.get(uuid) ?? 8 + lines * 28 + (turn ? 40 : 0);
}

/**
 * Keeps the place of the passages whose text is not in the DOM, as margins of those beside them: a browser lays out thousands
 * of boxes again at every key. To be called after every change of the document or of what is shown.
 */
export function keepSpace(view: EditorView, heights: Heights): void {
  const shown = shownIndexes(view.state);
  const passages = passagesOf(view.state.doc);
  // The element of a passage that is drawn again has no margins.
  const rows = shown.map((index) => rowAt(view, index));
  const { placed } = heights;
  const isPlaced =
    placed?.count === passages.length &&
    placed.shown.length === shown.length &&
    placed.shown.every((index, i) => index === shown[i] && placed.rows[i] === rows[i]);
  if (isPlaced) return;
  heights.placed = { shown, rows, count: passages.length };
  const spaceOf = (from: number, to: number): string => {
    let space = 0;
    for (const passage of passages.slice(from, to)) space += heightOf(heights, passage);
    return space === 0 ? '' : `${space}px`;
  };
  shown.forEach((index, i) => {
    const row = rows[i];
    if (!row) return;
    row.style.marginTop = spaceOf((shown[i - 1] ?? -1) + 1, index);
    row.style.marginBottom = i === shown.length - 1 ? spaceOf(index + 1, passages.length) : '';
  });
}

/** The element of a passage; null away from the window. */
function rowAt(view: EditorView, index: number): HTMLElement | null {
  const at = startsOf(view.state.doc)[index];
  const row = at === undefined ? null : view.nodeDOM(at);
  return row instanceof HTMLElement ? row : null;
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
      if (heights.width !== view.dom.clientWidth) {
        heights.known.clear();
        heights.placed = null;
      }
      heights.width = view.dom.clientWidth;
      passagesOf(view.state.doc)
        .slice(Math.max(0, from), to)
        .forEach((passage, i) => {
          const height = rowAt(view, Math.max(0, from) + i)?.offsetHeight;
          if (height) heights.known.set(attrsOf(passage).uuid, height);
        });
    };
    const update = (): void => {
      frame = 0;
      const shown = marksOf(view.state);
      const isCovered = firstBelow(view, heights, 0) >= shown.from + 3 || shown.from <= 0;
      const last = firstBelow(view, heights, innerHeight);
      if (isCovered && (last <= shown.to - 3 || shown.to >= passagesOf(view.state.doc).length)) return;
      if (!readCaret(view)) {
        clearTimeout(timer);
        timer = window.setTimeout(schedule, 100);
        return;
      }
      measure(shown);
      const range = {
        from: firstBelow(view, heights, -innerHeight),
        to: firstBelow(view, heights, 2 * innerHeight) + 1,
      };
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
function firstBelow(view: EditorView, heights: Heights, line: number): number {
  const passages = passagesOf(view.state.doc);
  let index = 0;
  let bottom = view.dom.getBoundingClientRect().top;
  for (const shown of [...shownIndexes(view.state), passages.length]) {
    const box = rowAt(view, shown)?.getBoundingClientRect();
    if (!box || box.top >= line)
      for (const passage of passages.slice(index, shown)) {
        bottom += heightOf(heights, passage);
        if (bottom >= line) return index;
        index += 1;
      }
    if (!box || box.bottom >= line) return shown;
    index = shown + 1;
    bottom = box.bottom;
  }
  return passages.length;
}

export function scrollToPassage(view: EditorView, index: number | undefined, block: ScrollLogicalPosition): void {
  if (index === undefined) return;
  // The passages around it get their text, and their final height, when they are scrolled to.
  let rounds = 6;
  const scroll = (): void => {
    if (view.isDestroyed) return;
    // Only what is shown has a place in the page.
    if (!shownIndexes(view.state).includes(index))
      view.dispatch(changeMarks(view.state, { from: index - shownAround, to: index + shownAround }));
    rowAt(view, index)?.scrollIntoView({ block });
    rounds -= 1;
    if (rounds > 0) requestAnimationFrame(scroll);
  };
  scroll();
}

/** Shows the selection of a text that cannot be edited: the editor only shows that of a focused one. */
export function showSelection(view: EditorView): void {
  const { anchor, head } = view.state.selection;
  const [from, to] = [view.domAtPos(anchor), view.domAtPos(head)];
  getSelection()?.setBaseAndExtent(from.node, from.offset, to.node, to.offset);
}

/** Puts the caret to a word. */
export function focusAt(view: EditorView, index: number, word: number): void {
  const place = placeOf(view, index, word);
  if (place) select(view, index, { from: place.from, to: place.from });
}

/** Selects words that were found, so that they can be typed over. */
export function selectMatch(view: EditorView, { index, first, last }: Match): void {
  const [from, to] = [placeOf(view, index, first), placeOf(view, index, last)];
  if (from && to) select(view, index, { from: from.from, to: to.to });
}

function placeOf(view: EditorView, index: number, word: number): { readonly from: number; readonly to: number } | null {
  const node = passagesOf(view.state.doc)[index];
  if (!node) return null;
  const at = (startsOf(view.state.doc)[index] ?? 0) + 1;
  const place = wordsOf(node)[word] ?? { from: 0, to: 0 };
  return { from: at + place.from, to: at + place.to };
}

function select(view: EditorView, index: number, { from, to }: { readonly from: number; readonly to: number }): void {
  view.dispatch(view.state.tr.setSelection(TextSelection.create(view.state.doc, from, to)));
  view.focus();
  scrollToPassage(view, index, 'nearest');
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
      const element = index === undefined ? null : rowAt(view, index);
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
      const element = index === undefined ? null : rowAt(view, index);
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

import { t } from '@lingui/core/macro';
import { ActionIcon, Text, TextInput, Tooltip } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useEffect, useMemo, useRef, useState, type KeyboardEvent, type MouseEvent, type RefObject } from 'react';
import { Icon } from '../ui/icons.tsx';
import css from './file.module.css';
import { findMatches, type Match } from './transcript.ts';
import type { Transcript } from './use-transcript.ts';

export type Find = {
  readonly query: string;
  readonly setQuery: (query: string) => void;
  readonly matches: readonly Match[];
  readonly current: Match | null;
  readonly at: number;
  readonly move: (by: 1 | -1) => void;
};

/** Finds words in this transcript. It runs in the browser, which loads the whole transcript. */
export function useFind(transcript: Transcript, initial: string): Find {
  const [query, setQuery] = useState(initial);
  const [at, setAt] = useState(-1);
  const [debouncedQuery] = useDebouncedValue(query, 120);
  const matches = useMemo(
    () => (debouncedQuery.trim().length < 2 ? [] : findMatches(transcript.loaded, debouncedQuery)),
    [transcript.loaded, debouncedQuery],
  );
  /** Enter was pressed before the words were looked for. */
  const early = useRef<1 | -1>(null);
  useEffect(() => {
    setAt(early.current === null || matches.length === 0 ? -1 : early.current === 1 ? 0 : matches.length - 1);
    early.current = null;
    // oxlint-disable-next-line react/exhaustive-deps -- parts of the transcript that arrive keep the place
  }, [debouncedQuery]);
  return {
    query,
    setQuery,
    matches,
    at,
    current: matches[at] ?? null,
    move: (by) => {
      if (query !== debouncedQuery) early.current = by;
      else if (matches.length > 0)
        setAt((at + by + matches.length + (at === -1 && by === -1 ? 1 : 0)) % matches.length);
    },
  };
}

export function FindBar({
  find,
  complete,
  inputRef,
  onLeave,
  onHistory,
  onReplace,
}: {
  find: Find;
  complete: boolean;
  /** Goes to the found words; absent for those who may only read. */
  onLeave: ((match: Match) => void) | null;
  /** Undoes or redoes a correction; absent for those who may only read. */
  onHistory: ((step: 'undo' | 'redo') => void) | null;
  /** Opens find and replace; absent for those who may only read. */
  onReplace: (() => void) | null;
  inputRef: RefObject<HTMLInputElement | null>;
}) {
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Enter') {
      event.preventDefault();
      find.move(event.shiftKey ? -1 : 1);
    } else if (event.key === 'Escape') {
      inputRef.current?.blur();
      if (find.current) onLeave?.(find.current);
      find.setQuery('');
    } else if (event.key === 'f' && event.ctrlKey) {
      // A second time it is the browser's.
      event.stopPropagation();
    }
  };
  const isSearching = find.query.trim().length >= 2;
  return (
    <div className={css['find']} role="search" aria-label={t`Find in this transcript`}>
      <TextInput
        ref={inputRef}
        type="search"
        size="sm"
        aria-label={t`Find in this transcript`}
        placeholder={t`Find in this transcript`}
        leftSection={<Icon name="search" size={16} />}
        value={find.query}
        onChange={(event) => find.setQuery(event.currentTarget.value)}
        onKeyDown={onKeyDown}
        style={{ flex: '1 1 auto', maxWidth: '26rem' }}
      />
      <Text
        size="sm"
        c="dimmed"
        className="ot-tabular"
        aria-live="polite"
        px={6}
        style={{ whiteSpace: 'nowrap' }}
        data-testid="find-count"
      >
        {isSearching ? countText(find, complete) : ''}
      </Text>
      <ActionIcon aria-label={t`Previous match`} disabled={find.matches.length === 0} onClick={() => find.move(-1)}>
        <Icon name="chevronUp" size={18} />
      </ActionIcon>
      <ActionIcon aria-label={t`Next match`} disabled={find.matches.length === 0} onClick={() => find.move(1)}>
        <Icon name="chevronDown" size={18} />
      </ActionIcon>
      {onReplace && (
        <Tooltip label={t`Find and replace (Ctrl+H)`}>
          <ActionIcon aria-label={t`Find and replace`} onClick={onReplace}>
            <Icon name="replace" size={18} />
          </ActionIcon>
        </Tooltip>
      )}
      {onHistory && (
        <>
          <Tooltip label={t`Undo your last correction (Ctrl+Z)`}>
            <ActionIcon
              aria-label={t`Undo your last correction`}
              onMouseDown={keepFocus}
              onClick={() => onHistory('undo')}
            >
              <Icon name="undo" size={18} />
            </ActionIcon>
          </Tooltip>
          <Tooltip label={t`Redo (Ctrl+Shift+Z)`}>
            <ActionIcon
              aria-label={t`Redo your last correction`}
              onMouseDown={keepFocus}
              onClick={() => onHistory('redo')}
            >
              <Icon name="redo" size={18} />
            </ActionIcon>
          </Tooltip>
        </>
      )}
    </div>
  );
}

function countText({ matches, at }: Find, complete: boolean): string {
  if (matches.length === 0) return complete ? t`no matches` : t`searching`;
  const total = `${matches.length}${complete ? '' : '+'}`;
  return at === -1 ? t`${total} found` : t`${at + 1} of ${total}`;
}

/** The caret stays in the text. */
function keepFocus(event: MouseEvent): void {
  event.preventDefault();
}

import { t } from '@lingui/core/macro';
import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, type KeyboardEvent } from 'react';
import { Empty, QueryStatus } from '../ui/query-status.tsx';
import { DecisionButtons } from './decision-buttons.tsx';
import { useDecision } from './use-decision.ts';
import { VoiceEntry } from './voice-entry.tsx';
import { percentOf, voiceInRecording, voiceSuggestionsQuery, type VoiceSuggestion } from './voice-queries.ts';

/** Suggestions of all recordings. Keys: up and down move, A accepts, R rejects, P plays. */
export function SuggestionList() {
  const suggestions = useQuery(voiceSuggestionsQuery());
  const list = useRef<HTMLUListElement>(null);
  const empty = useRef<HTMLDivElement>(null);
  const decidedAt = useRef<number | null>(null);
  const decision = useDecision();
  const decide = (suggestion: VoiceSuggestion, action: 'accept' | 'reject', index: number): void => {
    decidedAt.current = index;
    decision.mutate({ suggestion, action });
  };
  // The next entry is at the same position after the list is loaded again.
  useEffect(() => {
    if (decidedAt.current === null || decision.isPending) return;
    if (list.current) focusEntry(list.current, decidedAt.current);
    else empty.current?.focus();
    decidedAt.current = null;
  }, [decision.isPending, suggestions.data]);
  const onKey = (event: KeyboardEvent<HTMLLIElement>, suggestion: VoiceSuggestion, index: number): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const actions: Record<string, () => void> = {
      arrowdown: () => focusEntry(list.current, index + 1),
      arrowup: () => focusEntry(list.current, index - 1),
      a: () => decide(suggestion, 'accept', index),
      r: () => decide(suggestion, 'reject', index),
      p: () => event.currentTarget.querySelector<HTMLElement>('[data-testid="sample"]')?.click(),
    };
    const act = actions[event.key.toLowerCase()];
    if (!act || decision.isPending) return;
    event.preventDefault();
    // A key that is held down decides about one voice.
    if (!event.repeat || event.key.startsWith('Arrow')) act();
  };
  if (!suggestions.data) return <QueryStatus of={suggestions} failure={t`The suggestions couldn’t be loaded`} />;
  if (suggestions.data.suggestions.length === 0)
    return (
      <div ref={empty} tabIndex={-1} style={{ outline: 'none' }}>
        <Empty>{t`No suggestions. Name a speaker, and the same voice is suggested in other recordings.`}</Empty>
      </div>
    );
  return (
    <>
      {suggestions.isError && <QueryStatus of={suggestions} failure={t`The suggestions couldn’t be loaded`} />}
      <Text size="sm" c="dimmed" mb="sm" visibleFrom="sm">
        {t`Keys in the list: ↑ and ↓ move, A accepts, R rejects, P plays a sample.`}
      </Text>
      <ul className="ot-list" ref={list} aria-label={t`Suggestions`}>
        {suggestions.data.suggestions.map((suggestion, index) => {
          const { voice, profile, confidence } = suggestion;
          const percent = percentOf(confidence);
          return (
            <li
              key={`${voice.speaker_uuid} ${profile.uuid}`}
              className="ot-card"
              style={{ padding: '0.75rem' }}
              data-testid="suggested-voice"
              aria-label={t`${voiceInRecording(voice)} is probably ${profile.name}`}
              // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- an entry is operated by keys
              tabIndex={0}
              onKeyDown={(event) => onKey(event, suggestion, index)}
            >
              <VoiceEntry voice={voice} title={<Text fw={600}>{t`${profile.name} (${percent} %)`}</Text>}>
                <DecisionButtons
                  speaker={voiceInRecording(voice)}
                  profile={profile}
                  size="compact-sm"
                  disabled={decision.isListMoving}
                  onDecide={(action) => decide(suggestion, action, index)}
                />
              </VoiceEntry>
            </li>
          );
        })}
      </ul>
    </>
  );
}

/** Focuses an entry by its position; the last one when there are fewer. */
function focusEntry(list: HTMLUListElement | null, index: number): void {
  const entries = list?.children ?? [];
  const entry = entries[Math.min(Math.max(0, index), entries.length - 1)];
  if (entry instanceof HTMLElement) entry.focus();
}

import { t } from '@lingui/core/macro';
import { Button, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useRef, type KeyboardEvent } from 'react';
import { Empty, QueryStatus } from '../ui/query-status.tsx';
import { useDecision } from './use-decision.ts';
import { voiceSuggestionsQuery, type VoiceSuggestion } from './voice-queries.ts';
import { VoiceSample } from './voice-sample.tsx';

/** Suggestions of all recordings. Keys: up and down move, A accepts, R rejects, P plays. */
export function VoiceInbox() {
  const inbox = useQuery(voiceSuggestionsQuery());
  const list = useRef<HTMLUListElement>(null);
  const decision = useDecision();
  const decide = (suggestion: VoiceSuggestion, action: 'accept' | 'reject'): void =>
    decision.mutate({ suggestion, action }, { onSettled: () => focusEntry(list.current, 0) });
  const onKey = (event: KeyboardEvent<HTMLLIElement>, suggestion: VoiceSuggestion, index: number): void => {
    if (event.target !== event.currentTarget || event.ctrlKey || event.metaKey || event.altKey) return;
    const actions: Record<string, () => void> = {
      ArrowDown: () => focusEntry(list.current, index + 1),
      ArrowUp: () => focusEntry(list.current, index - 1),
      a: () => decide(suggestion, 'accept'),
      r: () => decide(suggestion, 'reject'),
      p: () => event.currentTarget.querySelector<HTMLElement>('[data-testid="sample"]')?.click(),
    };
    const act = actions[event.key];
    if (!act || decision.isPending) return;
    event.preventDefault();
    act();
  };
  if (!inbox.data) return <QueryStatus of={inbox} failure={t`The suggestions couldn’t be loaded`} />;
  if (inbox.data.suggestions.length === 0)
    return <Empty>{t`No suggestions. Name a speaker, and the same voice is suggested in other recordings.`}</Empty>;
  return (
    <>
      <Text size="sm" c="dimmed" mb="sm">
        {t`Keys in the list: ↑ and ↓ move, A accepts, R rejects, P plays a sample.`}
      </Text>
      <ul className="ot-list" ref={list} data-testid="voice-inbox" aria-label={t`Suggestions`}>
        {inbox.data.suggestions.map((suggestion, index) => {
          const { voice, profile, confidence } = suggestion;
          const percent = Math.round(confidence * 100);
          return (
            <li
              key={`${voice.speaker_uuid} ${profile.uuid}`}
              // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- an entry is operated by keys
              tabIndex={0}
              onKeyDown={(event) => onKey(event, suggestion, index)}
            >
              <Group justify="space-between" gap="xs" p="sm">
                <div style={{ minWidth: 0, flex: '1 1 200px' }}>
                  <Text fw={600}>{t`${profile.name} (${percent} %)`}</Text>
                  <Text size="sm" c="dimmed" truncate>
                    <Link to="/files/$uuid" params={{ uuid: voice.file_uuid }}>
                      {voice.file_title}
                    </Link>
                    {' · '}
                    {voice.label}
                  </Text>
                </div>
                <Group gap="xs">
                  <VoiceSample voice={voice} />
                  <Button size="compact-sm" onClick={() => decide(suggestion, 'accept')} disabled={decision.isPending}>
                    {t`Accept`}
                  </Button>
                  <Button
                    size="compact-sm"
                    variant="default"
                    onClick={() => decide(suggestion, 'reject')}
                    disabled={decision.isPending}
                  >
                    {t`Reject`}
                  </Button>
                </Group>
              </Group>
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

import { Alert, Button, Group, Kbd, Stack, Text, Textarea } from '@mantine/core';
import { useState, type KeyboardEvent } from 'react';
import { wordsOf } from '../api/problem.ts';
import type { Segment } from '../api/queries.ts';
import { clock } from '../lib/format.ts';
import css from './file.module.css';
import { isConflict } from './use-edits.ts';

type Props = {
  readonly segment: Segment;
  readonly onSave: (segment: Segment, text: string) => Promise<void>;
  readonly onLeave: () => void;
};

/** Edits a passage in place. What was typed is never lost: not to a refusal, not to somebody else's edit. */
export const SegmentEditor = ({ segment, onSave, onLeave }: Props) => {
  // What was on screen when the edit began: a change of somebody else since then must be noticed, not written over.
  const [began] = useState(segment);
  const [text, setText] = useState(segment.text);
  const [error, setError] = useState<unknown>(null);
  const [saving, setSaving] = useState(false);
  const conflict = isConflict(error);
  const save = async (over: Segment): Promise<void> => {
    const wanted = text.trim();
    if (wanted === over.text) return onLeave();
    setSaving(true);
    setError(null);
    try {
      await onSave(over, wanted);
      onLeave();
    } catch (refused) {
      setError(refused);
      setSaving(false);
    }
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Escape') {
      event.preventDefault();
      onLeave();
    } else if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      void save(began);
    }
  };
  return (
    <Stack gap="xs" className={css['editor'] ?? ''}>
      <Textarea
        aria-label={`Text of the passage at ${clock(segment.start_time)}`}
        autosize
        minRows={2}
        maxLength={20_000}
        autoFocus
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        onKeyDown={onKeyDown}
        styles={{ input: { fontSize: '1.0625rem', lineHeight: 1.65 } }}
      />
      {error !== null && (
        <Alert
          role="alert"
          color={conflict ? 'yellow' : 'red'}
          variant="light"
          title={conflict ? 'Somebody changed this passage meanwhile' : 'Not saved'}
        >
          {conflict ? (
            <Stack gap="xs">
              <Text size="sm">It now reads: “{segment.text}”</Text>
              <Group gap="xs">
                <Button size="xs" onClick={() => void save(segment)}>
                  Save mine over it
                </Button>
                <Button size="xs" variant="default" onClick={onLeave}>
                  Take theirs
                </Button>
              </Group>
            </Stack>
          ) : (
            <Text size="sm">{wordsOf(error)}</Text>
          )}
        </Alert>
      )}
      {!conflict && (
        <Group gap="xs">
          <Button size="xs" loading={saving} onClick={() => void save(began)}>
            Save
          </Button>
          <Button size="xs" variant="default" onClick={onLeave}>
            Cancel
          </Button>
          <Text size="xs" c="dimmed" visibleFrom="sm">
            <Kbd size="xs">Ctrl</Kbd> <Kbd size="xs">Enter</Kbd> saves, <Kbd size="xs">Esc</Kbd> leaves
          </Text>
        </Group>
      )}
    </Stack>
  );
};

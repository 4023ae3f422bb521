import { Anchor, Button, Group, Text } from '@mantine/core';
import { useEffect, useMemo, useState } from 'react';
import { say, sayError } from '../app/notify.ts';
import { drafts as store } from '../app/services.ts';
import { askToDiscard } from '../app/unsaved.tsx';
import { copyText } from '../lib/copy-text.ts';
import { clock, plural } from '../lib/format.ts';
import css from './file.module.css';
import { passagePlace, usePassageDrafts, type PassageDraft } from './passage-drafts.ts';
import type { Transcript } from './use-transcript.ts';

type Props = {
  readonly fileId: string;
  readonly transcript: Transcript;
  readonly onShow: (segmentId: string, index: number) => void;
};

/** Corrections that are typed and not saved, wherever in the transcript they are. */
export function DraftsNote({ fileId, transcript, onShow }: Props) {
  const drafts = usePassageDrafts(fileId);
  const [last, setLast] = useState<string | null>(null);
  const indexes = useMemo(
    () => new Map(transcript.loaded.map(({ segment, index }) => [segment.uuid, index])),
    [transcript.loaded],
  );
  useNoteOnLeaving(fileId);
  if (drafts.size === 0) return null;
  const lost = transcript.complete ? [...drafts].filter(([id]) => !indexes.has(id)) : [];
  const shown = [...drafts.keys()].filter((id) => indexes.has(id));
  const showNext = (): void => {
    const next = shown[(shown.indexOf(last ?? '') + 1) % shown.length];
    if (next === undefined) return;
    setLast(next);
    onShow(next, indexes.get(next) ?? 0);
  };
  const discardAll = async (): Promise<void> => {
    if (!(await askToDiscard())) return;
    for (const id of drafts.keys()) store.drop(passagePlace(fileId, id));
  };
  return (
    <div className={css['drafts']} role="status" data-testid="drafts">
      <Group gap="xs">
        <Text size="sm" fw={600}>
          {plural(drafts.size, 'unsaved correction')}
        </Text>
        {shown.length > 0 && (
          <Button size="compact-sm" variant="default" onClick={showNext}>
            {shown.length === 1 ? 'Show' : 'Show next'}
          </Button>
        )}
        <Button size="compact-sm" variant="default" onClick={() => void discardAll()}>
          {drafts.size === 1 ? 'Discard' : 'Discard all'}
        </Button>
      </Group>
      {lost.map(([id, draft]) => (
        <LostDraft key={id} draft={draft} onDiscard={() => store.drop(passagePlace(fileId, id))} />
      ))}
    </div>
  );
}

/** A draft of a passage that a new transcription has replaced: its text can still be copied. */
function LostDraft({ draft, onDiscard }: { draft: PassageDraft; onDiscard: () => void }) {
  const copy = (): void =>
    void copyText(draft.text).then(
      () => say('Text copied.'),
      (error: unknown) => sayError('The text couldn’t be copied', error),
    );
  return (
    <Text size="sm" mt="xs">
      The passage at {clock(draft.start)} no longer exists. Your text: “{draft.text}”{' '}
      <Anchor component="button" type="button" size="sm" onClick={copy}>
        Copy
      </Anchor>{' '}
      <Anchor component="button" type="button" size="sm" onClick={onDiscard}>
        Discard
      </Anchor>
    </Text>
  );
}

/** Leaving the page keeps the drafts; a message says so. */
const useNoteOnLeaving = (fileId: string): void =>
  useEffect(
    () => () => {
      const prefix = passagePlace(fileId, '');
      const count = [...store.all.get().keys()].filter((place) => place.startsWith(prefix)).length;
      if (count > 0) say(`${plural(count, 'unsaved correction')} kept as ${count === 1 ? 'a draft' : 'drafts'}.`);
    },
    [fileId],
  );

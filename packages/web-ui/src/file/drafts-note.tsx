import { plural, t } from '@lingui/core/macro';
import { Anchor, Button, Group, Text } from '@mantine/core';
import { useEffect, useMemo, useState } from 'react';
import { notify, notifyError } from '../ui/notify.ts';
import { drafts as store } from '../state/services.ts';
import { askToDiscard } from '../ui/unsaved.tsx';
import { copyText } from '../lib/copy-text.ts';
import { clock } from '../lib/format.ts';
import css from './file.module.css';
import { passageDraftKey, usePassageDrafts, type PassageDraft } from './passage-drafts.ts';
import type { Transcript } from './use-transcript.ts';

type Props = {
  readonly fileId: string;
  readonly transcript: Transcript;
  readonly onShow: (segmentId: string, index: number) => void;
};

/** The unsaved corrections of the whole transcript. */
export function DraftsNote({ fileId, transcript, onShow }: Props) {
  const drafts = usePassageDrafts(fileId);
  const [lastShown, setLastShown] = useState<string | null>(null);
  const indexes = useMemo(
    () => new Map(transcript.loaded.map(({ segment, index }) => [segment.uuid, index])),
    [transcript.loaded],
  );
  useNoteOnLeaving(fileId);
  if (drafts.size === 0) return null;
  const lost = transcript.complete ? [...drafts].filter(([id]) => !indexes.has(id)) : [];
  const shown = [...drafts.keys()].filter((id) => indexes.has(id));
  const showNext = (): void => {
    const next = shown[(shown.indexOf(lastShown ?? '') + 1) % shown.length];
    if (next === undefined) return;
    setLastShown(next);
    onShow(next, indexes.get(next) ?? 0);
  };
  const discardAll = async (): Promise<void> => {
    if (!(await askToDiscard())) return;
    for (const id of drafts.keys()) store.drop(passageDraftKey(fileId, id));
  };
  return (
    <div className={css['drafts']} role="status" data-testid="drafts">
      <Group gap="xs">
        <Text size="sm" fw={600}>
          {plural(drafts.size, { one: '# unsaved correction', other: '# unsaved corrections' })}
        </Text>
        {shown.length > 0 && (
          <Button size="compact-sm" variant="default" onClick={showNext}>
            {shown.length === 1 ? t`Show` : t`Show next`}
          </Button>
        )}
        <Button size="compact-sm" variant="default" onClick={() => void discardAll()}>
          {drafts.size === 1 ? t`Discard` : t`Discard all`}
        </Button>
      </Group>
      {lost.map(([id, draft]) => (
        <LostDraft key={id} draft={draft} onDiscard={() => store.drop(passageDraftKey(fileId, id))} />
      ))}
    </div>
  );
}

/** A draft whose passage was replaced by a new transcription. Its text can still be copied. */
function LostDraft({ draft, onDiscard }: { draft: PassageDraft; onDiscard: () => void }) {
  const copy = (): void =>
    void copyText(draft.text).then(
      () => notify(t`Text copied.`),
      (error: unknown) => notifyError(t`The text couldn’t be copied`, error),
    );
  return (
    <Text size="sm" mt="xs">
      {t`The passage at ${clock(draft.start)} no longer exists. Your text: “${draft.text}”`}{' '}
      <Anchor component="button" type="button" size="sm" onClick={copy}>
        {t`Copy`}
      </Anchor>{' '}
      <Anchor component="button" type="button" size="sm" onClick={onDiscard}>
        {t`Discard`}
      </Anchor>
    </Text>
  );
}

/** Leaving the page keeps the drafts, and a message confirms it. */
function useNoteOnLeaving(fileId: string): void {
  return useEffect(
    () => () => {
      const prefix = passageDraftKey(fileId, '');
      const count = [...store.all.get().keys()].filter((key) => key.startsWith(prefix)).length;
      if (count > 0)
        notify(
          plural(count, {
            one: '# unsaved correction kept as a draft.',
            other: '# unsaved corrections kept as drafts.',
          }),
        );
    },
    [fileId],
  );
}

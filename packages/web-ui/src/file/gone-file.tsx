import { plural, t } from '@lingui/core/macro';
import { Button, Code, Stack, Text } from '@mantine/core';
import { useEffect, useSyncExternalStore } from 'react';
import type { FileDetail } from '../api/queries.ts';
import { drafts } from '../state/services.ts';
import { draftKey } from './editor/use-autosave.ts';
import { GonePage, NotFoundPage } from '../ui/not-found-page.tsx';
import { copyAndNotify } from '../ui/copy-text.ts';
import { clearNotices } from '../ui/notify.ts';

type Props = {
  readonly fileId: string;
  /** As it was when it could be read last; undefined: it was not open. */
  readonly file: FileDetail | undefined;
};

/** A recording that cannot be read any more. Corrections that were not saved can still be copied. */
export function GoneFile({ fileId, file }: Props) {
  const texts = unsavedTexts(useSyncExternalStore(drafts.all.subscribe, drafts.all.get), fileId);
  const isLost = file !== undefined && file.my_permission !== 'owner';
  useEffect(() => {
    // Nothing of what they offer can be done any more.
    if (isLost) clearNotices();
  }, [isLost]);
  if (file === undefined && texts.length === 0) return <NotFoundPage />;
  const text = texts.join('\n');
  return (
    <GonePage title={file?.title ?? t`Page not found`} text={reasonOf(file)}>
      {texts.length > 0 && (
        <Stack gap="xs" w="100%" data-testid="kept-drafts">
          <Text size="sm">
            {plural(texts.length, {
              one: 'Your unsaved correction is kept in this browser:',
              other: 'Your # unsaved corrections are kept in this browser:',
            })}
          </Text>
          <Code block ta="start" mah={240} style={{ overflow: 'auto', whiteSpace: 'pre-wrap' }}>
            {text}
          </Code>
          <Button
            variant="default"
            onClick={() => void copyAndNotify(text, t`Text copied.`, t`The text couldn’t be copied`)}
          >
            {t`Copy the text`}
          </Button>
        </Stack>
      )}
    </GonePage>
  );
}

function reasonOf(file: FileDetail | undefined): string {
  if (file === undefined) return t`This recording was deleted, or is no longer shared with you.`;
  const { my_permission: permission, owner_name: owner } = file;
  if (permission === 'owner') return t`This recording was deleted. It may be in the bin.`;
  return owner === null
    ? t`This recording is no longer shared with you, or was deleted.`
    : t`${owner} no longer shares this recording with you, or deleted it.`;
}

/** The texts of the corrections of a file that were not saved. */
function unsavedTexts(all: ReadonlyMap<string, unknown>, fileId: string): string[] {
  return [...new Set(textsIn(all.get(draftKey(fileId))))];
}

function textsIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, part]) =>
    key === 'text' && typeof part === 'string' && part !== '' ? [part] : textsIn(part),
  );
}

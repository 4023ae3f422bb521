import { plural, t } from '@lingui/core/macro';
import { Button, Code, Group, Stack, Text } from '@mantine/core';
import { useSyncExternalStore } from 'react';
import { drafts } from '../state/services.ts';
import { copyAndNotify } from '../ui/copy-text.ts';
import { draftKey } from './editor/use-autosave.ts';

type Props = {
  readonly fileId: string;
  /** Lets an open document forget them: it would keep them again. */
  readonly onDiscard?: () => void;
};

/** Corrections that were not saved, for a person who may not save them any more. */
export function KeptDrafts({ fileId, onDiscard }: Props) {
  const texts = useUnsavedTexts(fileId);
  if (texts.length === 0) return null;
  const text = texts.join('\n');
  return (
    <Stack gap="xs" w="100%" mb="sm" data-testid="kept-drafts">
      <Text size="sm">
        {plural(texts.length, {
          one: 'Your unsaved correction is kept in this browser:',
          other: 'Your # unsaved corrections are kept in this browser:',
        })}
      </Text>
      <Code block ta="start" mah={240} style={{ overflow: 'auto', whiteSpace: 'pre-wrap' }}>
        {text}
      </Code>
      <Group gap="xs">
        <Button
          variant="default"
          onClick={() => void copyAndNotify(text, t`Text copied.`, t`The text couldn’t be copied`)}
        >
          {t`Copy the text`}
        </Button>
        <Button
          variant="default"
          onClick={() => {
            onDiscard?.();
            drafts.drop(draftKey(fileId));
          }}
        >
          {t`Discard`}
        </Button>
      </Group>
    </Stack>
  );
}

/** The texts of the corrections of a file that were not saved. */
export function useUnsavedTexts(fileId: string): string[] {
  const all = useSyncExternalStore(drafts.all.subscribe, drafts.all.get);
  return [...new Set(textsIn(all.get(draftKey(fileId))))];
}

function textsIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, part]) =>
    key === 'text' && typeof part === 'string' && part !== '' ? [part] : textsIn(part),
  );
}

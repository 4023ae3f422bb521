import { t } from '@lingui/core/macro';
import { ActionIcon, Autocomplete, Badge, CloseButton } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { call } from '../api/client.ts';
import { tagsQuery } from '../api/queries.ts';
import { Icon } from '../ui/icons.tsx';
import { notifyError } from '../ui/notify.ts';
import { confirmDiscard, RestoredNote } from '../ui/draft.tsx';
import { useDraft } from '../state/use-draft.ts';
import { useFocusReturn } from '../ui/use-focus-return.ts';
import { canEdit, useFile } from './file-context.ts';
import css from './file.module.css';

/** Tags of the file; added by typing, removed by their cross. */
export function TagsLine() {
  const { file } = useFile();
  const editable = canEdit(file);
  const client = useQueryClient();
  const draft = useDraft(`new-tag:${file.uuid}`, '');
  const [opened, setOpened] = useState(false);
  const open = opened || draft.changed;
  const line = useRef<HTMLDivElement>(null);
  const known = useQuery({ ...tagsQuery, enabled: open }).data ?? [];
  useFocusReturn(open, () => line.current?.querySelector('[data-add-tag]'));
  const refresh = (): void => {
    for (const key of [['file', file.uuid], ['tags'], ['files']]) void client.invalidateQueries({ queryKey: key });
  };
  const attach = useMutation({
    mutationFn: (name: string) =>
      call('POST /api/tags/files/{uuid}/tags', { params: { uuid: file.uuid }, body: { name } }),
    onSuccess: () => {
      draft.drop();
      setOpened(false);
      refresh();
    },
    onError: (error) => notifyError(t`The tag was not added`, error),
  });
  const detach = useMutation({
    mutationFn: (tag_name: string) =>
      call('DELETE /api/tags/files/{uuid}/tags/{tag_name}', { params: { uuid: file.uuid, tag_name } }),
    onSuccess: refresh,
    onError: (error) => notifyError(t`The tag was not removed`, error),
  });
  const add = (name: string): void => {
    if (name.trim() !== '' && !attach.isPending) attach.mutate(name.trim());
  };
  const cancel = async (): Promise<void> => {
    if (await confirmDiscard(draft)) setOpened(false);
  };
  const remove = (name: string): void => {
    // Its button goes with the tag.
    line.current?.querySelector<HTMLElement>('[data-add-tag]')?.focus({ preventScroll: true });
    detach.mutate(name);
  };
  return (
    <div ref={line} className={css['tags']} data-testid="tags">
      {file.tags.map((tag) => (
        <Badge
          key={tag.uuid}
          variant="light"
          color="petrol"
          size="lg"
          {...(editable
            ? {
                pr: 2,
                rightSection: (
                  <CloseButton
                    className={css['tagRemove'] ?? ''}
                    size="xs"
                    radius="xl"
                    aria-label={t`Remove tag ${tag.name}`}
                    onClick={() => remove(tag.name)}
                  />
                ),
              }
            : {})}
        >
          {tag.name}
        </Badge>
      ))}
      {!editable ? null : !open ? (
        <Badge
          component="button"
          variant="default"
          size="lg"
          leftSection={<Icon name="tag" size={14} />}
          data-add-tag
          onClick={() => setOpened(true)}
          style={{ cursor: 'pointer' }}
        >
          {t`Add tag`}
        </Badge>
      ) : (
        <form
          style={{ display: 'flex', alignItems: 'center', gap: 4 }}
          onSubmit={(event) => {
            event.preventDefault();
            add(draft.value);
          }}
        >
          <Autocomplete
            size="xs"
            aria-label={t`New tag`}
            autoFocus={!draft.restored}
            maxLength={50}
            value={draft.value}
            onChange={draft.set}
            onOptionSubmit={add}
            data={known.map((tag) => tag.name).filter((name) => !file.tags.some((tag) => tag.name === name))}
            onKeyDown={(event) => event.key === 'Escape' && void cancel()}
            w={160}
          />
          <ActionIcon type="submit" size="md" color="petrol" aria-label={t`Add tag`} loading={attach.isPending}>
            <Icon name="check" size={17} />
          </ActionIcon>
          <ActionIcon size="md" aria-label={t`Cancel`} onClick={() => void cancel()}>
            <Icon name="close" size={17} />
          </ActionIcon>
          <RestoredNote draft={draft} />
        </form>
      )}
    </div>
  );
}

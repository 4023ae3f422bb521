import { ActionIcon, Autocomplete, Badge, CloseButton } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../api/client.ts';
import { tagsQuery } from '../api/queries.ts';
import { Icon } from '../app/icons.tsx';
import { sayError } from '../app/notify.ts';
import { mayCorrect, useFile } from './file-context.ts';
import css from './file.module.css';

/** Tags of the file; added by typing, removed by their cross. */
export const TagsLine = () => {
  const { file } = useFile();
  const editable = mayCorrect(file);
  const client = useQueryClient();
  const [draft, setDraft] = useState<string | null>(null);
  const known = useQuery({ ...tagsQuery, enabled: draft !== null }).data ?? [];
  const refresh = (): void => {
    for (const key of [['file', file.uuid], ['tags'], ['files']]) void client.invalidateQueries({ queryKey: key });
  };
  const attach = useMutation({
    mutationFn: (name: string) => call('attachTag', { params: { uuid: file.uuid }, body: { name } }),
    onSuccess: refresh,
    onError: (error) => sayError('The tag was not added', error),
  });
  const detach = useMutation({
    mutationFn: (tag_name: string) => call('detachTag', { params: { uuid: file.uuid, tag_name } }),
    onSuccess: refresh,
    onError: (error) => sayError('The tag was not removed', error),
  });
  const add = (name: string): void => {
    if (name.trim() === '') return;
    attach.mutate(name.trim());
    setDraft(null);
  };
  return (
    <div className={css['tags']} data-testid="tags">
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
                    size="xs"
                    radius="xl"
                    aria-label={`Remove tag ${tag.name}`}
                    onClick={() => detach.mutate(tag.name)}
                  />
                ),
              }
            : {})}
        >
          {tag.name}
        </Badge>
      ))}
      {!editable ? null : draft === null ? (
        <Badge
          component="button"
          variant="default"
          size="lg"
          leftSection={<Icon name="tag" size={14} />}
          onClick={() => setDraft('')}
          style={{ cursor: 'pointer' }}
        >
          Add tag
        </Badge>
      ) : (
        <form
          style={{ display: 'flex', gap: 4 }}
          onSubmit={(event) => {
            event.preventDefault();
            add(draft);
          }}
        >
          <Autocomplete
            size="xs"
            aria-label="New tag"
            autoFocus
            maxLength={50}
            value={draft}
            onChange={setDraft}
            onOptionSubmit={add}
            data={known.map((t) => t.name).filter((n) => !file.tags.some((t) => t.name === n))}
            onKeyDown={(event) => event.key === 'Escape' && setDraft(null)}
            w={160}
          />
          <ActionIcon type="submit" size="md" color="petrol" aria-label="Add tag">
            <Icon name="check" size={17} />
          </ActionIcon>
        </form>
      )}
    </div>
  );
};

import { t } from '@lingui/core/macro';
import { ActionIcon, Badge, Button, Group, Menu, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '../api/client.ts';
import { Icon } from '../ui/icons.tsx';
import { notify, notifyError } from '../ui/notify.ts';
import { contentTypeLabels, titleOf } from './labels.ts';
import type { PromptItem } from './prompt-queries.ts';
import css from './prompts.module.css';

export type PromptAction = 'show' | 'edit' | 'copy' | 'delete';
type Props = { readonly item: PromptItem; readonly onAction: (action: PromptAction) => void };

/** A prompt in the list, with what the person may do with it. */
export function PromptEntry({ item, onAction }: Props) {
  const client = useQueryClient();
  const { name, description } = titleOf(item);
  const use = useMutation({
    mutationFn: () => call('POST /api/prompts/active/set', { body: { prompt_uuid: item.uuid } }),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ['prompts'] });
      notify(t`New summaries use “${name}”.`);
    },
    onError: (error) => notifyError(t`The prompt wasn’t chosen`, error),
  });
  return (
    <li className={`ot-card ${css['entry']}`} data-prompt={name}>
      <Group justify="space-between" wrap="nowrap" align="flex-start">
        <div style={{ minWidth: 0 }}>
          <Group gap="xs">
            <Text fw={600} className={css['name'] ?? ''}>
              {name}
            </Text>
            <Badge size="sm" variant="light" color="gray">
              {item.is_system ? t`Built-in` : contentTypeLabels[item.content_type]}
            </Badge>
            {item.is_shared && (
              <Badge size="sm" variant="light">
                {t`Shared`}
              </Badge>
            )}
            {item.is_active && (
              <Badge size="sm" variant="light" color="petrol">
                {t`In use`}
              </Badge>
            )}
          </Group>
          <Text size="sm" c="dimmed" className={css['name'] ?? ''}>
            {factsOf(item, description).join(' · ')}
          </Text>
        </div>
        <Group gap={4} wrap="nowrap">
          {!item.is_active && (
            <Button size="compact-sm" variant="default" loading={use.isPending} onClick={() => use.mutate()}>
              {t`Use`}
            </Button>
          )}
          <EntryMenu item={item} name={name} onAction={onAction} />
        </Group>
      </Group>
    </li>
  );
}

function factsOf({ is_own, owner_name, tags }: PromptItem, description: string): string[] {
  return [
    description,
    ...(is_own || owner_name === null ? [] : [t`by ${owner_name}`]),
    tags.map((tag) => `#${tag}`).join(' '),
  ].filter((fact) => fact !== '');
}

function EntryMenu({ item, name, onAction }: Props & { readonly name: string }) {
  const client = useQueryClient();
  const share = useMutation({
    mutationFn: () => call('POST /api/prompts/shared/{uuid}/toggle', { params: { uuid: item.uuid } }),
    onSuccess: async ({ is_shared }) => {
      await client.invalidateQueries({ queryKey: ['prompts'] });
      notify(is_shared ? t`Everyone can use the prompt now.` : t`The prompt is no longer shared.`);
    },
    onError: (error) => notifyError(t`Sharing wasn’t changed`, error),
  });
  return (
    <Menu position="bottom-end" width={220}>
      <Menu.Target>
        <ActionIcon aria-label={t`Actions for ${name}`}>
          <Icon name="more" />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<Icon name="file" size={17} />} onClick={() => onAction('show')}>
          {t`Show instructions`}
        </Menu.Item>
        <Menu.Item leftSection={<Icon name="copy" size={17} />} onClick={() => onAction('copy')}>
          {t`Make a copy`}
        </Menu.Item>
        {item.is_own && (
          <>
            <Menu.Item leftSection={<Icon name="edit" size={17} />} onClick={() => onAction('edit')}>
              {t`Change`}
            </Menu.Item>
            <Menu.Item leftSection={<Icon name="users" size={17} />} onClick={() => share.mutate()}>
              {item.is_shared ? t`Stop sharing` : t`Share with everyone`}
            </Menu.Item>
            <Menu.Item color="red" leftSection={<Icon name="trash" size={17} />} onClick={() => onAction('delete')}>
              {t`Delete`}
            </Menu.Item>
          </>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}

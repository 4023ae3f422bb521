import { t } from '@lingui/core/macro';
import { ActionIcon, Badge, Group, Menu, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../api/client.ts';
import { ShareDialog } from '../sharing/share-dialog.tsx';
import { sharedTemplate } from '../sharing/shared.ts';
import { Icon } from '../ui/icons.tsx';
import { notify, notifyError } from '../ui/notify.ts';
import { Pager } from '../ui/pager.tsx';
import { Pane } from '../ui/pane.tsx';
import { Empty, QueryStatus } from '../ui/query-status.tsx';
import { formatLabels } from './labels.ts';
import { refreshTemplates, templatesPageSize, templatesQuery, type ExportTemplate } from './template-queries.ts';
import { NameDialog } from '../naming/name-dialog.tsx';
import { Confirm } from '../ui/confirm.tsx';

type Props = { readonly template: ExportTemplate; readonly onClose: () => void };

function RenameTemplateDialog({ template: { uuid, name }, onClose }: Props) {
  const client = useQueryClient();
  return (
    <NameDialog
      title={t`Rename the template`}
      failure={t`The template wasn’t changed`}
      draftKey={`export-template-name:${uuid}`}
      name={name}
      maxLength={120}
      send={(next) => call('PUT /api/export-templates/{uuid}', { params: { uuid }, body: { name: next } })}
      refresh={() => refreshTemplates(client)}
      onClose={onClose}
    />
  );
}

function DeleteTemplateDialog({ template: { uuid, name }, onClose }: Props) {
  const client = useQueryClient();
  return (
    <Confirm
      title={t`Delete the template ${name}?`}
      action={t`Delete`}
      run={() => call('DELETE /api/export-templates/{uuid}', { params: { uuid } })}
      onDone={() => void refreshTemplates(client)}
      onClose={onClose}
    >
      <Text size="sm">{t`It can no longer be chosen. Exports that were made with it stay.`}</Text>
    </Confirm>
  );
}

type Action = 'rename' | 'share' | 'delete';

/** Export templates: own ones, and those that others share. */
export function TemplatesPage() {
  const [page, setPage] = useState(1);
  const [shown, setShown] = useState<{ action: Action; template: ExportTemplate } | null>(null);
  const templates = useQuery(templatesQuery(page));
  const { items = [], total = 0 } = templates.data ?? {};
  const close = (): void => setShown(null);
  return (
    <Pane title={t`Export templates`}>
      <Text c="dimmed" size="sm" mb="lg" maw={640}>
        {t`A template is a format with its options. It is chosen when transcripts are exported, and saved there.`}
      </Text>
      <QueryStatus of={templates} failure={t`The templates couldn’t be loaded`} />
      {templates.data && total === 0 && (
        <Empty>{t`No templates yet. Export a transcript, choose options, and save them as a template.`}</Empty>
      )}
      {items.length > 0 && (
        <ul className="ot-list" data-testid="export-templates">
          {items.map((template) => (
            <TemplateEntry
              key={template.uuid}
              template={template}
              onAction={(action) => setShown({ action, template })}
            />
          ))}
        </ul>
      )}
      <Pager page={page} total={total} size={templatesPageSize} onPage={setPage} />
      {shown?.action === 'rename' && <RenameTemplateDialog template={shown.template} onClose={close} />}
      {shown?.action === 'share' && <ShareDialog shared={sharedTemplate(shown.template)} onClose={close} />}
      {shown?.action === 'delete' && <DeleteTemplateDialog template={shown.template} onClose={close} />}
    </Pane>
  );
}

type EntryProps = { readonly template: ExportTemplate; readonly onAction: (action: Action) => void };

function TemplateEntry({ template, onAction }: EntryProps) {
  const { name, format, my_permission: permission } = template;
  return (
    <li className="ot-card" style={{ padding: '0.75rem 1rem' }} data-template={name}>
      <div className="ot-entry">
        <div style={{ minWidth: 0 }}>
          <Group gap="xs">
            <Text fw={600} style={{ overflowWrap: 'anywhere' }}>
              {name}
            </Text>
            {badgesOf(template).map((label) => (
              <Badge key={label} size="sm" variant="light" color="gray" tt="none">
                {label}
              </Badge>
            ))}
          </Group>
          <Text size="sm" c="dimmed">
            {formatLabels[format]}
          </Text>
        </div>
        {permission !== 'viewer' && <EntryMenu template={template} onAction={onAction} />}
      </div>
    </li>
  );
}

function badgesOf({
  owner_name: owner,
  my_permission: permission,
  is_shared,
  for_everybody,
}: ExportTemplate): string[] {
  return [
    ...(owner === null ? [] : [t`Owner: ${owner}`]),
    ...(permission === 'viewer' ? [t`Can view`] : []),
    ...(permission === 'editor' ? [t`Can edit`] : []),
    ...(permission === 'owner' && is_shared ? [t`Shared`] : []),
    ...(for_everybody ? [t`For everyone`] : []),
  ];
}

function EntryMenu({ template, onAction }: EntryProps) {
  const client = useQueryClient();
  const { uuid, name, for_everybody: isOffered, my_permission: permission } = template;
  const offer = useMutation({
    mutationFn: () =>
      call('PUT /api/export-templates/{uuid}', { params: { uuid }, body: { for_everybody: !isOffered } }),
    onSuccess: async (changed) => {
      await refreshTemplates(client);
      notify(
        changed.for_everybody ? t`Everyone can use the template now.` : t`The template is no longer for everyone.`,
      );
    },
    onError: (error) => notifyError(t`Sharing wasn’t changed`, error),
  });
  return (
    <Menu position="bottom-end" width={240}>
      <Menu.Target>
        <ActionIcon aria-label={t`Actions for ${name}`}>
          <Icon name="more" />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<Icon name="edit" size={17} />} onClick={() => onAction('rename')}>
          {t`Rename`}
        </Menu.Item>
        {permission === 'owner' && (
          <>
            <Menu.Item leftSection={<Icon name="users" size={17} />} onClick={() => onAction('share')}>
              {t`Share`}
            </Menu.Item>
            <Menu.Item leftSection={<Icon name="users" size={17} />} onClick={() => offer.mutate()}>
              {isOffered ? t`Stop sharing with everyone` : t`Share with everyone`}
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

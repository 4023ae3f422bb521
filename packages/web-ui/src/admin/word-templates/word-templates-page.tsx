import { plural, t, msg } from '@lingui/core/macro';
import { ActionIcon, Badge, Button, Code, Group, Menu, Text } from '@mantine/core';
import { urlOf } from '@overtone/client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { MessageDescriptor } from '@lingui/core';
import type { WordPlaceholder } from '@overtone/contracts';
import { call, download } from '../../api/client.ts';
import { refreshWordTemplates, wordTemplatesQuery, type WordTemplate } from '../../exports/word-template-queries.ts';
import { bytes, moment } from '../../lib/format.ts';
import { Icon } from '../../ui/icons.tsx';
import { notify, notifyError } from '../../ui/notify.ts';
import { Pane, Section } from '../../ui/pane.tsx';
import { Empty, QueryStatus } from '../../ui/query-status.tsx';
import {
  AddWordTemplateDialog,
  DeleteWordTemplateDialog,
  RenameWordTemplateDialog,
  ReplaceWordTemplateDialog,
} from './word-template-dialogs.tsx';
import { translateOnRead } from '../../lib/language.ts';

const placeholderLabels = translateOnRead<Record<WordPlaceholder, MessageDescriptor>>({
  transcript: msg`the transcript, in place of this paragraph`,
  title: msg`title of the recording`,
  date: msg`day of the recording`,
  duration: msg`length of the recording`,
  participants: msg`names of the speakers`,
  language: msg`language code of the recording`,
  filename: msg`name of the recorded file`,
});

const knownPlaceholders: ReadonlySet<string> = new Set(Object.keys(placeholderLabels));

type Action = 'rename' | 'replace' | 'delete';

/** Administration > Word templates: documents with the letterhead of the organisation, for exports. */
export function WordTemplatesPage() {
  const [adding, setAdding] = useState(false);
  const [shown, setShown] = useState<{ action: Action; template: WordTemplate } | null>(null);
  const templates = useQuery(wordTemplatesQuery);
  const close = (): void => setShown(null);
  return (
    <Pane
      title={t`Word templates`}
      actions={
        <Button leftSection={<Icon name="plus" size={17} />} onClick={() => setAdding(true)}>
          {t`Add template`}
        </Button>
      }
    >
      <Text size="sm" mb="md" maw={640}>
        {t`A Word document with your letterhead. Transcripts exported as Word documents get its page, header, footer, fonts and styles.`}
      </Text>
      <QueryStatus of={templates} failure={t`The Word templates couldn’t be loaded`} />
      {templates.data?.length === 0 && (
        <Empty>{t`No Word templates yet. Exported documents have the standard layout.`}</Empty>
      )}
      {templates.data && templates.data.length > 0 && (
        <ul className="ot-list" data-testid="word-templates" style={{ marginBottom: '1.5rem' }}>
          {templates.data.map((template) => (
            <Entry key={template.uuid} template={template} onAction={(action) => setShown({ action, template })} />
          ))}
        </ul>
      )}
      <Placeholders />
      {adding && <AddWordTemplateDialog onClose={() => setAdding(false)} />}
      {shown?.action === 'rename' && <RenameWordTemplateDialog template={shown.template} onClose={close} />}
      {shown?.action === 'replace' && <ReplaceWordTemplateDialog template={shown.template} onClose={close} />}
      {shown?.action === 'delete' && <DeleteWordTemplateDialog template={shown.template} onClose={close} />}
    </Pane>
  );
}

type EntryProps = { readonly template: WordTemplate; readonly onAction: (action: Action) => void };

function Entry({ template, onAction }: EntryProps) {
  const { name, size, updated_at: changed, is_default: isDefault, placeholders } = template;
  const unknown = placeholders.filter((one) => !knownPlaceholders.has(one));
  const known = placeholders.filter((one) => knownPlaceholders.has(one));
  return (
    <li className="ot-card" style={{ padding: '0.75rem 1rem' }} data-template={name}>
      <div className="ot-entry">
        <div style={{ minWidth: 0 }}>
          <Group gap="xs">
            <Text fw={600} style={{ overflowWrap: 'anywhere' }}>
              {name}
            </Text>
            {isDefault && (
              <Badge size="sm" variant="light" color="gray" tt="none">
                {t`Default`}
              </Badge>
            )}
          </Group>
          <Text size="sm" c="dimmed">
            {t`${bytes(size)}, changed ${moment(changed)}`}
          </Text>
          {known.length > 0 && (
            <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
              {t`Placeholders: ${known.map(inBraces).join(', ')}`}
            </Text>
          )}
          {unknown.length > 0 && (
            <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
              {plural(unknown.length, {
                one: 'Unknown placeholder, which stays unchanged:',
                other: 'Unknown placeholders, which stay unchanged:',
              })}{' '}
              {unknown.map(inBraces).join(', ')}
            </Text>
          )}
        </div>
        <EntryMenu template={template} onAction={onAction} />
      </div>
    </li>
  );
}

function inBraces(name: string): string {
  return `{{${name}}}`;
}

function EntryMenu({ template, onAction }: EntryProps) {
  const client = useQueryClient();
  const { uuid, name, is_default: isDefault } = template;
  const choose = useMutation({
    mutationFn: () =>
      call('PUT /api/admin/word-templates/{uuid}', { params: { uuid }, body: { is_default: !isDefault } }),
    onSuccess: async (changed) => {
      await refreshWordTemplates(client);
      notify(
        changed.is_default ? t`Exports have this template by default now.` : t`Exports have no default template now.`,
      );
    },
    onError: (error) => notifyError(t`The default wasn’t changed`, error),
  });
  const save = useMutation({
    mutationFn: () => download(urlOf('GET /api/word-templates/{uuid}/content', { params: { uuid } })),
    onError: (error) => notifyError(t`The document couldn’t be downloaded`, error),
  });
  return (
    <Menu position="bottom-end" width={240}>
      <Menu.Target>
        <ActionIcon aria-label={t`Actions for ${name}`}>
          <Icon name="more" />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<Icon name="check" size={17} />} onClick={() => choose.mutate()}>
          {isDefault ? t`Stop using by default` : t`Use by default`}
        </Menu.Item>
        <Menu.Item leftSection={<Icon name="download" size={17} />} onClick={() => save.mutate()}>
          {t`Download`}
        </Menu.Item>
        <Menu.Item leftSection={<Icon name="edit" size={17} />} onClick={() => onAction('rename')}>
          {t`Rename`}
        </Menu.Item>
        <Menu.Item leftSection={<Icon name="file" size={17} />} onClick={() => onAction('replace')}>
          {t`Replace the document`}
        </Menu.Item>
        <Menu.Item color="red" leftSection={<Icon name="trash" size={17} />} onClick={() => onAction('delete')}>
          {t`Delete`}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

/** What administrators can write into a document. */
function Placeholders() {
  return (
    <Section title={t`Placeholders in a document`}>
      <Text size="sm" mb="sm">
        {t`Each is replaced in the text, the header and the footer. Without the one for the transcript, the transcript follows the text of the document.`}
      </Text>
      <dl style={{ margin: 0 }}>
        {Object.entries(placeholderLabels).map(([name, label]) => (
          <Group key={name} gap="0 0.75rem" mb={6} wrap="wrap">
            <dt>
              <Code>{inBraces(name)}</Code>
            </dt>
            <dd style={{ margin: 0 }}>
              <Text size="sm">{label}</Text>
            </dd>
          </Group>
        ))}
      </dl>
      <Text size="sm" mt="sm">
        {t`Styles with the names Title, Heading 1, Table Grid, Speaker, Passage, Time, Uncertain and About are used for those parts of a transcript. What a document lacks is added.`}
      </Text>
    </Section>
  );
}

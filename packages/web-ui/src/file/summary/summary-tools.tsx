import { t } from '@lingui/core/macro';
import { ActionIcon, Group, Menu, NativeSelect, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../api/client.ts';
import { ago, moment } from '../../lib/format.ts';
import { Confirm } from '../../ui/confirm.tsx';
import { copyAndNotify } from '../../ui/copy-text.ts';
import { Icon } from '../../ui/icons.tsx';
import { notify } from '../../ui/notify.ts';
import { languageName } from '../../uploads/languages.ts';
import { canEdit, useFile } from '../file-context.ts';
import { providerOf } from './summary-state.tsx';
import type { Summary, SummaryStatus, SummaryVersion } from './summary-queries.ts';
import { summaryText } from './summary-text.ts';

type Props = {
  readonly summary: Summary;
  readonly status: SummaryStatus;
  readonly versions: readonly SummaryVersion[];
  readonly onVersion: (version: number) => void;
  readonly onCreate: () => void;
};

/** How the shown summary was made, the choice of its version, and what can be done with it. */
export function SummaryTools({ summary, status, versions, onVersion, onCreate }: Props) {
  const finished = versions.filter(({ state }) => state === 'completed' || state === 'partial');
  return (
    <>
      <Group gap={4} wrap="nowrap" justify="space-between" align="flex-start">
        <Text
          size="xs"
          c="dimmed"
          style={{ overflowWrap: 'anywhere' }}
          title={moment(summary.created_at)}
          data-testid="summary-origin"
        >
          {originOf(summary).join(' · ')}
        </Text>
        <ToolsMenu summary={summary} status={status} onCreate={onCreate} />
      </Group>
      {finished.length > 1 && (
        <NativeSelect
          size="xs"
          aria-label={t`Version of the summary`}
          data={finished.map((item) => ({ value: String(item.version), label: versionLabel(item) }))}
          value={String(summary.version)}
          onChange={(event) => onVersion(Number(event.currentTarget.value))}
        />
      )}
    </>
  );
}

function originOf(summary: Summary): string[] {
  const { made_without_model, prompt_name, language, finished_at, created_at } = summary;
  return [
    made_without_model ? t`Automatic extract: sentences taken from the transcript` : (providerOf(summary) ?? ''),
    prompt_name === null ? '' : t`Prompt: ${prompt_name}`,
    language === null ? '' : languageName(language),
    ago(finished_at ?? created_at),
  ].filter((part) => part !== '');
}

function versionLabel({ version, created_at, withheld, out_of_date }: SummaryVersion): string {
  const note = withheld ? t`not shown: masked` : out_of_date ? t`out of date` : '';
  return [t`Version ${version}`, moment(created_at), note].filter((part) => part !== '').join(' · ');
}

function ToolsMenu({ summary, status, onCreate }: Pick<Props, 'summary' | 'status' | 'onCreate'>) {
  const { file } = useFile();
  const client = useQueryClient();
  const [deleting, setDeleting] = useState(false);
  const copy = (): void =>
    void copyAndNotify(summaryText(summary), t`Summary copied.`, t`The summary couldn’t be copied`);
  const { version } = summary;
  return (
    <>
      <Menu position="bottom-end" width={220}>
        <Menu.Target>
          <ActionIcon size="sm" aria-label={t`Actions for the summary`}>
            <Icon name="more" size={18} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<Icon name="copy" size={17} />} onClick={copy}>
            {t`Copy summary`}
          </Menu.Item>
          {status.can_generate && (
            <Menu.Item leftSection={<Icon name="retry" size={17} />} onClick={onCreate}>
              {t`Create again`}
            </Menu.Item>
          )}
          {canEdit(file) && (
            <Menu.Item color="red" leftSection={<Icon name="trash" size={17} />} onClick={() => setDeleting(true)}>
              {t`Delete this version`}
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
      {deleting && (
        <Confirm
          title={t`Delete version ${version} of the summary?`}
          action={t`Delete the summary`}
          run={() => call('DELETE /api/files/{uuid}/summary', { params: { uuid: file.uuid }, query: { version } })}
          onDone={() => {
            notify(t`Summary deleted.`);
            void client.invalidateQueries({ queryKey: ['summary', file.uuid] });
          }}
          onClose={() => setDeleting(false)}
        >
          <Text size="sm">{t`It can’t be restored. The transcript and other versions stay.`}</Text>
        </Confirm>
      )}
    </>
  );
}

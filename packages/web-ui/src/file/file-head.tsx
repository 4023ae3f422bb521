import { plural, t } from '@lingui/core/macro';
import { ActionIcon, Anchor, Group, Text, Title, Tooltip } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { meQuery } from '../api/queries.ts';
import { ExportButton } from '../exports/export-button.tsx';
import { clock, moment } from '../lib/format.ts';
import { accessText, lastEditText } from '../library/access-labels.ts';
import { FileMenu } from '../library/file-menu.tsx';
import type { Visitor } from '../live/presence-store.ts';
import { Icon } from '../ui/icons.tsx';
import { CollectionsLine } from './collections-line.tsx';
import { useFile } from './file-context.ts';
import css from './file.module.css';
import { Visitors } from './presence/visitors.tsx';
import { TagsLine } from './tags-line.tsx';

/** The title of a recording, its facts and labels, and what can be done with all of it. */
export function FileHead({ visitors, onHelp }: { visitors: readonly Visitor[]; onHelp: () => void }) {
  const { file } = useFile();
  const navigate = useNavigate();
  const me = useQuery(meQuery).data;
  const facts = [
    file.duration === null ? null : clock(file.duration),
    file.speaker_count > 0 ? plural(file.speaker_count, { one: '# speaker', other: '# speakers' }) : null,
    moment(file.recorded_date ?? file.upload_time),
    accessText(file),
    lastEditText(file, me?.uuid),
  ];
  return (
    <header>
      <Group gap={4} wrap="nowrap" mb={4}>
        <Anchor component={Link} to="/" size="sm" c="dimmed" className={css['back'] ?? ''}>
          <Icon name="chevronLeft" size={16} /> {t`Library`}
        </Anchor>
        <Visitors visitors={visitors} />
        {file.total_segments > 0 && <ExportButton file={file} />}
        <Tooltip label={t`Keyboard shortcuts (?)`}>
          <ActionIcon aria-label={t`Keyboard shortcuts`} onClick={onHelp} visibleFrom="sm">
            <Icon name="help" />
          </ActionIcon>
        </Tooltip>
        <FileMenu file={file} onDeleted={() => void navigate({ to: '/' })} />
      </Group>
      <Title order={1} size="h2" dir="auto" className={css['title'] ?? ''}>
        {file.title}
      </Title>
      <Text size="sm" c="dimmed" mb="xs" title={moment(file.upload_time)}>
        {facts.filter((fact) => fact !== null).join(' · ')}
      </Text>
      <div className={css['labels']}>
        <TagsLine />
        <CollectionsLine />
      </div>
    </header>
  );
}

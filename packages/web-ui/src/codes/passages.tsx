import { plural, t } from '@lingui/core/macro';
import { Button, Group, NativeSelect, Stack, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { urlOf } from '@overtone/client';
import { download } from '../api/client.ts';
import { clock } from '../lib/format.ts';
import { Icon } from '../ui/icons.tsx';
import { notifyError } from '../ui/notify.ts';
import { Pager } from '../ui/pager.tsx';
import { Empty, QueryStatus } from '../ui/query-status.tsx';
import { CodeName } from './code-name.tsx';
import { passagesPageSize, passagesQuery, type CodedPassage, type CodeList } from './code-queries.ts';
import css from './codes.module.css';

/** The passages with a code of a list, in all recordings that the person may read. */
export function Passages({ list }: { list: CodeList }) {
  const { code = '', page: shown = '1' } = useSearch({ from: '/inside/codes/$uuid' });
  const page = Math.max(1, Math.trunc(Number(shown)) || 1);
  const navigate = useNavigate({ from: '/codes/$uuid' });
  const chosen = list.codes.some(({ uuid }) => uuid === code) ? code : '';
  const passages = useQuery(passagesQuery(list.uuid, chosen, page));
  const { items = [], total = 0 } = passages.data ?? {};
  const change = (search: Record<string, string>): void =>
    void navigate({
      search: Object.fromEntries(Object.entries(search).filter(([, value]) => value !== '')),
      replace: true,
    });
  return (
    <Stack gap="sm" data-testid="passages">
      <Group gap="xs" align="end">
        <NativeSelect
          aria-label={t`Code`}
          data={[
            { value: '', label: t`All codes` },
            ...list.codes.map(({ uuid, name, parent_uuid: parent }) => ({
              value: uuid,
              label: parent === null ? name : `– ${name}`,
            })),
          ]}
          value={chosen}
          onChange={(event) => change({ code: event.currentTarget.value })}
        />
        {(['csv', 'qdpx'] as const).map((format) => (
          <ExportButton key={format} list={list} code={chosen} format={format} disabled={total === 0} />
        ))}
        <Text size="sm" c="dimmed" role="status">
          {passages.data && plural(total, { one: '# passage', other: '# passages' })}
        </Text>
      </Group>
      <QueryStatus of={passages} failure={t`The passages couldn’t be loaded`} />
      {passages.data && total === 0 && (
        <Empty>{t`No passages. Select words in a transcript, and press Alt+G to give them a code.`}</Empty>
      )}
      <ul className={css['list']}>
        {items.map((passage) => (
          <li key={passage.uuid} className={css['entry']}>
            <Passage passage={passage} />
          </li>
        ))}
      </ul>
      <Pager
        page={page}
        total={total}
        size={passagesPageSize}
        onPage={(next) => change({ code: chosen, page: String(next) })}
        mt="md"
      />
    </Stack>
  );
}

function Passage({ passage }: { passage: CodedPassage }) {
  const { file_uuid: uuid, title, start_time: start, speaker, quote } = passage;
  const time = clock(start);
  return (
    <>
      <Group gap="xs">
        <CodeName code={passage} />
        <Link to="/files/$uuid" params={{ uuid }} search={{ t: start }} className="ot-link" dir="auto">
          {`${title}, ${time}`}
        </Link>
      </Group>
      <Text component="blockquote" size="sm" className={css['quote'] ?? ''}>
        {speaker !== null && <b>{`${speaker}: `}</b>}
        {quote ?? t`There are no words there.`}
      </Text>
      {passage.author?.name != null && (
        <Text size="xs" c="dimmed">
          {t`Coded by ${passage.author.name}`}
        </Text>
      )}
    </>
  );
}

type ExportProps = { list: CodeList; code: string; format: 'csv' | 'qdpx'; disabled: boolean };

function ExportButton({ list, code, format, disabled }: ExportProps) {
  const save = useMutation({
    mutationFn: () =>
      download(
        urlOf('GET /api/code-lists/{uuid}/export', {
          params: { uuid: list.uuid },
          query: { format, code_uuid: code || undefined },
        }),
      ),
    onError: (error) => notifyError(t`The passages couldn’t be downloaded`, error),
  });
  return (
    <Button
      variant="default"
      size="sm"
      leftSection={<Icon name="download" size={15} />}
      disabled={disabled}
      loading={save.isPending}
      onClick={() => save.mutate()}
    >
      {format === 'csv' ? t`Export as CSV` : t`Export as REFI-QDA project`}
    </Button>
  );
}

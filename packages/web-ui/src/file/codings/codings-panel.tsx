import { plural, t } from '@lingui/core/macro';
import { Anchor, Button, Group, Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { call } from '../../api/client.ts';
import { CodeName } from '../../codes/code-name.tsx';
import { codingsQuery, refreshCodes, type Coding } from '../../codes/code-queries.ts';
import { clock } from '../../lib/format.ts';
import { notifyError } from '../../ui/notify.ts';
import { QueryStatus } from '../../ui/query-status.tsx';
import { useFile } from '../file-context.ts';
import css from './codings.module.css';

const pageSize = 50;

/** Passages with codes, in order of their times. */
export function CodingsPanel({ onJump }: { onJump: (seconds: number) => void }) {
  const { file } = useFile();
  const query = useQuery(codingsQuery(file));
  const [pages, setPages] = useState(1);
  const panel = useRef<HTMLDivElement>(null);
  const codings = query.data?.codings;
  const count = pages * pageSize;
  if (!codings) return <QueryStatus of={query} failure={t`The codes couldn’t be loaded`} height={80} />;
  return (
    <Stack gap="sm" data-testid="codings" ref={panel} tabIndex={-1}>
      {codings.length === 0 && (
        <Text size="sm" c="dimmed">
          {t`No codes. Select words in the transcript, and press Alt+G to give them a code.`}
        </Text>
      )}
      <ul className={css['list']}>
        {codings.slice(0, count).map((coding) => (
          <li key={coding.uuid} className={css['entry']}>
            <Entry coding={coding} onJump={onJump} onRemoved={() => panel.current?.focus({ preventScroll: true })} />
          </li>
        ))}
      </ul>
      {codings.length > count && (
        <Button size="compact-sm" variant="default" onClick={() => setPages(pages + 1)}>
          {t`Show more`}
        </Button>
      )}
    </Stack>
  );
}

type EntryProps = {
  readonly coding: Coding;
  readonly onJump: (seconds: number) => void;
  readonly onRemoved: () => void;
};

function Entry({ coding, onJump, onRemoved }: EntryProps) {
  const { file } = useFile();
  const client = useQueryClient();
  const remove = useMutation({
    mutationFn: () =>
      call('DELETE /api/files/{uuid}/codings/{coding_uuid}', {
        params: { uuid: file.uuid, coding_uuid: coding.uuid },
      }),
    onSuccess: onRemoved,
    onError: (error) => notifyError(t`The code wasn’t removed`, error),
    onSettled: () => void refreshCodes(client),
  });
  const time = clock(coding.start_time);
  return (
    <>
      <Group gap="xs" justify="space-between" wrap="nowrap">
        <Link
          to="/codes/$uuid"
          params={{ uuid: coding.list_uuid }}
          search={{ code: coding.code_uuid }}
          className="ot-link"
        >
          <CodeName code={coding} />
        </Link>
        <Anchor
          component="button"
          type="button"
          size="sm"
          aria-label={t`Play from ${time}`}
          onClick={() => onJump(coding.start_time)}
        >
          {time}
        </Anchor>
      </Group>
      {coding.quote !== null && (
        <Text component="blockquote" dir="auto" size="sm" m={0} lineClamp={4}>
          {coding.quote}
        </Text>
      )}
      <Group gap="xs" justify="space-between">
        <Text size="xs" c="dimmed">
          {coding.author === null ? t`Deleted account` : (coding.author.name ?? t`Unknown`)}
        </Text>
        {coding.can_delete && (
          <Button
            size="compact-xs"
            variant="subtle"
            color="gray"
            aria-label={t`Remove the code ${coding.name}`}
            loading={remove.isPending}
            onClick={() => remove.mutate()}
          >
            {t`Remove`}
          </Button>
        )}
      </Group>
    </>
  );
}

/** The title of the panel, with the number of passages. */
export function codingsTitle(codings: readonly Coding[] | undefined): string {
  const count = codings?.length ?? 0;
  return count === 0 ? t`Codes` : plural(count, { one: '# passage with a code', other: '# passages with codes' });
}

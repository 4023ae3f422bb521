import { t } from '@lingui/core/macro';
import { Badge, Button, Group, NativeSelect, SegmentedControl, Stack, Text, TextInput } from '@mantine/core';
import type { CommentObject, FoundThread } from '@overtone/contracts';
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { call } from '../api/client.ts';
import { meQuery } from '../api/queries.ts';
import { clock, moment } from '../lib/format.ts';
import type { SearchPageSearch } from '../lib/search-params.ts';
import { Pager } from '../ui/pager.tsx';
import { Empty, QueryStatus } from '../ui/query-status.tsx';
import { startOf } from '../lib/characters.ts';
import css from './search.module.css';

/** The limits of the service. */
const [maxText, pageSize, maxPages] = [200, 50, 10];

type CommentParams = Pick<SearchPageSearch, 'q' | 'state' | 'by' | 'page'>;
type Props = {
  readonly params: CommentParams;
  /** `undefined` removes a filter. */
  readonly onChange: (next: { [K in keyof CommentParams]?: CommentParams[K] | undefined }) => void;
};

/** Comments in all recordings, newest first; without a text all of them. */
export function CommentSearch({ params, onChange }: Props) {
  const me = useQuery(meQuery).data?.uuid;
  const found = useQuery({ ...commentSearchQuery(params, me), enabled: params.by === undefined || me !== undefined });
  const { threads = [], more = false } = found.data ?? {};
  const page = params.page ?? 1;
  return (
    <>
      <CommentForm params={params} onChange={onChange} />
      <Stack
        gap="sm"
        aria-live="polite"
        aria-busy={found.isFetching}
        style={{ opacity: found.isPlaceholderData ? 0.55 : 1, transition: 'opacity .15s' }}
      >
        <QueryStatus of={found} failure={t`The comments couldn’t be searched`} />
        {found.data && threads.length === 0 && <Empty>{emptyText(params)}</Empty>}
        <ul className={css['results']} data-testid="found-comments">
          {threads.map((thread) => (
            <li key={thread.uuid} className={`ot-card ${css['result']}`}>
              <Thread thread={thread} />
            </li>
          ))}
        </ul>
        {page === maxPages && threads.length === pageSize && (
          <Text size="sm" c="dimmed">
            {t`There may be older comments. Search for more words to find them.`}
          </Text>
        )}
        {/* How many there are is not counted. */}
        <Pager
          page={page}
          total={(page + (more ? 1 : 0)) * pageSize}
          size={pageSize}
          onPage={(next) => onChange({ page: next })}
        />
      </Stack>
    </>
  );
}

function commentSearchQuery({ q: wanted = '', state, by, page = 1 }: CommentParams, me: string | undefined) {
  const text = startOf(wanted, maxText).trim();
  const author = by === undefined ? undefined : me;
  return queryOptions({
    queryKey: ['comment-search', text, state, author, page],
    queryFn: ({ signal }) =>
      call('GET /api/comments', {
        signal,
        query: { text: text === '' ? undefined : text, author, state: state ?? 'all', page },
      }),
    placeholderData: keepPreviousData,
  });
}

function emptyText({ q, state, by, page }: CommentParams): string {
  if (page !== undefined) return t`There are no more comments.`;
  if (q !== undefined || state !== undefined || by !== undefined) return t`No comments match.`;
  return t`No comments yet. Select words in a transcript, and press Alt+C to comment on them.`;
}

function CommentForm({ params, onChange }: Props) {
  const [text, setText] = useState(params.q ?? '');
  useEffect(() => setText(params.q ?? ''), [params.q]);
  const search = (next: Parameters<Props['onChange']>[0] = {}): void =>
    onChange({ q: text.trim() === '' ? undefined : text, page: undefined, ...next });
  return (
    <form
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        search();
      }}
    >
      <div className={css['form']}>
        <TextInput
          size="md"
          type="search"
          aria-label={t`Search in comments`}
          placeholder={t`Search in comments`}
          maxLength={maxText}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        <Button type="submit" size="md">
          {t`Search`}
        </Button>
      </div>
      <Group gap="sm" mb="md">
        <SegmentedControl
          size="sm"
          aria-label={t`Which comments are shown`}
          value={params.state ?? 'all'}
          onChange={(state) => search({ state: state === 'all' ? undefined : state })}
          data={[
            { value: 'all', label: t`All` },
            { value: 'open', label: t`Open` },
            { value: 'resolved', label: t`Resolved` },
          ]}
        />
        <NativeSelect
          size="sm"
          aria-label={t`Who wrote the comment`}
          value={params.by ?? ''}
          onChange={(event) => search({ by: event.currentTarget.value === 'me' ? 'me' : undefined })}
          data={[
            { value: '', label: t`By anyone` },
            { value: 'me', label: t`By me` },
          ]}
        />
      </Group>
    </form>
  );
}

function Thread({ thread }: { thread: FoundThread }) {
  const { file_uuid: uuid, title, start_time: start, quote, resolved, replies } = thread;
  const time = clock(start);
  return (
    <Stack gap={6} pb={6}>
      <Group gap="xs" justify="space-between">
        <Link to="/files/$uuid" params={{ uuid }} search={{ t: start }} className={`ot-link ${css['snippet']}`}>
          {`${title}, ${time}`}
        </Link>
        {resolved !== null && (
          <Badge size="sm" variant="light" color="gray" tt="none">
            {t`Resolved`}
          </Badge>
        )}
      </Group>
      {quote !== null && (
        <Text component="blockquote" dir="auto" size="sm" c="dimmed" className={css['quote'] ?? ''}>
          {quote}
        </Text>
      )}
      <Comment comment={thread} />
      {replies.map((reply) => (
        <div key={reply.uuid} className={css['reply']}>
          <Comment comment={reply} />
        </div>
      ))}
    </Stack>
  );
}

function Comment({ comment: { author, created_at: created, text } }: { comment: CommentObject }) {
  // A highlight without a comment, with a reply.
  if (text === '') return null;
  const name = author === null ? t`Deleted account` : (author.name ?? t`Unknown`);
  return (
    <div>
      <Text size="xs" c="dimmed">
        {`${name} · ${moment(created)}`}
      </Text>
      <Text dir="auto" className={css['comment'] ?? ''}>
        {text}
      </Text>
    </div>
  );
}

import { plural, t } from '@lingui/core/macro';
import { Anchor, Button, CloseButton, Group, NativeSelect, SegmentedControl, Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef, useState, type ReactNode } from 'react';
import { call } from '../../api/client.ts';
import { clock, moment } from '../../lib/format.ts';
import { useDraft } from '../../state/use-draft.ts';
import { Confirm } from '../../ui/confirm.tsx';
import { confirmDiscard } from '../../ui/draft.tsx';
import { notifyError } from '../../ui/notify.ts';
import { QueryStatus } from '../../ui/query-status.tsx';
import { SearchBox } from '../../ui/search-box.tsx';
import { useFile } from '../file-context.ts';
import { colorNames } from './color-names.ts';
import {
  colors,
  commentReadersQuery,
  commentsQuery,
  type CommentObject,
  type CommentThread,
  type HighlightColor,
} from './comment-queries.ts';
import css from './comments.module.css';
import { MentionField } from './mention-field.tsx';
import { mentionsIn } from './notes.ts';
import { saysAll } from './find-comments.ts';

type Shown = 'open' | 'resolved' | 'all';
type ChosenProps = {
  readonly id: string;
  readonly onJump: (seconds: number) => void;
  readonly onClose: () => void;
};
const pageSize = 50;

/** Comments and highlights in order of their times, with replies. */
export function CommentsPanel({ onJump }: { onJump: (seconds: number) => void }) {
  const { file } = useFile();
  const comments = useQuery(commentsQuery(file));
  const [shown, setShown] = useState<Shown>('open');
  const [wanted, setWanted] = useState('');
  const [pages, setPages] = useState(1);
  const panel = useRef<HTMLDivElement>(null);
  const { data } = comments;
  const threads = (data?.threads ?? [])
    .filter(({ resolved }) => shown === 'all' || (resolved !== null) === (shown === 'resolved'))
    .filter((thread) => saysAll(thread, wanted));
  const count = pages * pageSize;
  if (!data) return <QueryStatus of={comments} failure={t`The comments couldn’t be loaded`} height={80} />;
  return (
    <Stack gap="sm" data-testid="comments" ref={panel} tabIndex={-1}>
      <SegmentedControl
        size="xs"
        fullWidth
        aria-label={t`Which comments are shown`}
        value={shown}
        onChange={setShown}
        data={[
          { value: 'open', label: t`Open` },
          { value: 'resolved', label: t`Resolved` },
          { value: 'all', label: t`All` },
        ]}
      />
      {data.threads.length > 0 && <SearchBox label={t`Search in comments`} value={wanted} onChange={setWanted} />}
      <Text size="xs" c="dimmed" role="status">
        {wanted.trim() !== '' && plural(threads.length, { one: '# comment', other: '# comments' })}
      </Text>
      {threads.length === 0 && wanted.trim() === '' && (
        <Text size="sm" c="dimmed">
          {emptyText(shown)}
        </Text>
      )}
      <ul className={css['list']}>
        {threads.slice(0, count).map((thread) => (
          <li key={thread.uuid} className={css['thread']}>
            <Thread thread={thread} onJump={onJump} onDeleted={() => panel.current?.focus({ preventScroll: true })} />
          </li>
        ))}
      </ul>
      {threads.length > count && (
        <Button size="compact-sm" variant="default" onClick={() => setPages(pages + 1)}>
          {t`Show more`}
        </Button>
      )}
    </Stack>
  );
}

/** The thread whose words were pressed, above the player: the text stays where it is. */
export function ChosenThread({ id, onJump, onClose }: ChosenProps) {
  const { file } = useFile();
  const thread = useQuery(commentsQuery(file)).data?.threads.find(({ uuid }) => uuid === id);
  if (!thread) return null;
  return (
    <section className={`ot-card ${css['chosen']}`} aria-label={t`Comment`} data-testid="chosen-comment">
      <CloseButton className={css['close'] ?? ''} aria-label={t`Close the comment`} onClick={onClose} />
      <Thread thread={thread} onJump={onJump} onDeleted={onClose} />
    </section>
  );
}

function emptyText(shown: Shown): string {
  if (shown === 'resolved') return t`No resolved comments.`;
  return t`No comments. Select words in the transcript, and press Alt+C to comment on them or Alt+H to highlight them.`;
}

function useRemoval(fileId: string) {
  const client = useQueryClient();
  return async (id: string): Promise<void> => {
    await call('DELETE /api/files/{uuid}/comments/{comment_uuid}', { params: { uuid: fileId, comment_uuid: id } });
    await client.invalidateQueries({ queryKey: ['comments', fileId] });
  };
}

type ThreadProps = {
  readonly thread: CommentThread;
  readonly onJump: (seconds: number) => void;
  readonly onDeleted: () => void;
};

function Thread({ thread, onJump, onDeleted }: ThreadProps) {
  const [deleted, setDeleted] = useState<string | null>(null);
  const { file } = useFile();
  const client = useQueryClient();
  const remove = useRemoval(file.uuid);
  const [replying, setReplying] = useState(false);
  const resolve = useMutation({
    mutationFn: (resolved: boolean) =>
      call('PUT /api/files/{uuid}/comments/{comment_uuid}/resolved', {
        params: { uuid: file.uuid, comment_uuid: thread.uuid },
        body: { resolved },
      }),
    onError: (error) => notifyError(t`The comment wasn’t changed`, error),
    onSettled: () => void client.invalidateQueries({ queryKey: ['comments', file.uuid] }),
  });
  const time = clock(thread.start_time);
  const { resolved } = thread;
  return (
    <>
      <Group gap="xs" justify="space-between">
        <Anchor
          component="button"
          type="button"
          size="sm"
          aria-label={t`Play from ${time}`}
          onClick={() => onJump(thread.start_time)}
        >
          {time}
        </Anchor>
        <Button
          size="compact-xs"
          variant="subtle"
          color="gray"
          loading={resolve.isPending}
          onClick={() => resolve.mutate(resolved === null)}
        >
          {resolved === null ? t`Resolve` : t`Reopen`}
        </Button>
      </Group>
      {thread.quote !== null && (
        <Text
          component="blockquote"
          dir="auto"
          size="sm"
          className={css['quote'] ?? ''}
          data-color={thread.color ?? 'comment'}
        >
          {thread.quote}
        </Text>
      )}
      <Comment comment={thread} isHighlight={thread.color !== null} onDelete={setDeleted} />
      {thread.color !== null && thread.can_edit && <ColorChoice thread={thread} />}
      {thread.replies.map((reply) => (
        <div key={reply.uuid} className={css['reply']}>
          <Comment comment={reply} onDelete={setDeleted} />
        </div>
      ))}
      {resolved !== null && (
        <Text size="xs" c="dimmed" mt={4}>
          {resolved.by === null
            ? t`Resolved ${moment(resolved.at)}`
            : t`Resolved by ${resolved.by}, ${moment(resolved.at)}`}
        </Text>
      )}
      {replying ? (
        <CommentForm
          draftKey={`reply:${thread.uuid}`}
          label={t`Reply`}
          action={t`Send reply`}
          saved=""
          send={(text, mentions) =>
            call('POST /api/files/{uuid}/comments/{comment_uuid}/replies', {
              params: { uuid: file.uuid, comment_uuid: thread.uuid },
              body: { text, mentions },
            })
          }
          onClose={() => setReplying(false)}
        />
      ) : (
        <Button size="compact-xs" variant="subtle" mt={4} onClick={() => setReplying(true)}>
          {t`Reply`}
        </Button>
      )}
      {deleted !== null && (
        <Confirm
          title={t`Delete this comment?`}
          action={t`Delete`}
          run={() => remove(deleted)}
          onDone={onDeleted}
          onClose={() => setDeleted(null)}
        >
          <Text size="sm">{t`It cannot be restored. Replies to it are deleted, too.`}</Text>
        </Confirm>
      )}
    </>
  );
}

/** Changes the color of an own highlight. */
function ColorChoice({ thread }: { thread: CommentThread }) {
  const { file } = useFile();
  const client = useQueryClient();
  const change = useMutation({
    mutationFn: (color: HighlightColor) =>
      call('PUT /api/files/{uuid}/comments/{comment_uuid}', {
        params: { uuid: file.uuid, comment_uuid: thread.uuid },
        body: { color },
      }),
    onError: (error) => notifyError(t`The colour wasn’t changed`, error),
    onSettled: () => void client.invalidateQueries({ queryKey: ['comments', file.uuid] }),
  });
  return (
    <NativeSelect
      size="xs"
      mt={4}
      aria-label={t`Colour of the highlight`}
      disabled={change.isPending}
      data={colors.map((value) => ({ value, label: colorNames[value] }))}
      value={change.isPending ? change.variables : (thread.color ?? '')}
      onChange={(event) => change.mutate(event.currentTarget.value as HighlightColor)}
      style={{ maxWidth: '9rem' }}
    />
  );
}

type CommentProps = {
  readonly comment: CommentObject;
  readonly isHighlight?: boolean;
  readonly onDelete: (id: string) => void;
};

function Comment({ comment, isHighlight = false, onDelete }: CommentProps): ReactNode {
  const { file } = useFile();
  const [editing, setEditing] = useState(false);
  const author = comment.author === null ? t`Deleted account` : (comment.author.name ?? t`Unknown`);
  const time = moment(comment.created_at);
  if (editing)
    return (
      <CommentForm
        draftKey={`comment-edit:${comment.uuid}`}
        label={t`Comment`}
        action={t`Save`}
        saved={comment.text}
        send={(text, mentions) =>
          call('PUT /api/files/{uuid}/comments/{comment_uuid}', {
            params: { uuid: file.uuid, comment_uuid: comment.uuid },
            body: { text, mentions },
          })
        }
        onClose={() => setEditing(false)}
      />
    );
  return (
    <div>
      <Text size="xs" c="dimmed">
        {isHighlight && comment.text === '' ? t`Highlighted by ${author}` : author}
        {` · ${time}`}
        {comment.edited_at !== null && ` · ${t`edited`}`}
      </Text>
      {comment.withheld ? (
        <Text size="sm" fs="italic" c="dimmed">
          {t`This comment is hidden until it has been checked for personal data.`}
        </Text>
      ) : (
        comment.text !== '' && (
          <p dir="auto" className={css['body']}>
            {comment.text}
          </p>
        )
      )}
      <Group gap={4}>
        {comment.can_edit && (
          <Button size="compact-xs" variant="subtle" color="gray" onClick={() => setEditing(true)}>
            {comment.text === '' ? t`Add a comment` : t`Edit`}
          </Button>
        )}
        {comment.can_delete && (
          <Button size="compact-xs" variant="subtle" color="gray" onClick={() => onDelete(comment.uuid)}>
            {t`Delete`}
          </Button>
        )}
      </Group>
    </div>
  );
}

type FormProps = {
  readonly draftKey: string;
  readonly label: string;
  readonly action: string;
  readonly saved: string;
  readonly send: (text: string, mentions: string[]) => Promise<unknown>;
  readonly onClose: () => void;
};

/** It stays open with its text until it is saved or discarded. */
function CommentForm({ draftKey, label, action, saved, send, onClose }: FormProps) {
  const { file } = useFile();
  const client = useQueryClient();
  const { data: people = [] } = useQuery(commentReadersQuery(file.uuid));
  const draft = useDraft(draftKey, saved);
  const save = useMutation({
    mutationFn: (text: string) => send(text, mentionsIn(text, people)),
    onSuccess: () => {
      draft.drop();
      onClose();
      void client.invalidateQueries({ queryKey: ['comments', file.uuid] });
    },
    onError: (error) => notifyError(t`The comment wasn’t saved`, error),
  });
  const text = draft.value.trim();
  const submit = (): void => {
    if (text !== '' && !save.isPending) save.mutate(text);
  };
  const cancel = async (): Promise<void> => {
    if (await confirmDiscard(draft)) onClose();
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <Stack gap="xs" mt="xs">
        <MentionField label={label} value={draft.value} onChange={draft.set} onSubmit={submit} autoFocus />
        <Group gap="xs" justify="flex-end">
          <Button size="compact-sm" variant="default" onClick={() => void cancel()}>
            {t`Cancel`}
          </Button>
          <Button size="compact-sm" type="submit" loading={save.isPending} disabled={text === ''}>
            {action}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** The title of the panel, with the number of open threads. */
export function commentsTitle(threads: readonly CommentThread[] | undefined): string {
  const open = (threads ?? []).filter(({ resolved }) => resolved === null).length;
  return open === 0 ? t`Comments` : plural(open, { one: '# comment', other: '# comments' });
}

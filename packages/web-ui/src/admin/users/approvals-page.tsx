import { Badge, Button, Group, Text, Textarea } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { ask } from '../../api/identity.ts';
import { FormDialog } from '../../app/form-dialog.tsx';
import { say, sayError } from '../../app/notify.ts';
import { useDraft } from '../../app/use-draft.tsx';
import { ago, moment } from '../../lib/format.ts';
import css from '../admin.module.css';
import { AdminPane, Empty, Pager, Waiting } from '../parts.tsx';
import { nameOf, originBadges, type Account } from '../words.ts';
import { approvalsQuery, userPageSize } from './user-queries.ts';

/** Accounts that wait for release, the one that waits longest first. */
export const ApprovalsPage = () => {
  const [page, setPage] = useState(1);
  const waiting = useQuery(approvalsQuery(page));
  return (
    <AdminPane title="Approvals">
      <Waiting of={waiting} what="The queue" />
      {waiting.data?.items.length === 0 && <Empty>Nobody waits for approval.</Empty>}
      {waiting.data && waiting.data.items.length > 0 && (
        <ul className={css['list']} data-testid="approvals">
          {waiting.data.items.map((account) => (
            <WaitingAccount key={account.uuid} account={account} />
          ))}
        </ul>
      )}
      {waiting.data && <Pager page={page} total={waiting.data.total} size={userPageSize} onPage={setPage} />}
    </AdminPane>
  );
};

const useSettled = (): ((words: string) => void) => {
  const client = useQueryClient();
  return (words) => {
    say(words);
    for (const key of ['approvals', 'users', 'user']) void client.invalidateQueries({ queryKey: [key] });
  };
};

const WaitingAccount = ({ account }: { account: Account }) => {
  const settled = useSettled();
  const [rejecting, setRejecting] = useState(false);
  const approve = useMutation({
    mutationFn: () => ask('approveUser', { params: { uuid: account.uuid } }),
    onSuccess: () => settled(`${nameOf(account)} is released.`),
    onError: (error) => sayError('The account was not released', error),
  });
  return (
    <li className="ot-card" style={{ padding: '0.875rem 1rem' }}>
      <Group justify="space-between" gap="sm">
        <div style={{ minWidth: 0 }}>
          <Group gap="xs">
            <Link to="/admin/users/$uuid" params={{ uuid: account.uuid }} className={css['rowLink']}>
              {nameOf(account)}
            </Link>
            <Badge variant="light" color="gray" size="sm">
              {originBadges[account.auth_type]}
            </Badge>
          </Group>
          <Text size="xs" c="dimmed" title={moment(account.created_at)} style={{ overflowWrap: 'anywhere' }}>
            {account.email} · waits since {ago(account.created_at)}
          </Text>
        </div>
        <Group gap="xs">
          <Button
            size="xs"
            loading={approve.isPending}
            onClick={() => approve.mutate()}
            aria-label={`Approve ${nameOf(account)}`}
          >
            Approve
          </Button>
          <Button
            size="xs"
            variant="default"
            onClick={() => setRejecting(true)}
            aria-label={`Reject ${nameOf(account)}`}
          >
            Reject
          </Button>
        </Group>
      </Group>
      {rejecting && (
        <RejectDialog
          account={account}
          onDone={() => settled(`${nameOf(account)} is rejected.`)}
          onClose={() => setRejecting(false)}
        />
      )}
    </li>
  );
};

type RejectProps = { account: Account; onDone: () => void; onClose: () => void };
const RejectDialog = ({ account, onDone, onClose }: RejectProps) => {
  const draft = useDraft(`reject:${account.uuid}`, '');
  const reason = draft.value;
  const reject = useMutation({
    mutationFn: () =>
      ask('rejectUser', {
        params: { uuid: account.uuid },
        body: reason.trim() === '' ? {} : { reason: reason.trim() },
      }),
    onSuccess: () => {
      draft.drop();
      onClose();
      onDone();
    },
  });
  return (
    <FormDialog
      title={`Reject ${nameOf(account)}?`}
      action="Reject"
      danger
      sending={reject}
      draft={draft}
      onSubmit={() => reject.mutate()}
      onClose={onClose}
    >
      <Text size="sm">The account is kept, but its owner cannot use Overtone. Their sessions end immediately.</Text>
      <Textarea
        label="Reason"
        description="For the audit log; not shown to the person"
        data-autofocus
        autosize
        minRows={2}
        maxLength={500}
        value={reason}
        onChange={(event) => draft.set(event.currentTarget.value)}
      />
    </FormDialog>
  );
};

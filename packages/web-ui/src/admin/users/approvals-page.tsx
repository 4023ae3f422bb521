import { t } from '@lingui/core/macro';
import { Badge, Button, Group, Text, Textarea } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { call } from '../../api/client.ts';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { notify, notifyError } from '../../ui/notify.ts';
import { useForm } from '../../state/use-form.ts';
import { ago, moment } from '../../lib/format.ts';
import { Pane } from '../../ui/pane.tsx';
import { Empty, QueryStatus } from '../../ui/query-status.tsx';
import { Pager } from '../../ui/pager.tsx';
import { nameOf, originBadges, type Account } from '../../ui/account-labels.ts';
import { approvalsQuery, userPageSize } from './user-queries.ts';

/** Accounts awaiting approval, the oldest first. */
export function ApprovalsPage() {
  const [page, setPage] = useState(1);
  const pending = useQuery(approvalsQuery(page));
  return (
    <Pane title={t`Approvals`}>
      <QueryStatus of={pending} failure={t`The approvals couldn’t be loaded`} />
      {pending.data?.items.length === 0 && <Empty>{t`No accounts are awaiting approval.`}</Empty>}
      {pending.data && pending.data.items.length > 0 && (
        <ul className="ot-list" data-testid="approvals">
          {pending.data.items.map((account) => (
            <PendingAccount key={account.uuid} account={account} />
          ))}
        </ul>
      )}
      {pending.data && <Pager page={page} total={pending.data.total} size={userPageSize} onPage={setPage} />}
    </Pane>
  );
}

function useReportDecision(): (message: string) => void {
  const client = useQueryClient();
  return (message) => {
    notify(message);
    for (const key of ['approvals', 'users', 'user']) void client.invalidateQueries({ queryKey: [key] });
  };
}

function PendingAccount({ account }: { account: Account }) {
  const reportDecision = useReportDecision();
  const [rejecting, setRejecting] = useState(false);
  const approve = useMutation({
    mutationFn: () => call('POST /api/admin/user-approvals/{uuid}/approve', { params: { uuid: account.uuid } }),
    onSuccess: () => reportDecision(t`${nameOf(account)} has been approved.`),
    onError: (error) => notifyError(t`The account wasn’t approved`, error),
  });
  return (
    <li className="ot-card" style={{ padding: '0.875rem 1rem' }}>
      <Group justify="space-between" gap="sm">
        <div style={{ minWidth: 0 }}>
          <Group gap="xs">
            <Link to="/admin/users/$uuid" params={{ uuid: account.uuid }} className="ot-row-link" dir="auto">
              {nameOf(account)}
            </Link>
            <Badge variant="light" color="gray" size="sm">
              {originBadges[account.auth_type]}
            </Badge>
          </Group>
          <Text size="xs" c="dimmed" title={moment(account.created_at)} style={{ overflowWrap: 'anywhere' }}>
            {t`${account.email} · registered ${ago(account.created_at)}`}
          </Text>
        </div>
        <Group gap="xs">
          <Button
            size="xs"
            loading={approve.isPending}
            onClick={() => approve.mutate()}
            aria-label={t`Approve ${nameOf(account)}`}
          >
            {t`Approve`}
          </Button>
          <Button
            size="xs"
            variant="default"
            onClick={() => setRejecting(true)}
            aria-label={t`Reject ${nameOf(account)}`}
          >
            {t`Reject`}
          </Button>
        </Group>
      </Group>
      {rejecting && (
        <RejectDialog
          account={account}
          onDone={() => reportDecision(t`${nameOf(account)} has been rejected.`)}
          onClose={() => setRejecting(false)}
        />
      )}
    </li>
  );
}

type RejectProps = { account: Account; onDone: () => void; onClose: () => void };

function RejectDialog({ account, onDone, onClose }: RejectProps) {
  const form = useForm({
    key: `reject-account:${account.uuid}`,
    saved: { reason: '' },
    send: (fields) =>
      call('POST /api/admin/user-approvals/{uuid}/reject', {
        params: { uuid: account.uuid },
        body: fields.reason === '' ? {} : fields,
      }),
    onSaved: () => {
      onClose();
      onDone();
    },
  });
  return (
    <FormDialog title={t`Reject ${nameOf(account)}?`} action={t`Reject`} danger {...form.dialog} onClose={onClose}>
      <Text size="sm">{t`The account is kept, but its owner cannot use Overtone. Their sessions end immediately.`}</Text>
      <Textarea
        label={t`Reason`}
        description={t`Kept in the audit log; not shown to the person`}
        data-autofocus
        autosize
        minRows={2}
        maxLength={500}
        {...form.text('reason')}
      />
    </FormDialog>
  );
}

import { t } from '@lingui/core/macro';
import { Alert, Button, List, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Fragment, useState } from 'react';
import { call } from '../../api/client.ts';
import { bytes } from '../../lib/format.ts';
import { nameOf, type Account } from '../../ui/account-labels.ts';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Icon } from '../../ui/icons.tsx';
import { QueryStatus } from '../../ui/query-status.tsx';
import { erasurePreviewQuery, type ErasurePreview } from './erasure-queries.ts';
import { countRows, remainsLabels } from './labels.ts';

/** Erases the person of an account, after a preview and the typed address. */
export function ErasePerson({ account }: { account: Account }) {
  const [open, setOpen] = useState(false);
  return (
    <Stack gap="sm" align="flex-start">
      <Text size="sm">
        {t`Deletes the account with everything the person has stored, in every service, and keeps a proof without personal data.`}
      </Text>
      <Button variant="light" color="red" onClick={() => setOpen(true)}>
        {t`Erase this person`}
      </Button>
      {open && <EraseDialog account={account} onClose={() => setOpen(false)} />}
    </Stack>
  );
}

function EraseDialog({ account, onClose }: { account: Account; onClose: () => void }) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const [typed, setTyped] = useState('');
  const preview = useQuery(erasurePreviewQuery(account.uuid));
  const order = useMutation({
    mutationFn: () =>
      call('POST /api/admin/users/{uuid}/erasure', { params: { uuid: account.uuid }, body: { confirm_email: typed } }),
    onSuccess: async () => {
      onClose();
      await navigate({ to: '/admin/erasures', ignoreBlocker: true });
      client.removeQueries({ queryKey: ['user', account.uuid] });
      await client.invalidateQueries({ queryKey: ['users'] });
    },
  });
  const isTyped = typed.trim().toLowerCase() === account.email.toLowerCase();
  const isBlocked = preview.data === undefined || preview.data.blockers.length > 0;
  return (
    <FormDialog
      title={t`Erase ${nameOf(account)}?`}
      action={t`Erase permanently`}
      danger
      unready={unreadyText(preview.data, isTyped)}
      sending={order}
      failure={t`Nothing was erased`}
      onSubmit={() => order.mutate()}
      onClose={onClose}
    >
      <QueryStatus of={preview} failure={t`What would be erased couldn’t be determined`} height={160} />
      {preview.data && <Preview preview={preview.data} />}
      {!isBlocked && (
        <TextInput
          label={t`Type the address ${account.email}`}
          description={t`An erasure cannot be undone.`}
          autoComplete="off"
          spellCheck={false}
          required
          // It appears after the dialog has opened.
          autoFocus
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
      )}
    </FormDialog>
  );
}

function unreadyText(preview: ErasurePreview | undefined, isTyped: boolean): string | null {
  if (!preview) return t`What would be erased isn’t known yet.`;
  if (preview.blockers.length > 0) return t`This person cannot be erased now`;
  return isTyped ? null : t`Type the address to confirm.`;
}

function Preview({ preview }: { preview: ErasurePreview }) {
  return (
    <Stack gap="sm" data-testid="erasure-preview">
      {preview.blockers.length > 0 && (
        <Alert color="red" variant="light" icon={<Icon name="alert" />} title={t`This person cannot be erased now`}>
          {preview.blockers.map(({ code, detail }) => (
            <Text key={code} size="sm" data-blocker={code}>
              {detail}
            </Text>
          ))}
        </Alert>
      )}
      <Text size="sm" fw={600}>{t`What is erased`}</Text>
      <dl className="ot-facts">
        {countRows(preview.erases).map(([label, count]) => (
          <Fragment key={label}>
            <dt>{label}</dt>
            <dd>{count}</dd>
          </Fragment>
        ))}
        <dt>{t`Size of the recordings`}</dt>
        <dd>{bytes(preview.bytes)}</dd>
      </dl>
      <Text size="sm" fw={600}>{t`What remains`}</Text>
      <List size="sm" spacing={4}>
        {preview.remains.map((code) => (
          <List.Item key={code}>{remainsLabels[code]}</List.Item>
        ))}
      </List>
    </Stack>
  );
}

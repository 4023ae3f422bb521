import { t } from '@lingui/core/macro';
import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../api/client.ts';
import { FormDialog, stillMissing } from '../../ui/form-dialog.tsx';
import { notify } from '../../ui/notify.ts';
import { useForm } from '../../state/use-form.ts';
import { Confirm } from '../../ui/confirm.tsx';
import { nameOf, type Account } from '../../ui/account-labels.ts';

/** Links the account to the client certificate of its owner, or removes the link. */
export function UserCertificate({ account }: { readonly account: Account }) {
  const client = useQueryClient();
  const [dialog, setDialog] = useState<'link' | 'unlink' | null>(null);
  const close = (): void => setDialog(null);
  const refresh = (message: string): void => {
    notify(message);
    void client.invalidateQueries({ queryKey: ['user'] });
    void client.invalidateQueries({ queryKey: ['users'] });
  };
  const subject = account.pki_subject_dn;
  return (
    <Stack gap="md">
      <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
        {subject === null
          ? t`This account is not linked to a certificate.`
          : t`${subject}, issued by ${account.pki_issuer_dn ?? t`the first authority that certifies this subject`}`}
      </Text>
      <Group gap="sm">
        <Button variant="default" onClick={() => setDialog('link')}>
          {subject === null ? t`Link certificate` : t`Change certificate`}
        </Button>
        {subject !== null && (
          <Button variant="default" onClick={() => setDialog('unlink')}>
            {t`Remove link`}
          </Button>
        )}
      </Group>
      {dialog === 'link' && <LinkDialog account={account} onDone={refresh} onClose={close} />}
      {dialog === 'unlink' && (
        <Confirm
          title={t`Remove the certificate of ${nameOf(account)}?`}
          action={t`Remove link`}
          run={() => call('DELETE /api/admin/users/{uuid}/certificate', { params: { uuid: account.uuid } })}
          onDone={() => refresh(t`Certificate link removed.`)}
          onClose={close}
        >
          <Text>{t`All sessions end, and the certificate no longer signs in to this account.`}</Text>
        </Confirm>
      )}
    </Stack>
  );
}

type DialogProps = {
  readonly account: Account;
  readonly onDone: (message: string) => void;
  readonly onClose: () => void;
};

function LinkDialog({ account, onDone, onClose }: DialogProps) {
  const form = useForm({
    key: `certificate:${account.uuid}`,
    saved: { subject: account.pki_subject_dn ?? '', issuer: account.pki_issuer_dn ?? '' },
    send: ({ subject, issuer }) =>
      call('PUT /api/admin/users/{uuid}/certificate', {
        params: { uuid: account.uuid },
        body: { subject, issuer: issuer === '' ? null : issuer },
      }),
    onSaved: () => {
      onClose();
      onDone(t`Certificate linked.`);
    },
  });
  return (
    <FormDialog
      title={t`Link a certificate to ${nameOf(account)}`}
      action={t`Link certificate`}
      unready={stillMissing(form.fields.subject === '' && t`Subject of the certificate`)}
      failure={t`The certificate wasn’t linked`}
      {...form.dialog}
      onClose={onClose}
    >
      <TextInput
        label={t`Subject of the certificate`}
        description={t`As the audit log shows it, for example CN=Alice Example,O=Example`}
        required
        maxLength={1200}
        spellCheck={false}
        {...form.text('subject')}
      />
      <TextInput
        label={t`Issuer of the certificate`}
        description={t`Leave blank for the first authority that certifies this subject`}
        maxLength={1200}
        spellCheck={false}
        {...form.text('issuer')}
      />
    </FormDialog>
  );
}

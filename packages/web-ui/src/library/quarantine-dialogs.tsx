import { t } from '@lingui/core/macro';
import { Text, Textarea } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../api/client.ts';
import { fieldOf } from '../api/problem.ts';
import type { FileItem } from '../api/queries.ts';
import { Confirm } from '../ui/confirm.tsx';
import { FormDialog, stillMissing } from '../ui/form-dialog.tsx';

type Props = { readonly file: FileItem; readonly onClose: () => void; readonly onDone: () => void };

export function QuarantineDialog({ file, onClose, onDone }: Props) {
  const [reason, setReason] = useState('');
  const quarantine = useMutation({
    mutationFn: () =>
      call('POST /api/admin/files/{uuid}/quarantine', {
        params: { uuid: file.uuid },
        body: { reason: reason.trim() },
      }),
    onSuccess: () => {
      onDone();
      onClose();
    },
  });
  return (
    <FormDialog
      title={t`Put this recording in quarantine?`}
      action={t`Put in quarantine`}
      danger
      unready={stillMissing(reason.trim() === '' && t`Reason`)}
      sending={quarantine}
      failure={t`The recording wasn’t put in quarantine`}
      fields={['reason']}
      onSubmit={() => quarantine.mutate()}
      onClose={onClose}
    >
      <Text size="sm">
        {t`Nobody can play it, and only administrators can open or download it. Searches don’t find it. The owner sees the reason.`}
      </Text>
      <Textarea
        label={t`Reason`}
        data-autofocus
        autosize
        minRows={2}
        maxLength={500}
        required
        value={reason}
        error={fieldOf(quarantine.error, 'reason')}
        onChange={(event) => setReason(event.currentTarget.value)}
      />
    </FormDialog>
  );
}

export function ReleaseDialog({ file, onClose, onDone }: Props) {
  return (
    <Confirm
      title={t`Release this recording from quarantine?`}
      action={t`Release`}
      harmless
      run={() => call('DELETE /api/admin/files/{uuid}/quarantine', { params: { uuid: file.uuid } })}
      onDone={onDone}
      onClose={onClose}
    >
      <Text size="sm">{t`Its owner and the people who had access can open it again.`}</Text>
    </Confirm>
  );
}

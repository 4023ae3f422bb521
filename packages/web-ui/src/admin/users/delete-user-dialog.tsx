import { plural, t } from '@lingui/core/macro';
import { Text, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../api/client.ts';
import { meQuery } from '../../api/queries.ts';
import { nameOf, type Account } from '../../ui/account-labels.ts';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { QueryStatus } from '../../ui/query-status.tsx';
import { erasurePreviewQuery } from '../erasures/erasure-queries.ts';

type Props = { readonly account: Account; readonly onDone: () => void; readonly onClose: () => void };

/** Deletes an account with its recordings, after their number was shown and the name was typed. */
export function DeleteUserDialog({ account, onDone, onClose }: Props) {
  const isSuper = useQuery(meQuery).data?.role === 'super_admin';
  // Only super administrators may see what a person has stored.
  const preview = useQuery({ ...erasurePreviewQuery(account.uuid), enabled: isSuper });
  const [typed, setTyped] = useState('');
  const name = nameOf(account);
  const isTyped = typed.trim().toLowerCase() === name.trim().toLowerCase();
  const remove = useMutation({
    mutationFn: () => call('DELETE /api/users/{uuid}', { params: { uuid: account.uuid } }),
    onSuccess: () => {
      onClose();
      onDone();
    },
  });
  return (
    <FormDialog
      title={t`Delete ${name}?`}
      action={t`Delete`}
      danger
      unready={unreadyText({ isTyped, isCounting: preview.isLoading })}
      sending={remove}
      failure={t`The account wasn’t deleted`}
      onSubmit={() => remove.mutate()}
      onClose={onClose}
    >
      <Text>{t`This permanently deletes the account ${account.email} with all its recordings and transcripts. You can’t undo this.`}</Text>
      {isSuper && <QueryStatus of={preview} failure={t`The recordings couldn’t be counted`} height={24} />}
      {preview.data && (
        <Text fw={600} data-testid="recordings-to-delete">
          {plural(preview.data.erases['files'] ?? 0, {
            0: 'The person has no recordings.',
            one: '# recording will be deleted.',
            other: '# recordings will be deleted.',
          })}
        </Text>
      )}
      <TextInput
        label={t`Type ${name} to confirm`}
        data-autofocus
        autoComplete="off"
        spellCheck={false}
        required
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
      />
    </FormDialog>
  );
}

function unreadyText({ isTyped, isCounting }: { isTyped: boolean; isCounting: boolean }): string | null {
  if (!isTyped) return t`Type the name to confirm.`;
  return isCounting ? t`The recordings are still being counted.` : null;
}

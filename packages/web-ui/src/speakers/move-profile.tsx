import { t } from '@lingui/core/macro';
import { Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../api/client.ts';
import { FormDialog } from '../ui/form-dialog.tsx';
import { notify } from '../ui/notify.ts';
import { OwnerSelect, useOwnGroups } from './owner-select.tsx';
import { audienceText, lossText } from './profile-owner.ts';
import type { Profile } from './voice-queries.ts';

/** Moves a profile to a group of the user, or back, and says who will see it. */
export function MoveProfile({ profile, onClose }: { profile: Profile; onClose: () => void }) {
  const client = useQueryClient();
  const { groups, isError } = useOwnGroups();
  const { name, group_uuid: from } = profile;
  const [chosen, setChosen] = useState<string | null>();
  const to = chosen === undefined ? (from === null ? (groups[0]?.uuid ?? null) : null) : chosen;
  const move = useMutation({
    mutationFn: () =>
      call('PUT /api/speaker-profiles/{uuid}', { params: { uuid: profile.uuid }, body: { group_uuid: to } }),
    onSuccess: () => {
      notify(to === null ? t`${name} is visible to you only.` : t`${name} is visible to the group.`);
      void client.invalidateQueries({ queryKey: ['voices'] });
      onClose();
    },
  });
  return (
    <FormDialog
      title={t`Who sees ${name}`}
      action={to === null ? t`Move to your profiles` : t`Move to the group`}
      unready={to === from ? t`Nothing is changed.` : null}
      sending={move}
      failure={t`The profile wasn’t moved`}
      onSubmit={() => move.mutate()}
      onClose={onClose}
    >
      <OwnerSelect
        label={t`Visible to`}
        data-autofocus
        groups={groups}
        value={to}
        onChange={setChosen}
        error={isError ? t`Your groups couldn’t be loaded` : null}
      />
      <Text size="sm" role="status" data-testid="audience">
        {audienceText(to, groups)} {lossText(profile, to, groups)}
      </Text>
    </FormDialog>
  );
}

import { t } from '@lingui/core/macro';
import { Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { call } from '../api/client.ts';
import { Confirm } from '../ui/confirm.tsx';
import { notify } from '../ui/notify.ts';
import type { Profile } from './voice-queries.ts';

type Props = { readonly profile: Profile; readonly onClose: () => void };

/** Asks before a profile is deleted with its stored voice. */
export function DeleteProfile({ profile, onClose }: Props) {
  const client = useQueryClient();
  return (
    <Confirm
      title={t`Delete the profile ${profile.name}?`}
      action={t`Delete the profile`}
      run={() => call('DELETE /api/speaker-profiles/{uuid}', { params: { uuid: profile.uuid } })}
      onDone={() => {
        notify(t`Profile deleted.`);
        void client.invalidateQueries({ queryKey: ['voices'] });
      }}
      onClose={onClose}
    >
      <Text size="sm">
        {t`The voice stored from your recordings is deleted, and these recordings are not used for profiles until you allow it again. The name stays in the transcripts.`}
      </Text>
    </Confirm>
  );
}

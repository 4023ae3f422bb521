import { t } from '@lingui/core/macro';
import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import type { ResponseBody } from '@overtone/client';
import { moment } from '../../lib/format.ts';
import { copyAndNotify } from '../../ui/copy-text.ts';
import { Dialog } from '../../ui/dialog.tsx';

type Props = {
  /** Whom it is for. */
  readonly name: string;
  readonly invitation: ResponseBody<'POST /api/admin/users/{uuid}/invitation'>;
  readonly onClose: () => void;
};

/** Shows a new invitation link, which the server stores as a hash only. */
export function InvitationLink({ name, invitation, onClose }: Props) {
  // The token is in the fragment, which no browser sends and no server logs.
  const link = `${location.origin}/invitation#${invitation.token}`;
  return (
    <Dialog onClose={onClose} title={<b>{t`Invitation for ${name}`}</b>}>
      <Stack gap="md">
        <Text size="sm">
          {t`Give this link to ${name}. They set their password with it. It works once, until ${moment(invitation.expires_at)}, and can’t be shown again.`}
        </Text>
        <TextInput label={t`Invitation link`} readOnly value={link} onFocus={(event) => event.currentTarget.select()} />
        <Group justify="flex-end">
          <Button
            data-autofocus
            onClick={() => void copyAndNotify(link, t`Link copied.`, t`The link couldn’t be copied`)}
          >
            {t`Copy link`}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}

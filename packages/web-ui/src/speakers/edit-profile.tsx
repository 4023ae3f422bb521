import { t } from '@lingui/core/macro';
import { Select, Text, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../api/client.ts';
import { FormDialog } from '../ui/form-dialog.tsx';
import { notify } from '../ui/notify.ts';
import { audienceText, profileLabel, profileOfName, type OwnGroup } from './profile-owner.ts';
import type { Profile } from './voice-queries.ts';

type Props = {
  readonly profile: Profile;
  /** The profiles with which it can be merged. */
  readonly others: readonly Profile[];
  readonly groups: readonly OwnGroup[];
  readonly onClose: () => void;
};

/** Renames a profile, or merges it into another one of the same person. */
export function EditProfile({ profile, others, groups, onClose }: Props) {
  const client = useQueryClient();
  const [name, setName] = useState(profile.name);
  const [target, setTarget] = useState<string | null>(null);
  const isRenamed = name.trim() !== profile.name && name.trim() !== '';
  const chosen = others.find(({ uuid }) => uuid === target);
  const sameName = profileOfName(
    others.filter(({ group_uuid: groupId }) => groupId === profile.group_uuid),
    name,
  );
  const save = useMutation({
    mutationFn: () =>
      target === null
        ? call('PUT /api/speaker-profiles/{uuid}', { params: { uuid: profile.uuid }, body: { name: name.trim() } })
        : call('POST /api/speaker-profiles/{uuid}/merge/{target_uuid}', {
            params: { uuid: profile.uuid, target_uuid: target },
          }),
    onSuccess: (saved) => {
      notify(
        target === null
          ? t`The profile is called ${saved.name} now.`
          : t`${profile.name} is part of ${saved.name} now.`,
      );
      void client.invalidateQueries({ queryKey: ['voices'] });
      void client.invalidateQueries({ queryKey: ['file'] });
      onClose();
    },
  });
  return (
    <FormDialog
      title={t`Profile ${profile.name}`}
      action={target === null ? t`Save` : t`Merge`}
      unready={target !== null || isRenamed ? null : t`Nothing is changed.`}
      sending={save}
      failure={t`The profile wasn’t changed`}
      onSubmit={() => save.mutate()}
      onClose={onClose}
    >
      <TextInput
        label={t`Name`}
        required
        maxLength={200}
        value={name}
        disabled={target !== null}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      {sameName && target === null && (
        <Text size="sm" role="status">
          {t`There is a profile called ${sameName.name} already. If it is the same person, choose it below to merge the profiles.`}
        </Text>
      )}
      {others.length > 0 && (
        <Select
          label={t`The same person as`}
          description={t`All voices move to the other profile.`}
          clearable
          data={others.map((other) => ({ value: other.uuid, label: profileLabel(other, groups) }))}
          value={target}
          onChange={setTarget}
        />
      )}
      {chosen && (
        <Text size="sm" role="status">
          {mergeText(profile.name, chosen.name)}
        </Text>
      )}
      {chosen && chosen.group_uuid !== profile.group_uuid && (
        <Text size="sm" role="status">
          {audienceText(chosen.group_uuid, groups)}
        </Text>
      )}
    </FormDialog>
  );
}

/** What a merge changes and what cannot be undone. */
function mergeText(from: string, to: string): string {
  return from === to
    ? t`This can’t be undone.`
    : t`In the transcripts ${to} replaces the name ${from}. This can’t be undone.`;
}

import { plural, t } from '@lingui/core/macro';
import { Autocomplete, Checkbox, Group, Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../api/client.ts';
import { FormDialog, stillMissing } from '../ui/form-dialog.tsx';
import { notify } from '../ui/notify.ts';
import { QueryStatus } from '../ui/query-status.tsx';
import { profileOfName } from './profile-owner.ts';
import { occurrencesQuery, voiceName, type Profile } from './voice-queries.ts';
import { VoiceSample } from './voice-sample.tsx';

type Props = { readonly profile: Profile; readonly profiles: readonly Profile[]; readonly onClose: () => void };

/** Gives some voices of a profile, which are another person, a profile of their own or moves them to an existing one. */
export function SplitProfile({ profile, profiles, onClose }: Props) {
  const client = useQueryClient();
  const [name, setName] = useState('');
  const [checked, setChecked] = useState<string[]>([]);
  const others = profiles.filter(
    ({ uuid, group_uuid: groupId }) => uuid !== profile.uuid && groupId === profile.group_uuid,
  );
  const target = profileOfName(others, name);
  const voices = useQuery(occurrencesQuery(profile.uuid));
  const chosen = checked.filter((id) => voices.data?.some(({ speaker_uuid: uuid }) => uuid === id));
  const { speakers } = profiles.find(({ uuid }) => uuid === profile.uuid) ?? profile;
  const isEmptied = chosen.length >= speakers;
  const split = useMutation({
    mutationFn: (ids: string[]) =>
      call('POST /api/speaker-profiles/{uuid}/split', {
        params: { uuid: profile.uuid },
        body: { name: name.trim(), speaker_uuids: ids },
      }),
    onSuccess: ({ name: to }, ids) => {
      notify(plural(ids.length, { one: `# voice belongs to ${to} now.`, other: `# voices belong to ${to} now.` }));
      void client.invalidateQueries({ queryKey: ['voices'] });
      void client.invalidateQueries({ queryKey: ['file'] });
      onClose();
    },
    // The voices have changed since they were loaded.
    onError: () => void client.invalidateQueries(occurrencesQuery(profile.uuid)),
  });
  return (
    <FormDialog
      title={t`Split ${profile.name}`}
      action={t`Split`}
      unready={
        isEmptied
          ? t`At least one voice stays.`
          : stillMissing(chosen.length === 0 && t`Voices`, name.trim() === '' && t`Name of the other person`)
      }
      sending={split}
      failure={t`The profile wasn’t split`}
      onSubmit={() => split.mutate(chosen)}
      onClose={onClose}
    >
      <Text size="sm">{t`Choose the voices that are another person.`}</Text>
      <QueryStatus of={voices} failure={t`The voices couldn’t be loaded`} height={80} />
      <Stack gap="xs" role="group" aria-label={t`Voices`} tabIndex={-1} data-autofocus>
        {voices.data?.map((voice) => (
          <Group key={voice.speaker_uuid} gap="xs" wrap="nowrap">
            <VoiceSample voice={voice} />
            <Checkbox
              label={`${voice.file_title} · ${voiceName(voice)}`}
              checked={chosen.includes(voice.speaker_uuid)}
              onChange={(event) =>
                setChecked(
                  event.currentTarget.checked
                    ? [...chosen, voice.speaker_uuid]
                    : chosen.filter((uuid) => uuid !== voice.speaker_uuid),
                )
              }
            />
          </Group>
        ))}
      </Stack>
      {isEmptied && (
        <Text size="sm" role="status">
          {t`At least one voice stays in the profile. If all are another person, rename the profile or merge it.`}
        </Text>
      )}
      <Autocomplete
        label={t`Name of the other person`}
        required
        maxLength={200}
        data={others.map((other) => other.name)}
        value={name}
        onChange={setName}
      />
      {target && (
        <Text size="sm" role="status">
          {t`The voices are added to the existing profile ${target.name}.`}
        </Text>
      )}
    </FormDialog>
  );
}

import { t } from '@lingui/core/macro';
import { Button, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { groupsQuery } from '../groups/group-queries.ts';
import { Section } from '../ui/pane.tsx';
import { DeleteProfile } from './delete-profile.tsx';
import { ProfileSummary } from './profile-summary.tsx';
import { profilesQuery, type Profile } from './voice-queries.ts';

/** Profiles of groups without members, for administrators to delete. Empty for all others. */
export function ProfilesWithoutMembers() {
  const profiles = useQuery(profilesQuery).data?.without_members ?? [];
  const groups = useQuery({ ...groupsQuery(''), enabled: profiles.length > 0 }).data ?? [];
  const [deleted, setDeleted] = useState<Profile | null>(null);
  if (profiles.length === 0) return null;
  return (
    <Section title={t`Profiles of groups without members`}>
      <Text size="sm" c="dimmed" mb="sm">
        {t`Only administrators see these profiles. Add a member to the group if they are still needed, or delete them.`}
      </Text>
      <ul className="ot-list" data-testid="profiles-without-members">
        {profiles.map((profile) => (
          <li key={profile.uuid} data-name={profile.name}>
            <Group py="xs" gap="sm" justify="space-between">
              <ProfileSummary profile={profile} groups={groups} />
              <Button
                size="compact-sm"
                variant="subtle"
                color="red"
                aria-label={t`Delete ${profile.name}`}
                onClick={() => setDeleted(profile)}
              >
                {t`Delete`}
              </Button>
            </Group>
          </li>
        ))}
      </ul>
      {deleted && <DeleteProfile profile={deleted} onClose={() => setDeleted(null)} />}
    </Section>
  );
}

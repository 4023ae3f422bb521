import { plural } from '@lingui/core/macro';
import { Badge, Group, Text } from '@mantine/core';
import { duration } from '../lib/format.ts';
import { groupLabel, type OwnGroup } from './profile-owner.ts';
import type { Profile } from './voice-queries.ts';

/** The name and the group of a profile, and how much of the person is known. */
export function ProfileSummary({ profile, groups }: { profile: Profile; groups: readonly OwnGroup[] }) {
  const { name, files, seconds, group_uuid: groupId } = profile;
  return (
    <div style={{ flex: '1 1 200px', minWidth: 0 }}>
      <Group gap="xs">
        <Text fw={600} truncate>
          {name}
        </Text>
        {groupId !== null && (
          <Badge size="sm" variant="light" tt="none" maw="100%" data-testid="profile-group">
            {groupLabel(groupId, groups)}
          </Badge>
        )}
      </Group>
      <Text size="sm" c="dimmed">
        {plural(files, { one: '# recording', other: '# recordings' })} · {duration(seconds)}
      </Text>
    </div>
  );
}

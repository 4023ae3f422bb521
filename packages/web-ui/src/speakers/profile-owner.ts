import { t } from '@lingui/core/macro';
import type { GroupItem } from '../groups/group-queries.ts';
import type { Profile } from './voice-queries.ts';

/** A group of the user, to which a profile can belong. */
export type OwnGroup = Pick<GroupItem, 'uuid' | 'name'>;

/** The group of a profile, as a label. */
export function groupLabel(groupId: string, groups: readonly OwnGroup[]): string {
  const group = groups.find(({ uuid }) => uuid === groupId);
  return group ? t`Group ${group.name}` : t`Shared with a group`;
}

/** A profile's name, which the profile of a group may share with one of the user's own. */
export function profileLabel({ name, group_uuid: groupId }: Named, groups: readonly OwnGroup[]): string {
  return groupId === null ? name : `${name} · ${groupLabel(groupId, groups)}`;
}

type Named = Pick<Profile, 'name' | 'group_uuid'>;

/** The profile that a typed name means; of two with one name the user's own, as when a speaker of a recording is named. */
export function profileOfName<T extends Named>(profiles: readonly T[], typed: string): T | undefined {
  const wanted = typed.trim().toLowerCase();
  const same = profiles.filter(({ name }) => name.toLowerCase() === wanted);
  return same.find(({ group_uuid: groupId }) => groupId === null) ?? same[0];
}

/** Who sees a profile of this owner; null: of the user alone. */
export function audienceText(groupId: string | null, groups: readonly OwnGroup[]): string {
  if (groupId === null) return t`Only you will see this profile.`;
  const name = groupName(groupId, groups);
  return t`All members of ${name} will see this profile, get suggestions from it, and can change, move or delete it.`;
}

/** What a profile loses when it moves; empty: nothing. */
export function lossText(
  { group_uuid: from, auto_apply: isApplied }: Pick<Profile, 'group_uuid' | 'auto_apply'>,
  to: string | null,
  groups: readonly OwnGroup[],
): string {
  if (from === to) return '';
  const name = from === null ? '' : groupName(from, groups);
  const lines = [
    from === null
      ? t`Voices from other people’s recordings that you can’t edit are removed from the profile. Names in those transcripts don’t change.`
      : t`Other members of ${name} will no longer see it. Voices from other people’s recordings that you can’t edit are removed from the profile. Names in those transcripts don’t change.`,
  ];
  if (to !== null && isApplied) lines.push(t`“Apply without asking” is switched off.`);
  return lines.join(' ');
}

function groupName(groupId: string, groups: readonly OwnGroup[]): string {
  return groups.find(({ uuid }) => uuid === groupId)?.name ?? t`the group`;
}

import { plural, t } from '@lingui/core/macro';
import type { FileItem } from '../api/queries.ts';
import { ago } from '../lib/format.ts';

type Access = Pick<FileItem, 'my_permission' | 'owner_name' | 'is_shared'>;
type LastEdit = Pick<FileItem, 'last_edited_by' | 'last_edited_by_name' | 'last_edited_at'>;

/** Whose recording it is and what the reader may do with it. Administrators have the owner’s permissions in all recordings. */
export function accessText({
  my_permission: permission,
  owner_name: owner,
  is_shared: isShared,
}: Access): string | null {
  if (permission === 'owner') {
    if (owner !== null) return t`owner: ${owner}`;
    return isShared ? t`shared` : null;
  }
  const right = permission === 'editor' ? t`can edit` : t`can view`;
  return owner === null ? t`shared with you, ${right}` : t`shared by ${owner}, ${right}`;
}

/** What a deletion means for the people with whom recordings are shared. */
export function lostAccessText(shared: number): string {
  return plural(shared, {
    one: '# of them is shared. The people with access can no longer open it.',
    other: '# of them are shared. The people with access can no longer open them.',
  });
}

/** Who changed it last, unless it was the reader. */
export function lastEditText(
  { last_edited_by: editor, last_edited_by_name: name, last_edited_at: at }: LastEdit,
  readerId: string | undefined,
): string | null {
  if (at === null || editor === null || editor === readerId) return null;
  return name === null ? t`edited ${ago(at)}` : t`edited by ${name} ${ago(at)}`;
}

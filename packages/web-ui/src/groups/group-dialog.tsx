import { t } from '@lingui/core/macro';
import { useQueryClient } from '@tanstack/react-query';
import { call } from '../api/client.ts';
import { DescribedDialog } from '../naming/name-dialog.tsx';
import type { GroupDetail } from './group-queries.ts';

type Props = {
  /** The group to change; without it a new one is created. */
  readonly group?: GroupDetail;
  readonly onClose: () => void;
  readonly onDone: (group: GroupDetail) => void;
};

export function GroupDialog({ group, onClose, onDone }: Props) {
  const client = useQueryClient();
  return (
    <DescribedDialog
      title={group ? t`Edit group` : t`Add group`}
      action={group ? t`Save` : t`Add group`}
      failure={t`The group wasn’t saved`}
      draftKey={`group:${group?.uuid ?? 'new'}`}
      saved={{ name: group?.name ?? '', description: group?.description ?? '' }}
      maxLength={200}
      send={(body, changed) =>
        group
          ? call('PUT /api/groups/{uuid}', { params: { uuid: group.uuid }, body: changed })
          : call('POST /api/groups', { body })
      }
      refresh={async (saved) => {
        client.setQueryData(['group', saved.uuid], saved);
        await client.invalidateQueries({ queryKey: ['groups'] });
      }}
      onDone={onDone}
      onClose={onClose}
    />
  );
}

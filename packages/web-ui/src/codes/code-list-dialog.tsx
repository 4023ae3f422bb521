import { t } from '@lingui/core/macro';
import { useQueryClient } from '@tanstack/react-query';
import { call } from '../api/client.ts';
import { DescribedDialog } from '../naming/name-dialog.tsx';
import { refreshCodes, type CodeList } from './code-queries.ts';

type Props = {
  /** The list to change; without it a new one is created. */
  readonly list?: CodeList;
  readonly onClose: () => void;
  readonly onDone: (list: CodeList) => void;
};

export function CodeListDialog({ list, onClose, onDone }: Props) {
  const client = useQueryClient();
  return (
    <DescribedDialog
      title={list ? t`Edit list` : t`Create list of codes`}
      action={list ? t`Save` : t`Create`}
      failure={t`The list wasn’t saved`}
      draftKey={`code-list:${list?.uuid ?? 'new'}`}
      saved={{ name: list?.name ?? '', description: list?.description ?? '' }}
      maxLength={120}
      send={(body, changed) =>
        list
          ? call('PUT /api/code-lists/{uuid}', { params: { uuid: list.uuid }, body: changed })
          : call('POST /api/code-lists', { body })
      }
      refresh={() => refreshCodes(client)}
      onDone={onDone}
      onClose={onClose}
    />
  );
}

import { t } from '@lingui/core/macro';
import { useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import { call } from '../api/client.ts';
import { codeOf } from '../api/problem.ts';
import type { ResponseBody } from '../api/routes.ts';
import { notifyWithUndo } from '../ui/action-toast.tsx';
import { notify, notifyError } from '../ui/notify.ts';

type Undo = ResponseBody<'DELETE /api/files/{uuid}/transcript/segments/{segment_uuid}'>['undo'];
type UndoOffers = {
  /** Loads the transcript again, with its speakers. */
  readonly refresh: () => Promise<void>;
  /** Reports a change with a button that undoes it, and returns the id of the toast; without a change, null. */
  readonly offerUndo: (message: string, undo: Undo | null) => string | null;
  /** Undoes or redoes the last correction of this person, on this device or another one. */
  readonly step: (which: 'undo' | 'redo') => Promise<void>;
};

/** Shows changes of a transcript that replace what was there, and offers to undo them. */
export function useUndo(fileId: string): UndoOffers {
  const client = useQueryClient();
  return useMemo(() => {
    const refresh = async (): Promise<void> => {
      await Promise.all(['file', 'segments'].map((key) => client.invalidateQueries({ queryKey: [key, fileId] })));
    };
    const undoChange = async ({ uuid }: Undo): Promise<void> => {
      await call('POST /api/files/{uuid}/undo/{undo_uuid}', { params: { uuid: fileId, undo_uuid: uuid } });
      await refresh();
    };
    const offerUndo: UndoOffers['offerUndo'] = (message, undo) =>
      undo === null ? null : notifyWithUndo(message, () => undoChange(undo));
    const step: UndoOffers['step'] = async (which) => {
      const request = { params: { uuid: fileId }, body: { uuid: crypto.randomUUID() } };
      try {
        if (which === 'undo') await call('POST /api/files/{uuid}/transcript/undo', request);
        else await call('POST /api/files/{uuid}/transcript/redo', request);
        await refresh();
        notify(which === 'undo' ? t`Undone.` : t`Redone.`);
      } catch (error) {
        if (codeOf(error) === 'nothing_to_undo')
          return notify(which === 'undo' ? t`Nothing to undo.` : t`Nothing to redo.`);
        notifyError(which === 'undo' ? t`This couldn’t be undone` : t`This couldn’t be redone`, error);
      }
    };
    return { refresh, offerUndo, step };
  }, [client, fileId]);
}

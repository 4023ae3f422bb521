import { useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { ResponseBody } from '@overtone/client';
import { call } from '../api/client.ts';
import { notifyWithUndo } from '../ui/action-toast.tsx';

type Undo = ResponseBody<'DELETE /api/files/{uuid}/transcript/segments/{segment_uuid}'>['undo'];
type UndoOffers = {
  /** Loads the transcript again, with its speakers. */
  readonly refresh: () => Promise<void>;
  /** Reports a change with a button that undoes it, and returns the id of the toast; without a change, null. */
  readonly offerUndo: (message: string, undo: Undo | null) => string | null;
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
    return { refresh, offerUndo };
  }, [client, fileId]);
}

import { useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import { call } from '../api/client.ts';
import type { ResponseBody } from '../api/routes.ts';
import { notifyWithUndo } from '../ui/action-toast.tsx';

type Undo = ResponseBody<'DELETE /api/files/{uuid}/transcript/segments/{segment_uuid}'>['undo'];

/** Reports a destructive change of this transcript, shows its result, and offers to undo it. */
export function useUndo(fileId: string): (message: string, undo: Undo | null) => void {
  const client = useQueryClient();
  return useCallback(
    (message, undo) => {
      const refresh = async (): Promise<void> => {
        await Promise.all(['file', 'segments'].map((key) => client.invalidateQueries({ queryKey: [key, fileId] })));
      };
      void refresh();
      if (undo === null) return;
      notifyWithUndo(message, async () => {
        await call('POST /api/files/{uuid}/undo/{undo_uuid}', { params: { uuid: fileId, undo_uuid: undo.uuid } });
        await refresh();
      });
    },
    [client, fileId],
  );
}

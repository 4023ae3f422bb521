import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { isOutage } from '../api/problem.ts';

/**
 * A refused request means that the page behind a dialog may be outdated. It is loaded again when the dialog closes:
 * earlier, an entry that has disappeared would take its dialog, with the reason, with it.
 */
export function useReloadAfterRefusal(error: unknown): void {
  const client = useQueryClient();
  const wasRefused = useRef(false);
  useEffect(() => {
    if (error && !isOutage(error)) wasRefused.current = true;
  }, [error]);
  useEffect(
    () => () => {
      if (wasRefused.current) void client.invalidateQueries();
    },
    [client],
  );
}

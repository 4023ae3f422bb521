import { t } from '@lingui/core/macro';
import { Skeleton, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { ApiError } from '@overtone/client';
import { timeOfDay } from '../lib/format.ts';
import { ErrorNote } from './error-note.tsx';

type QueryState = {
  isError: boolean;
  isPending: boolean;
  error: unknown;
  dataUpdatedAt: number;
  refetch: () => unknown;
};
/** Shows that data is loading, or that it couldn’t be loaded and how old the shown data is; otherwise nothing. */
export function QueryStatus({ of, failure, height = 200 }: { of: QueryState; failure: string; height?: number }) {
  if (of.isError)
    return (
      <ErrorNote
        error={of.error}
        title={failure}
        note={of.dataUpdatedAt === 0 ? null : t`Last updated at ${timeOfDay(of.dataUpdatedAt)}.`}
        {...(isRetryUseful(of.error) ? { onRetry: () => void of.refetch() } : {})}
      />
    );
  return of.isPending ? <Skeleton h={height} role="status" aria-label={t`Loading`} /> : null;
}

/** What does not exist, or no longer, is not there at a second attempt either. */
function isRetryUseful(error: unknown): boolean {
  return !(error instanceof ApiError && error.status === 404);
}

export function Empty({ children }: { children: ReactNode }) {
  return (
    <Text ta="center" c="dimmed" px="md" py="2.5rem" data-testid="empty">
      {children}
    </Text>
  );
}

import { unavailable } from '@overtone/service-kit';
import { requireMarker } from '@overtone/service-kit/folder-marker';

/** @returns a check that throws AppError search_unavailable while the folder of the index lacks its marker. */
export function createFolderCheck({
  directory,
  requiresMarker,
}: {
  directory: string;
  requiresMarker?: boolean | undefined;
}): () => Promise<void> {
  return async () => {
    if (requiresMarker !== true) return;
    await requireMarker(directory).catch((cause: unknown) => {
      throw unavailable('search_unavailable', 'The folder of the search index is not there. Is its disk mounted?', {
        cause,
        retryAfterSeconds: 10,
      });
    });
  };
}

import { mediaRoutes } from '@overtone/contracts';
import { handle, periodic, type Slice } from '@overtone/service-kit';
import { actorOf } from '../audit/audit.ts';
import { createBin, type Bin, type BinDeps } from './bin.service.ts';

const hour = 3_600_000;

/**
 * Deleted files stay in a bin until they expire: invisible elsewhere, and restorable. While a file is in the bin, events of
 * its run do not change its row.
 */
export function createBinSlice(dependencies: BinDeps): Slice & { bin: Bin } {
  const bin = createBin(dependencies);
  return {
    bin,
    routes: [
      handle(mediaRoutes.listBin, ({ caller, query }) => bin.list(caller, query)),
      handle(mediaRoutes.deleteFile, (request) => bin.discard(actorOf(request), request.params.uuid)),
      handle(mediaRoutes.restoreFile, (request) => bin.restore(actorOf(request), request.params.uuid)),
      handle(mediaRoutes.purgeFile, (request) => bin.purge(actorOf(request), request.params.uuid)),
    ],
    periodics: [
      periodic('delete expired files of the bin', hour, async (signal) => void (await bin.purgeExpired(signal))),
    ],
  };
}

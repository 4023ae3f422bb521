import { importRpc, mediaRoutes } from '@overtone/contracts';
import { handle, periodic, restingPeriodic, rpc, type Slice } from '@overtone/service-kit';
import { actorOf } from '../audit/audit.ts';
import { createImportQueue, createImportReports, createImports, type ImportsDeps } from './imports.service.ts';
import { nextAttempt } from './imports.store.ts';

/** Imports of recordings from an address. The worker downloads; the file then takes the way of an upload. */
export function createImportsSlice(deps: ImportsDeps): Slice {
  const imports = createImports(deps);
  const queue = createImportQueue(deps);
  const reports = createImportReports(deps);
  return {
    routes: [handle(mediaRoutes.importUrl, (request) => imports.request(actorOf(request), request.body))],
    rpcs: [
      /** A worker takes an import. */
      rpc(importRpc.claimImport, reports.claim),
      /** Renews the claim and pushes the progress to the owner's browsers. */
      rpc(importRpc.importProgress, reports.progress),
      /** The recording is in the object store. */
      rpc(importRpc.completeImport, reports.complete),
      rpc(importRpc.failImport, reports.fail),
    ],
    periodics: [
      restingPeriodic('queue imports', 2_000, queue.check, () => nextAttempt(deps.db)),
      periodic('remove forgotten imports', 3_600_000, queue.removeForgotten),
    ],
  };
}

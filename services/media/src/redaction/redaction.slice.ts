import { randomUUID } from 'node:crypto';
import { redactionJobs, redactionRoutes } from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import { concurrencyOf, worker } from '@overtone/jobs';
import { catchUp, handle, restingPeriodic, type Bus, type Log, type Slice } from '@overtone/service-kit';
import { actorOf } from '../audit/audit.ts';
import type { Db } from '../database.ts';
import type { NamesModel } from '../ports/names-model.adapter.ts';
import { createRedaction } from './redaction.service.ts';
import { createScans } from './scan.service.ts';

type Deps = { db: Db; outbox: Outbox; bus: Bus; log: Log; names: NamesModel };

const requestEveryMs = 1_000;
const publishEveryMs = 1_000;
const followModelEveryMs = 5_000;
const hour = 3_600_000;

/** Redaction: what is masked in transcripts, for whom, and the scans that find it. */
export function createRedactionSlice({ db, outbox, bus, log, names }: Deps): Slice {
  const redaction = createRedaction({ db, outbox });
  const scans = createScans({ db, outbox, bus, log, names });
  return {
    routes: [
      handle(redactionRoutes.redactionPolicy, () => redaction.policy()),
      handle(redactionRoutes.updateRedactionPolicy, (request) =>
        redaction.changePolicy(actorOf(request), request.body),
      ),
      handle(redactionRoutes.redactionPreference, ({ caller }) => redaction.preference(caller.userId)),
      handle(redactionRoutes.updateRedactionPreference, ({ caller, body }) =>
        redaction.changePreference(caller.userId, body),
      ),
      handle(redactionRoutes.fileRedaction, (request) => redaction.file(actorOf(request), request.params.uuid)),
      handle(redactionRoutes.updateFileRedaction, (request) =>
        redaction.changeFile(actorOf(request), request.params.uuid, request.body),
      ),
      handle(redactionRoutes.revealRedaction, async (request) => {
        const { params, res } = request;
        res.setHeader('Cache-Control', 'no-store');
        return redaction.reveal(actorOf(request), params.uuid, params.redaction_uuid);
      }),
    ],
    jobs: [
      worker(
        redactionJobs,
        { scan: (input) => scans.scan(input) },
        { workerId: `media-${randomUUID()}`, concurrency: concurrencyOf(redactionJobs) },
      ),
    ],
    periodics: [
      restingPeriodic('follow the names model', followModelEveryMs, scans.followNamesModel),
      restingPeriodic('request redaction scans', requestEveryMs, () => scans.requestScans()),
      restingPeriodic('publish changed masks', publishEveryMs, (signal) => scans.publishMasks(signal)),
      catchUp('forget scans by old rules', hour, scans.forgetOldRules),
    ],
  };
}

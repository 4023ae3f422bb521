import { mediaRoutes } from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import { handle, restingPeriodic, type Log, type Slice } from '@overtone/service-kit';
import { actorOf } from '../audit/audit.ts';
import type { Db } from '../database.ts';
import type { People } from '../ports/people.adapter.ts';
import { createRetentionViews } from './retention.read-model.ts';
import { createRetentionRules } from './rules.service.ts';
import { createRetentionRuns } from './runs.service.ts';

type RetentionDeps = { db: Db; outbox: Outbox; people: Pick<People, 'names'>; binDays: number; log: Log };

const checkEveryMs = 3_000;

/** Rules that delete recordings by age, size, tag and last use: on a schedule, in batches, with a limit per day. */
export function createRetentionSlice({ db, outbox, people, binDays, log }: RetentionDeps): Slice {
  const views = createRetentionViews({ db, people, binDays });
  const rules = createRetentionRules({ db, outbox });
  const runs = createRetentionRuns({ db, outbox, binDays, log });
  return {
    routes: [
      handle(mediaRoutes.retentionSettings, () => views.settings()),
      handle(mediaRoutes.updateRetentionSettings, async (request) => {
        await rules.updateSettings(actorOf(request), request.body);
        return views.settings();
      }),
      handle(mediaRoutes.retentionRules, () => views.rules()),
      handle(mediaRoutes.createRetentionRule, (request) => rules.create(actorOf(request), request.body)),
      handle(mediaRoutes.orderRetentionRules, (request) => rules.order(actorOf(request), request.body.rule_uuids)),
      handle(mediaRoutes.updateRetentionRule, (request) =>
        rules.update(actorOf(request), request.params.uuid, request.body),
      ),
      handle(mediaRoutes.deleteRetentionRule, (request) => rules.remove(actorOf(request), request.params.uuid)),
      handle(mediaRoutes.previewRetentionRule, ({ params, query }) => views.preview(params.uuid, query)),
      handle(mediaRoutes.runRetention, (request) => rules.requestRun(actorOf(request))),
      handle(mediaRoutes.retentionRuns, ({ query }) => views.runs(query)),
      handle(mediaRoutes.retentionItems, ({ params, query }) => views.items(params.uuid, query)),
      handle(mediaRoutes.approveRetention, (request) =>
        rules.approve(actorOf(request), request.params.uuid, request.body),
      ),
    ],
    periodics: [restingPeriodic('apply retention rules', checkEveryMs, runs.check)],
  };
}

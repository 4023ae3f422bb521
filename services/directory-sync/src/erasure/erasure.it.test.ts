import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { erasureEvents, userErasureOrdered, type ErasureReport } from '@overtone/contracts';
import { waitFor } from '@overtone/testkit';
import { stopAfterFile } from '@overtone/testkit/cleanup';
import { createWorld, member } from '../../test/world.ts';

const world = await stopAfterFile(createWorld());
const reports: ErasureReport[] = [];
world.nats.subscribe(erasureEvents['directory-sync'].subject, {
  callback: (_, message) => void reports.push(message.json()),
});
await world.nats.flush();

describe('an ordered erasure', () => {
  it('deletes decisions about the person, and takes the person out of the reports of sync runs', async () => {
    const members = [1, 2, 3].map((number) => member(number));
    world.identity.accounts = members.map(({ account }) => account);
    world.directory.people = members.slice(2).map(({ person }) => person);
    await world.ask('PUT', '', { enabled: true, dry_run: false, max_disable_percent: null });
    await world.run();
    const [erased, kept] = members.map(({ account }) => account);
    const traces = async (email: string) =>
      (
        await world.sql<{ decisions: number; reports: number }>(
          `select (select count(*)::int from directory_decision where email = $1) as decisions,
                  (select count(*)::int from directory_pass where report::text like '%' || $1 || '%') as reports`,
          [email],
        )
      )[0];
    expect(await traces(erased!.email)).toEqual({ decisions: 1, reports: 1 });
    const erasureId = randomUUID();
    const order = { erasureId, round: 1, userId: erased!.userId };
    await world.nats.jetstream({ timeout: 30_000 }).publish(userErasureOrdered.subject, JSON.stringify(order));
    const [report] = await waitFor(() => (reports.length > 0 ? reports : undefined));
    expect(report).toMatchObject({ erasureId, complete: true, counts: { directory_decisions: 1 } });
    expect(await traces(erased!.email)).toEqual({ decisions: 0, reports: 0 });
    expect(await traces(kept!.email)).toEqual({ decisions: 1, reports: 1 });
  });
});

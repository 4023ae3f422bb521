import { randomUUID } from 'node:crypto';
import { expect, it } from '@jest/globals';
import { presenceLive } from '@overtone/contracts';
import { startRun } from '../../test/runs.ts';
import { newUser, startMedia, waitFor, type TestUser } from '../../test/start-media.ts';

const media = await startMedia();
const [viewer, stranger] = [newUser(), newUser()];

it('a report of an open page is passed on with the name of the person, from readers of the file only', async () => {
  const { fileId, owner } = await startRun(media);
  media.names.set(viewer.userId, 'Vic Viewer');
  await media.json(owner, 'PUT', `/api/files/${fileId}/shares`, { user_uuid: viewer.userId, permission: 'viewer' });
  const reports: unknown[] = [];
  const gateway = await media.connectAs('realtime-gateway');
  gateway.subscribeLive(presenceLive.reported, (report) => reports.push(report));
  await gateway.nc().flush();
  const [visitId, segmentId] = [randomUUID(), randomUUID()];
  const report = (person: TestUser, body: object) =>
    media.json(person, 'POST', `/api/files/${fileId}/presence`, { visit_uuid: visitId, ...body });
  const reported = { fileId, ownerId: owner.userId, visitId, userId: viewer.userId, name: 'Vic Viewer' };

  expect(await report(viewer, { segment_uuid: segmentId })).toMatchObject({ status: 204 });
  expect(await report(stranger, { segment_uuid: segmentId })).toMatchObject({ status: 404 });
  expect(await report(viewer, { segment_uuid: 'here' })).toMatchObject({ status: 422 });
  expect(await report(viewer, { left: true })).toMatchObject({ status: 204 });
  await waitFor(() => reports.length === 2);
  expect(reports).toEqual([
    { ...reported, segmentId, left: false },
    { ...reported, segmentId: null, left: true },
  ]);
});

import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { engineSettingsRoutes, engineSettingsRpc } from '@overtone/contracts';
import { waitFor } from '@overtone/testkit';
import { assertionOf } from '../../test/harness.ts';
import { startTestWorld } from '../../test/test-world.ts';

const path = '/api/admin/engine-settings';

describe('engine settings', () => {
  const world = startTestWorld();
  const admin = assertionOf(randomUUID(), 'super_admin');
  const show = async () =>
    engineSettingsRoutes.engineSettings.answer.parse(await (await world.dispatcher.get(path, admin)).json());
  const itemOf = async (key: string) => (await show()).settings.find((item) => item.key === key);
  const change = (body: unknown) => world.dispatcher.put(path, admin, body);

  it('are the defaults while nothing is stored and no worker reports its environment', async () => {
    expect(await itemOf('gpu_concurrency')).toMatchObject({ value: 1, source: 'default', is_set: false });
  });

  it('show what a worker reports, also the values of its environment', async () => {
    const settings = {
      batch_size: { value: 16, source: 'computed' as const },
      express_slots: { value: 2, source: 'environment' as const },
    };
    await world.worker({}, { about: () => ({ settings }) });
    await waitFor(async () => (await show()).workers.length === 1);
    expect((await show()).workers[0]).toMatchObject({ settings });
    expect(await itemOf('express_slots')).toMatchObject({ value: 2, source: 'environment', environment_value: 2 });
  });

  it('are stored, reach the workers, and return to the default with null', async () => {
    const author = randomUUID();
    const response = await world.dispatcher.put(path, assertionOf(author, 'super_admin'), { vad_threshold: 0.7 });
    expect(response.status).toBe(200);
    expect(await itemOf('vad_threshold')).toMatchObject({
      value: 0.7,
      source: 'stored',
      is_set: true,
      updated_by: author,
    });
    expect(await world.bus.request(engineSettingsRpc.read, {})).toEqual({ stored: { vad_threshold: 0.7 } });
    expect((await change({ vad_threshold: null })).status).toBe(200);
    expect(await itemOf('vad_threshold')).toMatchObject({ value: 0.5, source: 'default', updated_by: null });
  });

  it('publish a change and record it in the audit trail', async () => {
    await change({ threads: 4 });
    await waitFor(async () => {
      const subjects = (await world.events()).map(({ subject, data }) => `${subject} ${JSON.stringify(data)}`);
      return (
        subjects.some((text) => text.includes('settings.changed') && text.includes('threads')) &&
        subjects.some((text) => text.includes('engine_settings_changed') && text.includes('threads'))
      );
    });
  });

  it.each([
    [{ gpu_concurrency: 0 }, 422],
    [{ batch_size: 'many' }, 422],
    [{ unknown_setting: 1 }, 422],
    [{ min_speakers: 4, max_speakers: 2 }, 400],
    [{}, 400],
  ])('are not changed by %j', async (body, status) => {
    const before = (await show()).settings;
    expect((await change(body)).status).toBe(status);
    expect((await show()).settings).toEqual(before);
  });

  it('are for super administrators only', async () => {
    const other = assertionOf(randomUUID(), 'admin');
    expect((await world.dispatcher.get(path, other)).status).toBe(403);
    expect((await world.dispatcher.put(path, other, { threads: 1 })).status).toBe(403);
  });
});

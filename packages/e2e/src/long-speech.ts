import type { Page } from '@playwright/test';
import type { Client } from './client.ts';
import type { Instance } from './instance.ts';
import { asService } from './service-access.ts';

export const secondsPerPassage = 3;
export const passagesPerHour = 3600 / secondsPerPassage;
export const wordsPerPassage = 9;

/** Stores a file of the caller with a transcript and without sound: an hour has 10,800 words with times. @returns its id */
export async function storeSpeech(
  instance: Instance,
  api: Client,
  { title, hours }: { readonly title: string; readonly hours: number },
): Promise<string> {
  const me = await api.ok<{ uuid: string }>('GET', '/api/users/me');
  return asService(instance, 'media', async (query) => {
    const [file] = await query(
      `insert into media_file (user_id, filename, title, object_key, content_type, file_size, status, duration, completed_at, transcript_version)
       values ($1, 'speech.wav', $3, 'none', 'audio/wav', 1, 'completed', $2, now(), 1) returning uuid`,
      [me.uuid, hours * 3600, title],
    );
    const speakers = await query(
      `insert into speaker (media_file_id, name) select $1, 'SPEAKER_0' || n from generate_series(1, 4) n returning uuid`,
      [file?.['uuid']],
    );
    await query(
      `insert into transcript_segment (media_file_id, speaker_id, position, start_time, end_time, text, confidence, words)
       select $1, ($2::uuid[])[1 + (i / 3) % 4], i, i * $3::float8, (i + 1) * $3::float8 - 0.2,
              'passage ' || i || ' of the hearing goes on and on', 0.9,
              (select jsonb_agg(jsonb_build_object('word', w, 'start', i * $3::float8 + n * 0.3, 'end', i * $3::float8 + n * 0.3 + 0.25, 'confidence', 0.9))
                 from unnest(array['passage', i::text, 'of', 'the', 'hearing', 'goes', 'on', 'and', 'on']) with ordinality as t(w, n))
         from generate_series(0, $4::int - 1) i`,
      [
        file?.['uuid'],
        speakers.map((speaker) => speaker['uuid']),
        secondsPerPassage,
        Math.round(hours * passagesPerHour),
      ],
    );
    return String(file?.['uuid']);
  });
}

/** Milliseconds from a click in the library to the first words. */
export async function openByClick(page: Page, uuid: string): Promise<number> {
  await page.locator(`a[href$="/files/${uuid}"]`).first().hover();
  // The page is loaded ahead while the pointer is on the link.
  await page.waitForLoadState('networkidle');
  return page.evaluate(async (id) => {
    const from = performance.now();
    document.querySelector<HTMLElement>(`a[href$="/files/${id}"]`)?.click();
    while (!document.querySelector('[data-testid="segment"] [data-w]')) {
      if (performance.now() - from > 60_000) throw new Error('no words within a minute');
      await new Promise((next) => requestAnimationFrame(next));
    }
    return performance.now() - from;
  }, uuid);
}

import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Stack, Text } from '@mantine/core';
import { Fragment } from 'react';
import type { FileDetail } from '../api/queries.ts';
import { bytes, clock, moment } from '../lib/format.ts';
import { languageName } from '../uploads/languages.ts';
import { importFormatNames, type ImportFormat } from '../transcript-import/labels.ts';
import { engineNames } from '../ui/engine-names.ts';
import { soundTrackText } from './sound-tracks.ts';
import { useFile } from './file-context.ts';
import css from './file.module.css';

/** The facts about a recording and its transcript. */
export function DetailsPanel() {
  const { file } = useFile();
  return (
    <Stack gap="md" data-testid="details">
      <dl className={css['facts']}>
        {factsOf(file).map(([term, fact]) => (
          <Fragment key={term}>
            <dt>{term}</dt>
            <dd>{fact}</dd>
          </Fragment>
        ))}
      </dl>
      {file.engine?.provider === 'pocketsphinx' && (
        <Text size="xs" c="dimmed">
          <Trans>
            The built-in engine is basic. A better one can be added. Once an administrator has added it, choose
            “Transcribe again”.
          </Trans>
        </Text>
      )}
      {file.engine?.timing === 'estimated' && file.engine.provider !== 'import' && (
        <Text size="xs" c="dimmed">
          {t`This engine reports no times for single words. They are estimated within each passage.`}
        </Text>
      )}
    </Stack>
  );
}

function engineText({ engine }: FileDetail): string {
  if (engine === null) return t`not yet`;
  const model = engine.provider === 'import' ? importFormatNames[engine.model as ImportFormat] : engine.model;
  return `${engineNames[engine.provider]}, ${model}`;
}

/** Which tracks were transcribed; nothing for a single one. */
function soundFacts({ sound_tracks: tracks, speakers_by: speakersBy }: FileDetail): (readonly [string, string])[] {
  const used = tracks.filter((track) => track.used);
  const left = tracks.filter((track) => !track.used);
  const list = (some: typeof tracks): string => some.map(soundTrackText).join('; ');
  return [
    ...(tracks.length > 1 ? [[t`Sound used`, list(used)] as const] : []),
    ...(left.length > 0 ? [[t`Sound not used`, list(left)] as const] : []),
    ...(speakersBy === 'track' ? [[t`Speakers`, t`One per sound track or channel`] as const] : []),
  ];
}

function playbackFacts({ playback_copy: copy }: FileDetail): (readonly [string, string])[] {
  if (copy === null) return [];
  const { status, bytes: size } = copy;
  if (status === 'ready') return [[t`Playback copy`, size === null ? t`ready` : bytes(size)]];
  return [[t`Playback copy`, status === 'queued' ? t`being made` : t`couldn’t be made`]];
}

function factsOf(file: FileDetail): (readonly [string, string])[] {
  return [
    [t`Owner`, file.owner_name ?? (file.my_permission === 'owner' ? t`You` : t`unknown`)],
    [t`Engine`, engineText(file)],
    ...(file.engine?.provider === 'import'
      ? []
      : [[t`Speaker detection`, file.diarization_provider ?? t`not yet`] as const]),
    [t`Language`, file.language === null ? t`unknown` : languageName(file.language)],
    [t`Length`, file.duration === null ? t`not yet known` : clock(file.duration)],
    [t`File`, file.file_size === null ? file.filename : `${file.filename}, ${bytes(file.file_size)}`],
    ...(file.file_tags.title === null ? [] : [[t`Title in the file`, file.file_tags.title] as const]),
    ...(file.file_tags.artist === null ? [] : [[t`Artist`, file.file_tags.artist] as const]),
    ...soundFacts(file),
    ...(file.source_url === null ? [] : [[t`Imported from`, file.source_url] as const]),
    [t`Type`, file.content_type],
    ...playbackFacts(file),
    [t`Uploaded`, moment(file.upload_time)],
    ...(file.recorded_date === null ? [] : [[t`Recorded`, moment(file.recorded_date)] as const]),
    ...(file.completed_at === null ? [] : [[t`Finished`, moment(file.completed_at)] as const]),
  ];
}

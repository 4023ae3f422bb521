import { plural, t } from '@lingui/core/macro';
import { Anchor, Button, Checkbox, Text } from '@mantine/core';
import { speakerName } from '@overtone/contracts/speakers';
import { useState } from 'react';
import { ErrorNote } from '../ui/error-note.tsx';
import { clock, formatNumber } from '../lib/format.ts';
import { chosenPlaces, isEditable, placeKey, type FoundFile, type Place } from './places.ts';
import css from './replace.module.css';
import type { Replacing } from './use-replacing.ts';

type Props = {
  readonly replacing: Replacing;
  /** Shows a place in the transcript; absent where no transcript is shown. */
  readonly onShow?: (place: Place) => void;
};

/** Places that are rendered at first, and with each press of the button below them. */
const step = 100;

/** Every place with its replacement. Each can be excluded, or replaced alone. */
export function PlaceList({ replacing, onShow }: Props) {
  const { found, files, failed, fields } = replacing;
  const [limit, setLimit] = useState(step);
  const total = files.reduce((sum, { places }) => sum + places.length, 0);
  let left = limit;
  const shown = files.map((file) => {
    const places = file.places.slice(0, left);
    left -= places.length;
    return { file, places };
  });
  return (
    <div className={css['result']}>
      <Text size="sm" c="dimmed" role="status" data-testid="replace-count">
        {countText(replacing, total)}
      </Text>
      {found.isError && fields.find !== '' && <ErrorNote error={found.error} title={t`The search failed`} />}
      {failed.map(({ file_uuid, error }) => (
        <Text key={file_uuid} size="sm" c="red" role="alert">
          {titleOf(files, file_uuid)}: {error?.message}
        </Text>
      ))}
      {total > 0 && (
        <div className={css['list']} role="group" aria-label={t`Places`}>
          {shown.map(({ file, places }) => (
            <FilePlaces
              key={file.file_uuid}
              file={file}
              places={places}
              replacing={replacing}
              titled={files.length > 1}
              {...(onShow && { onShow })}
            />
          ))}
          {total > limit && (
            <Button variant="subtle" size="compact-sm" onClick={() => setLimit(limit + step)}>
              {t`Show more places`}
            </Button>
          )}
        </div>
      )}
    </div>
  );
}

function titleOf(files: readonly FoundFile[], uuid: string): string {
  return files.find(({ file_uuid }) => file_uuid === uuid)?.title ?? t`Recording`;
}

function countText({ fields, found, files, current }: Replacing, total: number): string {
  if (fields.find === '' || found.isError) return '';
  if (!current) return t`Searching`;
  if (total === 0 && found.data?.complete === true) return t`Nothing found.`;
  const places = plural(total, { one: '# place', other: '# places' });
  const recordings = files.filter((file) => file.places.length > 0).length;
  const where =
    files.length > 1 ? t`${places} in ${plural(recordings, { one: '# recording', other: '# recordings' })}` : places;
  return found.data?.complete === false
    ? t`${where}: the first ${formatNumber(total)}. Replace these, then search for the rest.`
    : where;
}

type FileProps = Props & { readonly file: FoundFile; readonly places: readonly Place[]; readonly titled: boolean };

function FilePlaces({ file, places, replacing, titled, onShow }: FileProps) {
  if (places.length === 0 && file.error === null) return null;
  const editable = isEditable(file);
  const chosen = chosenPlaces(file, replacing.excluded).length;
  return (
    <section className={css['file']} aria-label={file.title ?? t`Recording`}>
      {titled && (
        <Checkbox
          className={css['title'] ?? ''}
          label={file.title ?? t`Recording`}
          disabled={!editable}
          checked={chosen > 0 && chosen === file.places.length}
          indeterminate={chosen > 0 && chosen < file.places.length}
          onChange={(event) => replacing.toggle(file.places, event.currentTarget.checked)}
        />
      )}
      {!editable && (
        <Text size="xs" c="dimmed">
          {file.error?.message ?? t`This recording was shared with you for reading only.`}
        </Text>
      )}
      <ul className={css['places']}>
        {places.map((place) => (
          <PlaceRow key={placeKey(place)} {...{ file, place, replacing, editable }} {...(onShow && { onShow })} />
        ))}
      </ul>
    </section>
  );
}

type RowProps = Props & { readonly file: FoundFile; readonly place: Place; readonly editable: boolean };

function PlaceRow({ file, place, replacing, editable, onShow }: RowProps) {
  const { text, from, to, start_time, speaker, replacement } = place;
  const at = clock(start_time);
  const name = speaker === null ? '' : speakerName({ name: speaker, display_name: null });
  const found = text.slice(from, to);
  return (
    <li className={css['place']}>
      <Checkbox
        aria-label={t`Replace “${found}” at ${at}`}
        disabled={!editable}
        checked={editable && !replacing.excluded.has(placeKey(place))}
        onChange={(event) => replacing.toggle([place], event.currentTarget.checked)}
      />
      <span className={css['excerpt']}>
        <Text span size="xs" c="dimmed" className="ot-tabular">
          {onShow ? (
            <Anchor component="button" type="button" fz="xs" aria-label={t`Go to ${at}`} onClick={() => onShow(place)}>
              {at}
            </Anchor>
          ) : (
            at
          )}{' '}
          {name}{' '}
        </Text>
        <bdi>
          {text.slice(0, from)}
          <del>{found}</del>
          <ins>{replacement}</ins>
          {text.slice(to)}
        </bdi>
      </span>
      <Button
        size="compact-xs"
        variant="default"
        disabled={!editable || !replacing.current || replacing.run.isPending}
        aria-label={t`Replace only “${found}” at ${at}`}
        onClick={() => replacing.run.mutate([{ uuid: file.file_uuid, places: [place] }])}
      >
        {t`Replace`}
      </Button>
    </li>
  );
}

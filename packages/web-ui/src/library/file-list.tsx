import { plural, t } from '@lingui/core/macro';
import { Badge, Checkbox, Skeleton, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { meQuery, tagsOfFilesQuery, type FileItem } from '../api/queries.ts';
import { Icon } from '../ui/icons.tsx';
import { bytes, clock, duration, moment } from '../lib/format.ts';
import { accessText, lastEditText } from './access-labels.ts';
import { FileCover } from './file-cover.tsx';
import { FileMenu } from './file-menu.tsx';
import { FileStatus } from './file-status.tsx';
import { hasRecording } from './status.ts';
import css from './library.module.css';

export type View = 'grid' | 'list';

type ListProps = {
  readonly files: readonly FileItem[];
  readonly view: View;
  readonly selected: ReadonlySet<string>;
  readonly onToggle: (uuid: string, range: boolean) => void;
};
type EntryProps = {
  readonly file: FileItem;
  readonly tags: readonly string[];
  readonly selected: boolean;
  readonly onToggle: (range: boolean) => void;
};

export function FileList({ files, view, selected, onToggle }: ListProps) {
  const tags = useQuery(tagsOfFilesQuery(files.map(({ uuid }) => uuid))).data;
  const Entry = view === 'grid' ? FileCard : FileRow;
  return (
    <ul
      className={css[view === 'grid' ? 'grid' : 'rows']}
      aria-label={t`Recordings`}
      data-testid="file-list"
      data-selecting={selected.size > 0 || undefined}
    >
      {files.map((file) => (
        <Entry
          key={file.uuid}
          file={file}
          tags={tags?.get(file.uuid) ?? []}
          selected={selected.has(file.uuid)}
          onToggle={(range) => onToggle(file.uuid, range)}
        />
      ))}
    </ul>
  );
}

function SelectBox({ file, selected, onToggle }: Omit<EntryProps, 'tags'>) {
  return (
    <span className={css['select']}>
      <Checkbox
        size="sm"
        aria-label={t`Select ${file.title}`}
        checked={selected}
        onChange={(event) => onToggle((event.nativeEvent as MouseEvent).shiftKey)}
      />
    </span>
  );
}

/** The number of tags shown; further tags are counted. */
const shownTags = 3;

function Tags({ tags }: { tags: readonly string[] }) {
  return tags.length === 0 ? null : (
    <ul className={css['tags']} aria-label={t`Tags`} title={tags.join(', ')}>
      {tags.slice(0, shownTags).map((tag) => (
        <Badge key={tag} component="li" size="sm" variant="light" tt="none" className={css['tag'] ?? ''}>
          {tag}
        </Badge>
      ))}
      {tags.length > shownTags && (
        <Badge component="li" size="sm" variant="light" color="gray">
          +{tags.length - shownTags}
        </Badge>
      )}
    </ul>
  );
}

function TitleLink({ file }: { file: FileItem }) {
  return (
    <Link to="/files/$uuid" params={{ uuid: file.uuid }} className={css['titleLink']} dir="auto" title={file.title}>
      {file.title}
    </Link>
  );
}

function useFacts(file: FileItem): string {
  const me = useQuery(meQuery).data;
  return [
    // What two similar recordings differ by is not cut off.
    moment(file.upload_time),
    accessText(file),
    lastEditText(file, me?.uuid),
    file.speaker_count > 0 ? plural(file.speaker_count, { one: '# speaker', other: '# speakers' }) : null,
    hasRecording(file) ? bytes(file.file_size ?? 0) : null,
  ]
    .filter((fact) => fact !== null)
    .join(' · ');
}

function FileCard({ file, tags, selected, onToggle }: EntryProps) {
  const facts = useFacts(file);
  return (
    <li
      className={`ot-card ${css['card']}`}
      data-testid="file-card"
      data-uuid={file.uuid}
      data-status={file.status}
      data-selected={selected || undefined}
    >
      <SelectBox file={file} selected={selected} onToggle={onToggle} />
      <div className={css['cover']}>
        <FileCover file={file} />
        {file.duration !== null && (
          <span className={`ot-tabular ${css['length']}`} title={duration(file.duration)}>
            {clock(file.duration)}
          </span>
        )}
      </div>
      <div className={css['body']}>
        <div className={css['titleLine']}>
          <TitleLink file={file} />
          <div className={css['menu']}>
            <FileMenu file={file} />
          </div>
        </div>
        <Text size="xs" c="dimmed" truncate title={facts}>
          {facts}
        </Text>
        <Tags tags={tags} />
        <FileStatus file={file} />
      </div>
    </li>
  );
}

function FileRow({ file, tags, selected, onToggle }: EntryProps) {
  const facts = useFacts(file);
  return (
    <li
      className={`ot-card ${css['row']}`}
      data-testid="file-card"
      data-uuid={file.uuid}
      data-status={file.status}
      data-selected={selected || undefined}
    >
      <SelectBox file={file} selected={selected} onToggle={onToggle} />
      <div className={css['thumb']}>
        {file.has_thumbnail ? (
          <FileCover file={file} />
        ) : (
          <Icon name={file.has_video ? 'video' : file.has_media ? 'audio' : 'file'} />
        )}
      </div>
      <div className={css['rowTitle']}>
        <TitleLink file={file} />
        <Text size="xs" c="dimmed" truncate title={`${facts} (${moment(file.upload_time)})`}>
          {file.duration === null ? facts : `${clock(file.duration)} · ${facts}`}
        </Text>
        <Tags tags={tags} />
      </div>
      <FileStatus file={file} />
      <div className={css['menu']}>
        <FileMenu file={file} />
      </div>
    </li>
  );
}

/** Has the size of the loaded list, so that the layout does not move. */
export function FileListPending({ view }: { view: View }) {
  return (
    <div className={css[view === 'grid' ? 'grid' : 'rows']} role="status" aria-label={t`Loading recordings`}>
      {Array.from({ length: 6 }, (_, i) =>
        view === 'grid' ? (
          <div key={i} className={`ot-card ${css['card']}`}>
            <div className={css['cover']} />
            <div className={css['body']}>
              <Skeleton h={18} w="70%" my={3} />
              <Skeleton h={11} w="50%" my={4} />
              <div className={css['status']} />
            </div>
          </div>
        ) : (
          <div key={i} className={`ot-card ${css['row']}`} style={{ minHeight: 62 }} />
        ),
      )}
    </div>
  );
}

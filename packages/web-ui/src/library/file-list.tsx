import { Skeleton, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { FileItem } from '../api/queries.ts';
import { Icon } from '../app/icons.tsx';
import { ago, bytes, clock, duration, moment, plural } from '../lib/format.ts';
import { FileCover } from './file-cover.tsx';
import { FileMenu } from './file-menu.tsx';
import { FileStatus } from './file-status.tsx';
import css from './library.module.css';

export type View = 'grid' | 'list';

export const FileList = ({ files, view }: { files: readonly FileItem[]; view: View }) => (
  <ul className={css[view === 'grid' ? 'grid' : 'rows']} aria-label="Recordings" data-testid="file-list">
    {files.map((file) =>
      view === 'grid' ? <FileCard key={file.uuid} file={file} /> : <FileRow key={file.uuid} file={file} />,
    )}
  </ul>
);

const TitleLink = ({ file }: { file: FileItem }) => (
  <Link to="/files/$uuid" params={{ uuid: file.uuid }} className={css['titleLink']} title={file.title}>
    {file.title}
  </Link>
);

const facts = (file: FileItem): string =>
  [
    file.my_permission === 'owner' ? null : 'shared with you',
    file.speaker_count > 0 ? plural(file.speaker_count, 'speaker') : null,
    bytes(file.file_size),
    ago(file.upload_time),
  ]
    .filter((fact) => fact !== null)
    .join(' · ');

const FileCard = ({ file }: { file: FileItem }) => (
  <li className={`ot-card ${css['card']}`} data-testid="file-card" data-uuid={file.uuid} data-status={file.status}>
    <div className={css['cover']}>
      <FileCover file={file} />
      {file.duration !== null && (
        <span className={`ot-tabular ${css['length']}`} title={duration(file.duration)}>
          {clock(file.duration)}
        </span>
      )}
    </div>
    <div className={css['body']}>
      <TitleLink file={file} />
      <Text size="xs" c="dimmed" truncate title={moment(file.upload_time)}>
        {facts(file)}
      </Text>
      <FileStatus file={file} />
    </div>
    <div className={css['menu']}>
      <FileMenu file={file} />
    </div>
  </li>
);

const FileRow = ({ file }: { file: FileItem }) => (
  <li className={`ot-card ${css['row']}`} data-testid="file-card" data-uuid={file.uuid} data-status={file.status}>
    <div className={css['thumb']}>
      {file.has_thumbnail ? <FileCover file={file} /> : <Icon name={file.has_video ? 'video' : 'audio'} />}
    </div>
    <div className={css['rowTitle']}>
      <TitleLink file={file} />
      <Text size="xs" c="dimmed" truncate title={moment(file.upload_time)}>
        {[file.duration === null ? null : clock(file.duration), facts(file)].filter((f) => f !== null).join(' · ')}
      </Text>
    </div>
    <FileStatus file={file} />
    <div className={css['menu']}>
      <FileMenu file={file} />
    </div>
  </li>
);

/** In the shape of what comes, so that nothing moves when it is there. */
export const FileListPending = ({ view }: { view: View }) => (
  <div className={css[view === 'grid' ? 'grid' : 'rows']} role="status" aria-label="Loading recordings">
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

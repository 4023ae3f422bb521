import { plural, t } from '@lingui/core/macro';
import { Alert, Checkbox, FileInput, NativeSelect, NumberInput, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { call, sendFile } from '../api/client.ts';
import type { FileItem } from '../api/queries.ts';
import { notify } from '../ui/notify.ts';
import { notifyWithUndo } from '../ui/action-toast.tsx';
import { ErrorNote } from '../ui/error-note.tsx';
import { FormDialog, stillMissing } from '../ui/form-dialog.tsx';
import { Icon } from '../ui/icons.tsx';
import { clock, duration } from '../lib/format.ts';
import css from './transcript-import.module.css';
import { encodingNames, importFormatNames, noteText, transcriptExtensions } from './labels.ts';
import type { ImportEncoding, ImportFormat, ImportPreview } from './labels.ts';

type Props = {
  /** The file whose transcript is replaced; without it, a file without a recording is created. */
  readonly file?: FileItem;
  readonly chosen?: File | null;
  readonly onClose: () => void;
  readonly onDone?: () => void;
};
type Choice = {
  readonly encoding: ImportEncoding | '';
  readonly format: ImportFormat | '';
  readonly shift: number;
  readonly prefixes: boolean;
};
const noChoice: Choice = { encoding: '', format: '', shift: 0, prefixes: true };

/** Imports a transcript that was made elsewhere, after a look at its first turns. */
export function ImportDialog({ file, chosen = null, onClose, onDone }: Props) {
  const [source, setSource] = useState<File | null>(chosen);
  const [choice, setChoice] = useState<Choice>(noChoice);
  const [title, setTitle] = useState('');
  const { encoding, format, shift, prefixes } = choice;
  const query = { encoding, format, shift: shift === 0 ? '' : String(shift), speaker_prefixes: prefixes };
  const preview = usePreview(source, query);
  const importing = useImport({ file, source, query, title, onClose, onDone });
  const { data } = preview;
  return (
    <FormDialog
      title={file ? t`Import a transcript` : t`Import a transcript without a recording`}
      action={t`Import`}
      unready={
        stillMissing(source === null && t`Transcript file`) ??
        (data !== undefined && !preview.isFetching ? null : t`The file isn’t read yet.`)
      }
      sending={importing}
      failure={t`The transcript wasn’t imported`}
      onSubmit={() => importing.mutate()}
      onClose={onClose}
    >
      <FileInput
        label={t`Transcript file`}
        description={t`Subtitles (SRT, WebVTT, TTML, SSA, SubViewer, MicroDVD), JSON of Overtone or Whisper, a Word document of Teams, or plain text with lines such as “Ada: Good morning.”`}
        placeholder={t`Choose a file`}
        styles={{ placeholder: { color: 'var(--mantine-color-dimmed)' } }}
        accept={transcriptExtensions}
        leftSection={<Icon name="file" size={18} />}
        value={source}
        fileInputProps={{ 'data-testid': 'transcript-input' } as object}
        onChange={(next) => {
          setSource(next);
          setChoice(noChoice);
        }}
      />
      {preview.error && <ErrorNote error={preview.error} title={t`This file can’t be imported`} />}
      {source && data?.format !== 'docx' && (data || choice.encoding !== '' || preview.error) && (
        <EncodingField detected={data?.encoding} choice={choice} onChange={setChoice} />
      )}
      {source && data?.format !== 'docx' && (data || choice.format !== '' || preview.error) && (
        <FormatField recognised={data?.format} choice={choice} onChange={setChoice} />
      )}
      {data && !data.untimed && (
        <NumberInput
          label={t`Shift all times by`}
          description={t`In seconds, e.g. −36000 for a time code that begins at 10:00:00.`}
          suffix={t` s`}
          min={-36_000_000}
          max={36_000_000}
          value={choice.shift}
          onChange={(value) => setChoice({ ...choice, shift: Number(value) || 0 })}
        />
      )}
      {data && data.format !== 'json' && (
        <Checkbox
          label={t`“Name:” at the start of a line is a speaker`}
          checked={choice.prefixes}
          onChange={(event) => setChoice({ ...choice, prefixes: event.currentTarget.checked })}
        />
      )}
      {data && (
        <>
          {!file && (
            <TextInput
              label={t`Title`}
              placeholder={source?.name.replace(/\.[^.]+$/, '') ?? ''}
              description={t`Leave blank to use the title or name of the file.`}
              value={title}
              maxLength={255}
              onChange={(event) => setTitle(event.currentTarget.value)}
            />
          )}
          <Preview preview={data} />
          {file && file.transcript_version > 0 && (
            <Text size="sm">{t`The imported transcript replaces the current one. You can undo this for a day.`}</Text>
          )}
        </>
      )}
    </FormDialog>
  );
}

type ImportQuery = {
  readonly encoding: string;
  readonly format: string;
  readonly shift: string;
  readonly speaker_prefixes: boolean;
};

function usePreview(source: File | null, query: ImportQuery) {
  return useQuery({
    queryKey: ['import-preview', source?.name, source?.size, source?.lastModified, query],
    queryFn: ({ signal }) => sendFile('POST /api/transcripts/import/preview', source as File, { query, signal }),
    enabled: source !== null,
    retry: false,
    gcTime: 0,
  });
}

type ImportInput = Pick<Props, 'onClose'> & {
  readonly file: FileItem | undefined;
  readonly onDone: (() => void) | undefined;
  readonly source: File | null;
  readonly query: ImportQuery;
  readonly title: string;
};

function useImport({ file, source, query, title, onClose, onDone }: ImportInput) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const undo = async (uuid: string, undoId: string): Promise<void> => {
    await call('POST /api/files/{uuid}/undo/{undo_uuid}', { params: { uuid, undo_uuid: undoId } });
    onDone?.();
  };
  return useMutation({
    mutationFn: async () => {
      if (!source) return;
      if (file) {
        const params = { uuid: file.uuid };
        const done = await sendFile('POST /api/files/{uuid}/transcript/import', source, { params, query });
        notifyWithUndo(t`Imported ${plural(done.segment_count, { one: '# passage', other: '# passages' })}.`, () =>
          undo(file.uuid, done.undo.uuid),
        );
        return;
      }
      const created = await sendFile('POST /api/transcripts/import', source, {
        query: { ...query, title: title.trim() },
      });
      notify(t`Imported “${created.title}”.`);
      await client.invalidateQueries({ queryKey: ['files'] });
      await navigate({ to: '/files/$uuid', params: { uuid: created.uuid }, ignoreBlocker: true });
    },
    onSuccess: () => {
      onDone?.();
      onClose();
    },
  });
}

type EncodingProps = {
  readonly detected: ImportEncoding | undefined;
  readonly choice: Choice;
  readonly onChange: (next: Choice) => void;
};

function EncodingField({ detected, choice, onChange }: EncodingProps) {
  const automatic = detected && choice.encoding === '' ? t`Detected: ${encodingNames[detected]}` : t`Detect`;
  return (
    <NativeSelect
      label={t`Encoding`}
      description={t`Choose another one if letters are wrong below.`}
      value={choice.encoding}
      data={[
        { value: '', label: automatic },
        ...Object.keys(encodingNames).map((value) => ({ value, label: encodingNames[value as ImportEncoding] })),
      ]}
      onChange={(event) => onChange({ ...choice, encoding: event.currentTarget.value as Choice['encoding'] })}
    />
  );
}

function FormatField({
  recognised,
  choice,
  onChange,
}: Omit<EncodingProps, 'detected'> & { recognised: ImportFormat | undefined }) {
  const automatic = recognised && choice.format === '' ? t`Recognised: ${importFormatNames[recognised]}` : t`Recognise`;
  const formats = (Object.keys(importFormatNames) as ImportFormat[]).filter((format) => format !== 'docx');
  return (
    <NativeSelect
      label={t`Format`}
      description={t`Choose another one if the passages below are wrong.`}
      value={choice.format}
      data={[
        { value: '', label: automatic },
        ...formats.map((format) => ({ value: format, label: importFormatNames[format] })),
      ]}
      onChange={(event) => onChange({ ...choice, format: event.currentTarget.value as Choice['format'] })}
    />
  );
}

function Preview({ preview }: { preview: ImportPreview }) {
  const more = preview.segment_count - preview.turns.length;
  const facts = [
    importFormatNames[preview.format],
    plural(preview.segment_count, { one: '# passage', other: '# passages' }),
    preview.speakers.length === 0
      ? t`no speakers`
      : plural(preview.speakers.length, { one: '# speaker', other: '# speakers' }),
    duration(preview.duration),
  ];
  return (
    <Stack gap="xs" data-testid="import-preview">
      <Text size="sm" fw={600}>
        {facts.join(' · ')}
      </Text>
      <ol className={css['turns']} aria-label={t`First passages`}>
        {preview.turns.map((turn, i) => (
          <li key={i}>
            <span className={`ot-tabular ${css['time']}`}>{clock(turn.start_time)}</span>
            <span className={css['text']}>
              {turn.speaker !== null && <b>{turn.speaker}: </b>}
              <bdi>{turn.text}</bdi>
            </span>
          </li>
        ))}
      </ol>
      {more > 0 && (
        <Text size="xs" c="dimmed">
          {plural(more, { one: 'and # more passage', other: 'and # more passages' })}
        </Text>
      )}
      <ImportNotes preview={preview} />
    </Stack>
  );
}

function ImportNotes({ preview }: { preview: ImportPreview }) {
  const notes = preview.notes.map(noteText);
  if (preview.untimed) notes.unshift(t`This file has no timestamps. Overtone estimates them.`);
  else if (preview.interpolated)
    notes.unshift(t`There are no times for single words. They are estimated within each passage.`);
  if (notes.length === 0) return null;
  return (
    <Alert color="gray" variant="light" icon={<Icon name="info" />} p="xs">
      {notes.map((note) => (
        <Text key={note} size="sm">
          {note}
        </Text>
      ))}
    </Alert>
  );
}

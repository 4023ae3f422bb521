import { msg, t } from '@lingui/core/macro';
import { Button, Menu } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { translateOnRead } from '../lib/language.ts';
import { fetchText } from '../api/client.ts';
import { urlOf } from '../api/routes.ts';
import { Icon } from '../ui/icons.tsx';
import { notify, notifyError } from '../ui/notify.ts';
import { copyText } from '../lib/copy-text.ts';
import { saveTextFile } from '../lib/save-text-file.ts';
import { copyLinkTo } from './copy-link.ts';
import { useFile } from './file-context.ts';
import { summaryStatusQuery } from './summary/summary-queries.ts';

const formats = translateOnRead([
  { format: 'srt', label: msg`Subtitles, SRT`, ending: 'srt', type: 'application/x-subrip' },
  { format: 'webvtt', label: msg`Subtitles, WebVTT`, ending: 'vtt', type: 'text/vtt' },
  { format: 'txt', label: msg`Plain text`, ending: 'txt', type: 'text/plain' },
  { format: 'json', label: msg`JSON with words and times`, ending: 'json', type: 'application/json' },
]);
type Format = (typeof formats)[number];

/** The transcript as a file, or on the clipboard. */
export function ExportMenu() {
  const { file, player } = useFile();
  const [withSpeakers, setWithSpeakers] = useState(true);
  const [withSummary, setWithSummary] = useState(false);
  const status = useQuery(summaryStatusQuery(file.uuid)).data;
  const hasSummary = status !== undefined && status.shown_version !== null && !status.withheld;
  const fetchAs = (format: Format['format']): Promise<string> =>
    fetchText(
      urlOf('GET /api/files/{uuid}/subtitles', {
        params: { uuid: file.uuid },
        query: {
          subtitle_format: format,
          include_speakers: withSpeakers,
          // SRT has no place for it.
          include_summary: hasSummary && withSummary && format !== 'srt',
        },
      }),
    );
  const save = useMutation({
    mutationFn: async ({ format, ending, type }: Format) =>
      saveTextFile(await fetchAs(format), `${file.title}.${ending}`, type),
    onError: (error) => notifyError(t`The transcript couldn’t be exported`, error),
  });
  const copy = useMutation({
    mutationFn: async () => {
      await copyText(await fetchAs('txt'));
      notify(t`Transcript copied.`);
    },
    onError: (error) => notifyError(t`The transcript couldn’t be copied`, error),
  });
  return (
    <Menu width={260}>
      <Menu.Target>
        <Button variant="default" size="sm" leftSection={<Icon name="download" size={17} />} loading={save.isPending}>
          {t`Export`}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {formats.map((format) => (
          <Menu.Item
            key={format.format}
            leftSection={<Icon name="file" size={17} />}
            onClick={() => save.mutate(format)}
          >
            {format.label}
          </Menu.Item>
        ))}
        <Menu.Item leftSection={<Icon name="copy" size={17} />} onClick={() => copy.mutate()}>
          {t`Copy as text`}
        </Menu.Item>
        <Menu.Item leftSection={<Icon name="link" size={17} />} onClick={() => void copyLinkTo(player.now())}>
          {t`Copy link to this moment`}
        </Menu.Item>
        <Menu.Divider />
        <Menu.CheckboxItem checked={withSpeakers} onChange={setWithSpeakers} closeMenuOnClick={false}>
          {t`With speaker names`}
        </Menu.CheckboxItem>
        {hasSummary && (
          <Menu.CheckboxItem checked={withSummary} onChange={setWithSummary} closeMenuOnClick={false}>
            {t`With summary (not in SRT)`}
          </Menu.CheckboxItem>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}

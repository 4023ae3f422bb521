import { plural, t } from '@lingui/core/macro';
import { Button, Group, Text } from '@mantine/core';
import type { ExportOptions } from '@overtone/contracts/export-formats';
import { useQuery } from '@tanstack/react-query';
import { call } from '../api/client.ts';
import { clock } from '../lib/format.ts';
import { Icon } from '../ui/icons.tsx';
import css from './exports.module.css';
import { issueLabels } from './labels.ts';

type Props = {
  readonly uuid: string;
  readonly options: Pick<ExportOptions, 'names' | 'masked' | 'cues'>;
  /** Chooses subtitles that keep the rules. */
  readonly onRepair: () => void;
};

/** Whether the subtitles keep the rules of length and reading speed, and where they do not. */
export function SubtitleCheck({ uuid, options: { names, masked, cues }, onRepair }: Props) {
  const query = { names, masked, cues };
  const { data: check } = useQuery({
    queryKey: ['subtitle-check', uuid, query],
    queryFn: ({ signal }) => call('GET /api/files/{uuid}/subtitles/validate', { params: { uuid }, query, signal }),
    gcTime: 0,
    retry: false,
  });
  if (!check) return null;
  if (check.is_valid)
    return (
      <Group gap="xs" role="status">
        <Icon name="check" size={16} />
        <Text size="sm">{t`All subtitles are easy to read.`}</Text>
      </Group>
    );
  const { total_issues: total } = check;
  return (
    <div role="status">
      <Group justify="space-between">
        <Text size="sm" fw={600}>
          {plural(total, { one: '# place is hard to read', other: '# places are hard to read' })}
        </Text>
        {cues === 'passages' && (
          <Button variant="default" size="compact-sm" onClick={onRepair}>
            {t`Make them easy to read`}
          </Button>
        )}
      </Group>
      <ul className={css['issues']} tabIndex={0} aria-label={t`Places that are hard to read`}>
        {check.issues.map(({ cue, start, rule, value, limit }) => (
          <li key={`${cue} ${rule}`}>
            {clock(start)} {issueLabels[rule]} ({value} / {limit})
          </li>
        ))}
      </ul>
    </div>
  );
}

import { t } from '@lingui/core/macro';
import { Group, Progress, Text } from '@mantine/core';
import type { FileItem } from '../api/queries.ts';
import { Icon } from '../ui/icons.tsx';
import { timeLeft } from '../lib/format.ts';
import { useProgress } from '../live/progress-store.ts';
import css from './library.module.css';
import { isInProgress, finalStatusText, stageText, toneOf } from './status.ts';

/** The status of a file: two lines of fixed height, so that a change does not move the layout. */
export function FileStatus({ file }: { file: FileItem }) {
  const live = useProgress(file.uuid);
  const tone = toneOf(file);
  if (isInProgress(file)) {
    const percent = live?.percent ?? null;
    const text = stageText(file, live);
    return (
      <div className={css['status']} data-testid="file-status" data-status={file.status}>
        <Group gap={6} wrap="nowrap" justify="space-between">
          <Text size="xs" fw={550} truncate c={tone === 'waiting' ? 'dimmed' : 'petrol'}>
            {text}
          </Text>
          <Text size="xs" c="dimmed" className="ot-tabular" style={{ whiteSpace: 'nowrap' }}>
            {percent === null || tone === 'waiting'
              ? ''
              : live?.etaSeconds == null
                ? `${Math.round(percent)} %`
                : timeLeft(live.etaSeconds)}
          </Text>
        </Group>
        <Progress.Root size="sm" mt={5} transitionDuration={250}>
          <Progress.Section
            value={percent ?? (tone === 'waiting' ? 0 : 100)}
            striped={percent === null && tone === 'busy'}
            animated={percent === null && tone === 'busy'}
            color={tone === 'waiting' ? 'gray' : 'petrol'}
            aria-label={t`Progress of ${file.title}`}
            aria-valuetext={percent === null ? text : t`${text}, ${Math.round(percent)} percent`}
          />
        </Progress.Root>
      </div>
    );
  }
  return (
    <div className={css['status']} data-testid="file-status" data-status={file.status}>
      <Group gap={6} wrap="nowrap" c={tone === 'failed' ? 'red' : tone === 'done' ? 'petrol' : 'dimmed'}>
        <Icon
          name={tone === 'failed' ? 'alert' : tone === 'done' ? 'check' : 'close'}
          size={15}
          style={{ flex: 'none' }}
        />
        <Text
          size="xs"
          fw={550}
          lineClamp={2}
          title={file.error?.message ?? undefined}
          c="inherit"
          style={{ overflowWrap: 'anywhere' }}
        >
          {finalStatusText(file)}
        </Text>
      </Group>
    </div>
  );
}

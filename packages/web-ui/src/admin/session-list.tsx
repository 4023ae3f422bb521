import { Badge, Button, Group, Text } from '@mantine/core';
import type { Answer } from '../api/routes.ts';
import { deviceOf } from '../account/user-agent.ts';
import { ago, moment } from '../lib/format.ts';
import css from './admin.module.css';

type Session = Answer<'sessions'>['sessions'][number];
type Props = {
  readonly sessions: readonly Session[];
  readonly onEnd: (session: Session) => void;
  /** The one that is being ended just now. */
  readonly ending: string | null;
};

/** Sessions with what is known of the device, each with a way to end it. */
export const SessionList = ({ sessions, onEnd, ending }: Props) => (
  <ul className={css['list']} data-testid="sessions">
    {sessions.map((one) => (
      <li key={one.uuid} className={css['entry']}>
        <div>
          <Group gap="xs">
            <Text size="sm" fw={600}>
              {deviceOf(one.user_agent)}
            </Text>
            {one.current && (
              <Badge size="sm" variant="light">
                this one
              </Badge>
            )}
          </Group>
          <Text size="xs" c="dimmed" title={moment(one.created_at)}>
            {[one.ip_address, `last used ${ago(one.last_used_at)}`, `since ${ago(one.created_at)}`]
              .filter((fact) => fact !== null)
              .join(' · ')}
          </Text>
        </div>
        {!one.current && (
          <Button
            size="xs"
            variant="default"
            loading={ending === one.uuid}
            onClick={() => onEnd(one)}
            aria-label={`End session on ${deviceOf(one.user_agent)}`}
          >
            End
          </Button>
        )}
      </li>
    ))}
  </ul>
);

import { t } from '@lingui/core/macro';
import { Badge, Button, Group, Text } from '@mantine/core';
import type { ResponseBody } from '@overtone/client';
import { deviceOf } from '../lib/user-agent.ts';
import { ago, moment } from '../lib/format.ts';

type Session = ResponseBody<'GET /api/auth/sessions'>['sessions'][number];
type Props = {
  readonly sessions: readonly Session[];
  readonly onEnd: (session: Session) => void;
  /** The id of the session that is being ended. */
  readonly ending: string | null;
};

/** Sessions with their devices, each with a button that ends it. */
export function SessionList({ sessions, onEnd, ending }: Props) {
  return (
    <ul className="ot-list" data-testid="sessions">
      {sessions.map((session) => (
        <li key={session.uuid} className="ot-entry">
          <div>
            <Group gap="xs">
              <Text size="sm" fw={600}>
                {deviceOf(session.user_agent)}
              </Text>
              {session.current && (
                <Badge size="sm" variant="light">
                  {t`this session`}
                </Badge>
              )}
            </Group>
            <Text size="xs" c="dimmed" title={moment(session.created_at)}>
              {[session.ip_address, t`last used ${ago(session.last_used_at)}`, t`since ${ago(session.created_at)}`]
                .filter((fact) => fact !== null)
                .join(' · ')}
            </Text>
          </div>
          {!session.current && (
            <Button
              size="xs"
              variant="default"
              loading={ending === session.uuid}
              onClick={() => onEnd(session)}
              aria-label={t`End session on ${deviceOf(session.user_agent)}`}
            >
              {t`End`}
            </Button>
          )}
        </li>
      ))}
    </ul>
  );
}

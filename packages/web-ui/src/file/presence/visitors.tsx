import { t } from '@lingui/core/macro';
import { Avatar, Tooltip } from '@mantine/core';
import type { Visitor } from '../../live/presence-store.ts';
import { colorOfPerson, nameOfPerson } from './people.ts';
import { initials } from '../../lib/characters.ts';

/** More do not fit beside the other tools on a phone. */
const maxShown = 3;

/** Who else has the page open, each person once. In a line that is there anyway: the text must not move when a person opens the page. */
export function Visitors({ visitors }: { visitors: readonly Visitor[] }) {
  const people = [...Map.groupBy(visitors, ({ person }) => person.uuid).values()];
  const names = people.map(([visitor]) => nameOfPerson(visitor)).join(', ');
  const shown = people.slice(0, people.length > maxShown ? maxShown - 1 : maxShown);
  return (
    <div role="status" data-testid="visitors">
      {people.length > 0 && (
        <Tooltip label={t`Also here: ${names}`} multiline maw="20rem">
          <Avatar.Group spacing={6} role="img" aria-label={t`Also here: ${names}`}>
            {shown.map(([visitor]) => (
              <Avatar key={visitor?.person.uuid} size={28} name={nameOfPerson(visitor)} color={colorOfPerson(visitor)}>
                {initials(nameOfPerson(visitor))}
              </Avatar>
            ))}
            {people.length > shown.length && <Avatar size={28}>+{people.length - shown.length}</Avatar>}
          </Avatar.Group>
        </Tooltip>
      )}
    </div>
  );
}

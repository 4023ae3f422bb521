import { t } from '@lingui/core/macro';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { NotFoundPage } from '../../ui/not-found-page.tsx';
import css from './auth.module.css';
import { Pane } from '../../ui/pane.tsx';
import { QueryStatus } from '../../ui/query-status.tsx';
import { configQuery } from './auth-queries.ts';
import { IssuerMove } from './issuer-move.tsx';
import { categoryOrder, isCategory, layouts } from './layout.ts';
import { MappingsPanel } from './mappings-panel.tsx';
import { SettingsForm } from './settings-form.tsx';

export function AuthPage() {
  const { category } = useParams({ from: '/inside/frame/admin/authentication/$category' });
  const config = useQuery(configQuery);
  const mappings = category === 'group-mappings';
  if (!mappings && !isCategory(category)) return <NotFoundPage />;
  return (
    <Pane title={t`Authentication`}>
      <nav className={css['tabs']} aria-label={t`Authentication`}>
        {categoryOrder.map((name) => (
          <Tab key={name} name={name} label={layouts[name].tab} here={category === name} />
        ))}
        <Tab name="group-mappings" label={t`Group mappings`} here={mappings} />
      </nav>
      {mappings && <MappingsPanel />}
      {isCategory(category) && (
        <>
          <QueryStatus of={config} failure={t`The settings couldn’t be loaded`} height={360} />
          {config.data && <SettingsForm key={category} category={category} items={config.data[category]} />}
          {config.data && category === 'oidc' && <IssuerMove />}
        </>
      )}
    </Pane>
  );
}

function Tab({ name, label, here }: { name: string; label: string; here: boolean }) {
  return (
    <Link
      to="/admin/authentication/$category"
      params={{ category: name }}
      className={css['tab']}
      ref={here ? scrollIntoView : null}
      {...(here ? { 'aria-current': 'page' as const } : {})}
    >
      {label}
    </Link>
  );
}

/** On a narrow screen the links form a scrolling strip; the link of the open page must be visible in it. */
function scrollIntoView(link: HTMLAnchorElement | null): void {
  return link?.scrollIntoView({ block: 'nearest', inline: 'center' });
}

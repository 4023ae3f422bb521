import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { NotFoundPage } from '../../app/pages.tsx';
import css from '../admin.module.css';
import { AdminPane, scrollIntoView, QueryStatus } from '../parts.tsx';
import { configQuery } from './auth-queries.ts';
import { categoryOrder, isCategory, layouts } from './layout.ts';
import { MappingsPanel } from './mappings-panel.tsx';
import { SettingsForm } from './settings-form.tsx';

export function AuthPage() {
  const { category } = useParams({ from: '/inside/frame/admin/authentication/$category' });
  const config = useQuery(configQuery);
  const mappings = category === 'group-mappings';
  if (!mappings && !isCategory(category)) return <NotFoundPage />;
  return (
    <AdminPane title="Authentication">
      <nav className={css['tabs']} aria-label="Authentication">
        {categoryOrder.map((name) => (
          <Tab key={name} name={name} label={layouts[name].tab} here={category === name} />
        ))}
        <Tab name="group-mappings" label="Group mappings" here={mappings} />
      </nav>
      {mappings && <MappingsPanel />}
      {isCategory(category) && (
        <>
          <QueryStatus of={config} what="The settings" height={360} />
          {config.data && <SettingsForm key={category} category={category} items={config.data[category]} />}
        </>
      )}
    </AdminPane>
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
